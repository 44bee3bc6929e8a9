/* How a socket gets a port, clients, or another side. */

#include "socket.h"

#include <fcntl.h>
#include <string.h>

static const riposte_part_t none[2] = {{NULL, 0}, {NULL, 0}};

static uint16_t port_of(const uint8_t bytes[NETWORK_ADDRESS])
{
    return (uint16_t)(bytes[NETWORK_PORT] | bytes[NETWORK_PORT + 1] << 8);
}

/* Every address of the own machine, of either family. */
static bool is_any(const uint8_t bytes[NETWORK_ADDRESS])
{
    static const uint8_t zeros[NETWORK_HOST];
    const size_t from = posix_is_ipv4(bytes) ? NETWORK_HOST - 4 : 0;
    return !memcmp(bytes + from, zeros, NETWORK_HOST - from);
}

/* Somebody's address: -EHOSTUNREACH also of one of IPv4, of a socket that takes none. */
static int other_in(const struct posix_socket *socket, const struct sockaddr *address, socklen_t length,
                    uint8_t bytes[NETWORK_ADDRESS])
{
    const int error = posix_address_in(socket->family, address, length, bytes);
    if (!error && socket->is_ipv6_only && posix_is_ipv4(bytes))
        return -EHOSTUNREACH;
    return error;
}

/* A stream's port is the server's to give when it listens. */
static int bind_stream(struct posix_socket *socket, uint16_t port)
{
    if (!port)
        return -EADDRNOTAVAIL;
    if (!posix_seize(socket, SOCKET_NEW))
        return -EINVAL;
    socket->port = port;
    socket->state = SOCKET_BOUND;
    return 0;
}

static int do_bind(int descriptor, const struct sockaddr *address, socklen_t length)
{
    struct posix_description *open;
    struct posix_socket *socket;
    uint8_t bytes[NETWORK_ADDRESS];
    int error = posix_use_socket(descriptor, &open, &socket);
    if (error)
        return error;
    error = posix_address_in(socket->family, address, length, bytes);
    if (!error && !is_any(bytes))
        error = -EADDRNOTAVAIL;
    if (!error)
        error = socket->type == SOCK_STREAM ? bind_stream(socket, port_of(bytes))
                                            : posix_give_port(open, socket, port_of(bytes));
    posix_done(open);
    return error;
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length)
{
    return (int)posix_result(do_bind(descriptor, address, length));
}

static int listen_at(struct posix_description *open, struct posix_socket *socket, int backlog)
{
    const uint32_t most = backlog < 1 ? 1 : backlog > SOMAXCONN ? SOMAXCONN : (uint32_t)backlog;
    const riposte_part_t more[2] = {{(void *)(uintptr_t)&most, sizeof most}, {NULL, 0}};
    uint32_t number = 0;
    const riposte_part_t into = {&number, sizeof number};
    ssize_t given;
    if (socket->type != SOCK_STREAM)
        return -EOPNOTSUPP;
    /* Its backlog stays what it is. */
    if (socket->state == SOCKET_LISTENING)
        return 0;
    if (!posix_seize(socket, SOCKET_BOUND))
        return socket->state == SOCKET_NEW ? -EDESTADDRREQ : -EINVAL;
    given = posix_ask_network(open->server, NETWORK_LISTEN, socket->port | posix_families(socket), more, &into, 1, RIPOSTE_FOREVER);
    if (given != sizeof number) {
        socket->state = SOCKET_BOUND;
        return given < 0 ? (int)given : -EIO;
    }
    open->number = number;
    socket->state = SOCKET_LISTENING;
    return 0;
}

int listen(int descriptor, int backlog)
{
    struct posix_description *open;
    struct posix_socket *socket;
    int error = posix_use_socket(descriptor, &open, &socket);
    if (!error) {
        error = listen_at(open, socket, backlog);
        posix_done(open);
    }
    return (int)posix_result(error);
}

/* Takes a client for a socket and a description that are set aside for it. */
static int accept_as(struct posix_description *open, const struct posix_socket *listener,
                     struct posix_description *made, uint8_t from[NETWORK_ADDRESS])
{
    const uint32_t try = open->flags & O_NONBLOCK ? NETWORK_TRY : 0;
    const riposte_part_t into[2] = {{&made->number, sizeof made->number}, {from, NETWORK_ADDRESS}};
    const ssize_t came = posix_ask_network(open->server, NETWORK_ACCEPT | try, open->number, none, into, 2,
                                           posix_patience(listener->receives_for));
    if (came == -ETIMEDOUT)
        return -EAGAIN;
    if (came != (ssize_t)sizeof made->number + NETWORK_ADDRESS)
        return came < 0 ? (int)came : -EIO;
    made->operations = &posix_socket_operations;
    made->server = open->server;
    made->flags = O_RDWR;
    posix_socket_at(made->socket)->state = SOCKET_CONNECTED;
    posix_socket_at(made->socket)->port = listener->port;
    posix_socket_at(made->socket)->is_ipv6_only = listener->is_ipv6_only;
    return 0;
}

static int do_accept(int descriptor, struct sockaddr *address, socklen_t *length)
{
    int family;
    struct posix_description *open, *own, made = {0};
    struct posix_socket *listener;
    uint8_t from[NETWORK_ADDRESS];
    int place = -1, accepted = -1;
    int error = posix_use_socket(descriptor, &open, &listener);
    if (error)
        return error;
    if (listener->type != SOCK_STREAM)
        error = -EOPNOTSUPP;
    else if (listener->state != SOCKET_LISTENING)
        error = -EINVAL;
    else
        /* Who came is not to be lost for want of a place. */
        error = accepted = posix_reserve(0, 0, &own);
    if (accepted >= 0)
        error = place = posix_new_socket(listener->family, SOCK_STREAM);
    if (place > 0) {
        made.socket = (uint8_t)place;
        error = accept_as(open, listener, &made, from);
    }
    family = listener->family;
    posix_done(open);
    if (error < 0) {
        if (place > 0)
            posix_free_socket((uint8_t)place);
        if (accepted >= 0)
            posix_give_up(accepted, own);
        return error;
    }
    posix_open_as(own, &made);
    posix_address_out(family, from, address, length);
    return accepted;
}

int accept(int descriptor, struct sockaddr *address, socklen_t *length)
{
    return (int)posix_result(do_accept(descriptor, address, length));
}

/* Of datagrams: from whom alone the server takes what comes; from anybody, if from nobody. */
static int take_from(const struct posix_description *open, uint8_t *bytes)
{
    const riposte_part_t more[2] = {{bytes, bytes ? NETWORK_ADDRESS : 0}, {NULL, 0}};
    return (int)posix_ask_network(open->server, NETWORK_SET_PEER, open->number, more, NULL, 0, RIPOSTE_FOREVER);
}

/* Of datagrams: who the other side is, if anybody. */
static int set_other(struct posix_description *open, struct posix_socket *socket, const struct sockaddr *address,
                     socklen_t length)
{
    uint8_t bytes[NETWORK_ADDRESS];
    int error;
    if (address && length >= sizeof address->sa_family && address->sa_family == AF_UNSPEC) {
        error = socket->has_other ? take_from(open, NULL) : 0;
        if (!error)
            socket->has_other = false;
        return error;
    }
    error = other_in(socket, address, length, bytes);
    if (!error && (is_any(bytes) || !port_of(bytes)))
        error = -EHOSTUNREACH;
    if (!error)
        error = posix_need_port(open, socket);
    if (!error)
        error = take_from(open, bytes);
    if (error)
        return error;
    memcpy(socket->other, bytes, sizeof bytes);
    socket->has_other = true;
    return 0;
}

/* What has become of a connection that was begun. One that there will not be leaves the socket as a new one. */
static int settle(struct posix_description *open, struct posix_socket *socket, uint32_t try, riposte_deadline_t deadline)
{
    uint8_t both[2 * NETWORK_ADDRESS];
    const ssize_t told = posix_ask_of_socket(open, NETWORK_CONNECTED | try, NULL, both, sizeof both, deadline);
    if (told == sizeof both) {
        socket->state = SOCKET_CONNECTED;
        return 0;
    }
    if (told == -ECONNREFUSED && posix_seize(socket, SOCKET_CONNECTING)) {
        posix_ask_of_socket(open, NETWORK_CLOSE, NULL, NULL, 0, RIPOSTE_FOREVER);
        open->number = 0;
        socket->state = SOCKET_NEW;
    }
    return told < 0 ? (int)told : -EIO;
}

static int connect_stream(struct posix_description *open, struct posix_socket *socket, const struct sockaddr *address,
                          socklen_t length)
{
    const uint32_t try = open->flags & O_NONBLOCK ? NETWORK_TRY : 0;
    uint8_t to[NETWORK_ADDRESS];
    const riposte_part_t more[2] = {{to, sizeof to}, {NULL, 0}};
    uint32_t number = 0;
    const riposte_part_t into = {&number, sizeof number};
    riposte_deadline_t deadline;
    ssize_t begun;
    int error = other_in(socket, address, length, to);
    if (error)
        return error;
    if (!posix_seize(socket, SOCKET_NEW))
        switch (socket->state) {
        case SOCKET_CONNECTED:
            return -EISCONN;
        case SOCKET_CONNECTING:
            error = settle(open, socket, NETWORK_TRY, RIPOSTE_FOREVER);
            return !error ? -EISCONN : error == -EAGAIN ? -EALREADY : error;
        case SOCKET_BUSY:
            return -EALREADY;
        default:
            return -EOPNOTSUPP;
        }
    deadline = posix_patience(socket->sends_for);
    begun = posix_ask_network(open->server, NETWORK_CONNECT | try, 0, more, &into, 1, deadline);
    if (begun != sizeof number) {
        socket->state = SOCKET_NEW;
        return begun == -ETIMEDOUT ? -EAGAIN : begun < 0 ? (int)begun : -EIO;
    }
    open->number = number;
    socket->state = SOCKET_CONNECTING;
    if (try)
        return -EINPROGRESS;
    error = settle(open, socket, 0, deadline);
    return error == -ETIMEDOUT ? -EINPROGRESS : error;
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length)
{
    struct posix_description *open;
    struct posix_socket *socket;
    int error = posix_use_socket(descriptor, &open, &socket);
    if (!error) {
        error = socket->type == SOCK_STREAM ? connect_stream(open, socket, address, length)
                                            : set_other(open, socket, address, length);
        posix_done(open);
    }
    return (int)posix_result(error);
}

/* What there is to know of a stream that has not been asked since it was begun; and, once, that it has been reset since. */
int posix_pending_error(struct posix_description *open, struct posix_socket *socket)
{
    uint32_t bits = 0;
    ssize_t error = 0;
    if (socket->state == SOCKET_CONNECTING) {
        error = settle(open, socket, NETWORK_TRY, RIPOSTE_FOREVER);
    } else if (socket->state == SOCKET_CONNECTED && !socket->is_told) {
        error = posix_ask_of_socket(open, NETWORK_READY, NULL, &bits, sizeof bits, RIPOSTE_FOREVER);
        if (error >= 0)
            error = bits & NETWORK_READY_FAILED ? -ECONNRESET : 0;
        socket->is_told = error < 0;
    }
    return error == -EAGAIN ? 0 : (int)-error;
}

/* Both addresses: of a stream as the server says, else the port alone, or the other side of datagrams. */
static int names(struct posix_description *open, struct posix_socket *socket, uint8_t own[NETWORK_ADDRESS],
                 uint8_t other[NETWORK_ADDRESS])
{
    static const uint8_t nobody[NETWORK_ADDRESS];
    const riposte_part_t into[2] = {{own, NETWORK_ADDRESS}, {other, NETWORK_ADDRESS}};
    memcpy(own, nobody, sizeof nobody);
    own[NETWORK_PORT] = (uint8_t)socket->port;
    own[NETWORK_PORT + 1] = (uint8_t)(socket->port >> 8);
    if (socket->has_other) {
        memcpy(other, socket->other, NETWORK_ADDRESS);
        return 0;
    }
    if (socket->state != SOCKET_CONNECTED && socket->state != SOCKET_CONNECTING)
        return -ENOTCONN;
    switch (posix_ask_network(open->server, NETWORK_CONNECTED | NETWORK_TRY, open->number, none, into, 2,
                              RIPOSTE_FOREVER)) {
    case 2 * NETWORK_ADDRESS:
        return 0;
    case -EIO:
        return -EIO;
    default:
        return -ENOTCONN;
    }
}

static int name(int descriptor, bool is_other, struct sockaddr *address, socklen_t *length)
{
    struct posix_description *open;
    struct posix_socket *socket;
    uint8_t own[NETWORK_ADDRESS], other[NETWORK_ADDRESS];
    int error = posix_use_socket(descriptor, &open, &socket);
    if (error)
        return error;
    error = names(open, socket, own, other);
    /* Its own name a socket has always. */
    if (error == -ENOTCONN && !is_other)
        error = 0;
    if (!error)
        posix_address_out(socket->family, is_other ? other : own, address, length);
    posix_done(open);
    return error;
}

int getsockname(int descriptor, struct sockaddr *address, socklen_t *length)
{
    return (int)posix_result(name(descriptor, false, address, length));
}

int getpeername(int descriptor, struct sockaddr *address, socklen_t *length)
{
    return (int)posix_result(name(descriptor, true, address, length));
}
