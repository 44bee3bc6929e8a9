/* Bytes and datagrams. */

#include "socket.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

/* Most bytes that are offered to the server at once: more than it keeps of a stream. */
#define LARGEST 4096

/* Whether a call does not wait. */
static uint32_t patience(const struct posix_description *open, int flags)
{
    return open->flags & O_NONBLOCK || flags & MSG_DONTWAIT ? NETWORK_TRY : 0;
}

/* The time was over. */
static ssize_t in_time(ssize_t result)
{
    return result == -ETIMEDOUT ? -EAGAIN : result;
}

static bool is_connected(const struct posix_socket *socket)
{
    return socket->state == SOCKET_CONNECTED || socket->state == SOCKET_CONNECTING;
}

/* What a stream fails with: SO_ERROR says nothing more of it. */
static ssize_t told(struct posix_socket *socket, ssize_t error)
{
    socket->is_told |= error == -ECONNRESET || error == -EIO;
    return error;
}

static ssize_t receive_bytes(struct posix_description *open, struct posix_socket *socket, void *bytes, size_t length,
                             int flags)
{
    const riposte_deadline_t deadline = posix_patience(socket->receives_for);
    size_t done = 0;
    if (!is_connected(socket))
        return -ENOTCONN;
    while (done < length && !socket->is_read) {
        const uint32_t most = (uint32_t)(length - done);
        const ssize_t count = in_time(posix_ask_of_socket(open, NETWORK_READ | patience(open, flags), &most,
                                                          (char *)bytes + done, length - done, deadline));
        if (count < 0)
            return done ? (ssize_t)done : told(socket, count);
        done += (size_t)count;
        if (!count || !(flags & MSG_WAITALL))
            break;
    }
    return (ssize_t)done;
}

static ssize_t receive_datagram(struct posix_description *open, struct posix_socket *socket, void *bytes, size_t length,
                                int flags, uint8_t from[NETWORK_ADDRESS])
{
    const riposte_deadline_t deadline = posix_patience(socket->receives_for);
    const uint32_t most = (uint32_t)length;
    const riposte_part_t more[2] = {{(void *)(uintptr_t)&most, sizeof most}, {NULL, 0}};
    uint32_t whole = 0;
    const riposte_part_t into[3] = {{from, NETWORK_ADDRESS}, {&whole, sizeof whole}, {bytes, length}};
    ssize_t count;
    int given;
    if (socket->is_read)
        return 0;
    /* Nobody could send anything to it without a port. */
    given = posix_need_port(open, socket);
    if (given)
        return given;
    count = in_time(posix_ask_network(open->server, NETWORK_RECEIVE_FROM | patience(open, flags), open->number, more, into,
                                      length ? 3 : 2, deadline));
    if (count < 0)
        return count;
    if ((size_t)count < NETWORK_ADDRESS + sizeof whole)
        return -EIO;
    return count - NETWORK_ADDRESS - (ssize_t)sizeof whole;
}

ssize_t posix_receive(struct posix_description *open, void *bytes, size_t length, int flags,
                      uint8_t from[NETWORK_ADDRESS])
{
    struct posix_socket *const socket = posix_socket_at(open->socket);
    uint8_t nobody[NETWORK_ADDRESS];
    if (flags & ~(MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL))
        return -EOPNOTSUPP;
    if (socket->type == SOCK_STREAM)
        return receive_bytes(open, socket, bytes, length, flags);
    return receive_datagram(open, socket, bytes, length, flags, from ? from : nobody);
}

static ssize_t send_bytes(struct posix_description *open, struct posix_socket *socket, const char *bytes, size_t length,
                          int flags)
{
    const riposte_deadline_t deadline = posix_patience(socket->sends_for);
    const uint32_t try = patience(open, flags);
    size_t done = 0;
    if (!is_connected(socket))
        return -ENOTCONN;
    while (done < length) {
        const size_t wanted = length - done < LARGEST ? length - done : LARGEST;
        const riposte_part_t more[2] = {{(void *)(uintptr_t)(bytes + done), wanted}, {NULL, 0}};
        uint32_t taken = 0;
        const riposte_part_t into = {&taken, sizeof taken};
        const ssize_t count = in_time(
            posix_ask_network(open->server, NETWORK_WRITE | try, open->number, more, &into, 1, deadline));
        if (count < 0)
            return done ? (ssize_t)done : told(socket, count);
        if (!taken || taken > wanted)
            return -EIO;
        done += taken;
    }
    return (ssize_t)done;
}

static ssize_t send_datagram(struct posix_description *open, struct posix_socket *socket, const void *bytes,
                             size_t length, int flags, const uint8_t *to)
{
    const riposte_deadline_t deadline = posix_patience(socket->sends_for);
    riposte_part_t more[2] = {{(void *)(uintptr_t)to, NETWORK_ADDRESS}, {(void *)(uintptr_t)bytes, length}};
    ssize_t sent;
    int given;
    if (!to && socket->has_other)
        more[0].address = socket->other;
    else if (!to)
        return -EDESTADDRREQ;
    if (length > NETWORK_LONGEST)
        return -EMSGSIZE;
    given = posix_need_port(open, socket);
    if (given)
        return given;
    sent = in_time(posix_ask_network(open->server, NETWORK_SEND_TO | patience(open, flags), open->number, more, NULL, 0,
                                     deadline));
    return sent < 0 ? sent : (ssize_t)length;
}

ssize_t posix_send(struct posix_description *open, const void *bytes, size_t length, int flags,
                   const uint8_t to[NETWORK_ADDRESS])
{
    struct posix_socket *const socket = posix_socket_at(open->socket);
    if (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL))
        return -EOPNOTSUPP;
    if (socket->type == SOCK_STREAM)
        return send_bytes(open, socket, bytes, length, flags);
    return send_datagram(open, socket, bytes, length, flags, to);
}

static ssize_t do_receive(int descriptor, void *bytes, size_t length, int flags, struct sockaddr *address,
                          socklen_t *address_length)
{
    struct posix_description *open;
    struct posix_socket *socket;
    uint8_t from[NETWORK_ADDRESS];
    ssize_t count = posix_use_socket(descriptor, &open, &socket);
    if (count)
        return count;
    count = posix_receive(open, bytes, length > SSIZE_MAX ? SSIZE_MAX : length, flags, from);
    /* Of a stream everybody knows who is there. */
    if (count >= 0 && socket->type == SOCK_DGRAM && !socket->is_read)
        posix_address_out(socket->family, from, address, address_length);
    else if (count >= 0 && address && address_length)
        *address_length = 0;
    posix_done(open);
    return count;
}

ssize_t recvfrom(int descriptor, void *bytes, size_t length, int flags, struct sockaddr *address,
                 socklen_t *address_length)
{
    return posix_result(do_receive(descriptor, bytes, length, flags, address, address_length));
}

ssize_t recv(int descriptor, void *bytes, size_t length, int flags)
{
    return recvfrom(descriptor, bytes, length, flags, NULL, NULL);
}

static ssize_t do_send(int descriptor, const void *bytes, size_t length, int flags, const struct sockaddr *address,
                       socklen_t address_length)
{
    struct posix_description *open;
    struct posix_socket *socket;
    uint8_t to[NETWORK_ADDRESS];
    ssize_t count = posix_use_socket(descriptor, &open, &socket);
    if (count)
        return count;
    if (socket->type == SOCK_STREAM)
        address = NULL;
    if (address)
        count = posix_address_in(socket->family, address, address_length, to);
    if (address && !count && socket->is_ipv6_only && posix_is_ipv4(to))
        count = -EHOSTUNREACH;
    if (!count)
        count = posix_send(open, bytes, length > SSIZE_MAX ? SSIZE_MAX : length, flags, address ? to : NULL);
    posix_done(open);
    return count;
}

ssize_t sendto(int descriptor, const void *bytes, size_t length, int flags, const struct sockaddr *address,
               socklen_t address_length)
{
    const ssize_t sent = do_send(descriptor, bytes, length, flags, address, address_length);
    return flags & MSG_NOSIGNAL ? posix_result(sent) : posix_written(sent);
}

ssize_t send(int descriptor, const void *bytes, size_t length, int flags)
{
    return sendto(descriptor, bytes, length, flags, NULL, 0);
}

/* Ends the own side, if the other one has answered. */
static int finish(struct posix_description *open)
{
    const int error = (int)posix_ask_of_socket(open, NETWORK_FINISH | NETWORK_TRY, NULL, NULL, 0, RIPOSTE_FOREVER);
    return error == -EAGAIN || error == -ECONNREFUSED ? -ENOTCONN : error;
}

static int do_shutdown(int descriptor, int how)
{
    struct posix_description *open;
    struct posix_socket *socket;
    int error = posix_use_socket(descriptor, &open, &socket);
    if (error)
        return error;
    if (how != SHUT_RD && how != SHUT_WR && how != SHUT_RDWR)
        error = -EINVAL;
    else if (!is_connected(socket))
        error = -ENOTCONN;
    else if (how != SHUT_RD)
        error = finish(open);
    if (!error && how != SHUT_WR)
        socket->is_read = true;
    posix_done(open);
    return error;
}

int shutdown(int descriptor, int how)
{
    return (int)posix_result(do_shutdown(descriptor, how));
}
