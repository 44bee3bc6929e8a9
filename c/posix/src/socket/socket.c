/* Sockets as descriptors. */

#include "socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>

#include "../posix.h"

/* As many as the server has, of all clients. */
#define MOST 20

static struct posix_lock lock;
static struct posix_socket sockets[MOST];

struct posix_socket *posix_socket_at(uint8_t place)
{
    return &sockets[place - 1];
}

int posix_new_socket(int family, int type)
{
    int place = -ENOBUFS;
    if (!posix_lock(&lock))
        return -ENOBUFS;
    for (int n = 0; n < MOST && place < 0; n++)
        if (!sockets[n].type) {
            sockets[n] = (struct posix_socket){.type = (uint8_t)type, .family = (uint8_t)family};
            place = n + 1;
        }
    posix_unlock(&lock);
    return place;
}

void posix_free_socket(uint8_t place)
{
    if (!place || !posix_lock(&lock))
        return;
    posix_socket_at(place)->type = 0;
    posix_unlock(&lock);
}

bool posix_seize(struct posix_socket *socket, enum posix_socket_state state)
{
    bool is_it;
    if (!posix_lock(&lock))
        return false;
    is_it = socket->state == state;
    if (is_it)
        socket->state = SOCKET_BUSY;
    posix_unlock(&lock);
    return is_it;
}

/* Whether the server may let a request wait. One that it answers at once would be done all the same if a signal ended the wait
 * for its answer, or be lost with what it was to give back. */
static bool may_wait(uint32_t operation)
{
    switch (operation) {
    case NETWORK_ACCEPT:
    case NETWORK_CONNECT:
    case NETWORK_READ:
    case NETWORK_WRITE:
    case NETWORK_SEND_TO:
    case NETWORK_RECEIVE_FROM:
    case NETWORK_CONNECTED:
    case NETWORK_WATCH:
    case NETWORK_RESOLVE:
    case NETWORK_PING:
        return true;
    default:
        return false;
    }
}

ssize_t posix_ask_network(riposte_connection_t server, uint32_t operation, uint32_t number, const riposte_part_t more[2],
                          const riposte_part_t *answer, size_t answers, riposte_deadline_t deadline)
{
    uint32_t head[RIPOSTE_MESSAGE_BYTES / 4] = {operation, number};
    const riposte_part_t parts[3] = {{head, 8}, more[0], more[1]};
    const bool two = more[1].length == 0 && answers <= 1;
    const bool waits = may_wait(operation);
    riposte_reply_t reply;
    riposte_error_t error;
    begin_wait();
    do {
        const uint64_t masked = waits ? 0 : posix_hold_signals();
        error = two ? posix_send_behind(server, head, 8, more[0].address, more[0].length,
                                        answers ? answer->address : NULL, answers ? answer->length : 0, deadline, &reply)
                    : riposte_send_vector_until(server, parts, 3, answer, answers, deadline, &reply);
        if (!waits)
            posix_release_signals(masked);
        if (error == RIPOSTE_OK && reply.status == EINTR)
            error = RIPOSTE_ERROR_INTERRUPTED;
        /* Who looks at several returns to say so, whatever the handler is; so does who waits for the other side, of which
         * a second connect() would ask anew, and for an echo, which is sent once. */
    } while (error == RIPOSTE_ERROR_INTERRUPTED
             && AGAIN(operation != NETWORK_WATCH && operation != NETWORK_CONNECTED && operation != NETWORK_PING));
    if (error == RIPOSTE_OK && reply.status)
        return posix_refusal(reply.status);
    return error == RIPOSTE_OK ? (ssize_t)reply.length : -posix_error_of(error);
}

ssize_t posix_ask_of_socket(const struct posix_description *open, uint32_t operation, const uint32_t *word, void *answer,
                            size_t room, riposte_deadline_t deadline)
{
    const riposte_part_t more[2] = {{(void *)(uintptr_t)word, word ? sizeof *word : 0}, {NULL, 0}};
    const riposte_part_t into = {answer, room};
    return posix_ask_network(open->server, operation, open->number, more, &into, room ? 1 : 0, deadline);
}

riposte_deadline_t posix_patience(uint32_t milliseconds)
{
    return milliseconds ? riposte_clock() + milliseconds * UINT64_C(1000000) : RIPOSTE_FOREVER;
}

int posix_use_socket(int descriptor, struct posix_description **open, struct posix_socket **socket)
{
    const int error = posix_use(descriptor, open);
    if (error)
        return error;
    if ((*open)->operations != &posix_socket_operations) {
        posix_done(*open);
        return -ENOTSOCK;
    }
    *socket = posix_socket_at((*open)->socket);
    return 0;
}

int posix_give_port(struct posix_description *open, struct posix_socket *socket, uint16_t port)
{
    const riposte_part_t none[2] = {{NULL, 0}, {NULL, 0}};
    uint32_t found[2];
    const riposte_part_t into = {found, sizeof found};
    ssize_t given;
    if (!posix_seize(socket, SOCKET_NEW))
        return -EINVAL;
    given = posix_ask_network(open->server, NETWORK_BIND, port | posix_families(socket), none, &into, 1, RIPOSTE_FOREVER);
    if (given != sizeof found) {
        socket->state = SOCKET_NEW;
        return given < 0 ? (int)given : -EIO;
    }
    open->number = found[0];
    socket->port = (uint16_t)found[1];
    socket->state = SOCKET_PORT;
    return 0;
}

int posix_need_port(struct posix_description *open, struct posix_socket *socket)
{
    return socket->state == SOCKET_NEW ? posix_give_port(open, socket, 0) : 0;
}

static ssize_t read_socket(struct posix_description *open, void *buffer, size_t length)
{
    return posix_receive(open, buffer, length, 0, NULL);
}

static ssize_t write_socket(struct posix_description *open, const void *bytes, size_t length)
{
    return posix_send(open, bytes, length, 0, NULL);
}

static int stat_socket(struct posix_description *open, struct stat *stat)
{
    memset(stat, 0, sizeof *stat);
    stat->st_mode = S_IFSOCK | S_IRUSR | S_IWUSR;
    stat->st_ino = open->socket;
    stat->st_nlink = 1;
    return 0;
}

static int ready_socket(struct posix_description *open)
{
    struct posix_socket *const socket = posix_socket_at(open->socket);
    uint32_t bits = 0;
    int found;
    /* Where datagrams can come, there is a port. */
    if (!open->number && socket->type == SOCK_DGRAM)
        posix_give_port(open, socket, 0);
    if (!open->number)
        return socket->type == SOCK_DGRAM ? POLLERR : POLLHUP;
    if (posix_ask_of_socket(open, NETWORK_READY, NULL, &bits, sizeof bits, RIPOSTE_FOREVER) != sizeof bits)
        return POLLERR;
    found = (bits & NETWORK_READY_READ ? POLLIN : 0) | (bits & NETWORK_READY_WRITE ? POLLOUT : 0);
    if (socket->is_read)
        found |= POLLIN;
    if (bits & NETWORK_READY_FAILED)
        found |= POLLERR;
    /* Nothing can be written to what has ended. */
    if (bits & NETWORK_READY_ENDED)
        found = (found & ~POLLOUT) | POLLHUP;
    return found;
}

static int watch_sockets(riposte_connection_t server, const struct posix_watched *all, size_t count,
                         riposte_deadline_t deadline)
{
    struct posix_watched asked[MOST_WATCHED];
    const riposte_part_t more[2] = {{asked, count * sizeof *asked}, {NULL, 0}};
    ssize_t error;
    for (size_t n = 0; n < count; n++) {
        asked[n].number = all[n].number;
        asked[n].events = (all[n].events & (POLLIN | POLLRDNORM) ? NETWORK_READY_READ : 0)
                          | (all[n].events & POLLOUT ? NETWORK_READY_WRITE : 0);
    }
    error = posix_ask_network(server, NETWORK_WATCH, 0, more, NULL, 0, deadline);
    /* Too many threads wait: it is asked now and then. */
    return error == -ETIMEDOUT || error == -ENOBUFS ? -EAGAIN : (int)error;
}

static int close_socket(struct posix_description *open)
{
    ssize_t closed = 0;
    if (open->number)
        closed = posix_ask_of_socket(open, NETWORK_CLOSE, NULL, NULL, 0, RIPOSTE_FOREVER);
    posix_free_socket(open->socket);
    return (int)closed;
}

const struct posix_operations posix_socket_operations = {
    .kind = S_IFSOCK,
    .read = read_socket,
    .write = write_socket,
    .stat = stat_socket,
    .ready = ready_socket,
    .watch = watch_sockets,
    .close = close_socket,
};

int posix_find_network(riposte_connection_t *server)
{
    const riposte_error_t connected = riposte_connect("network", server);
    if (connected == RIPOSTE_ERROR_NOT_PERMITTED)
        return -EACCES;
    return connected == RIPOSTE_OK ? 0 : -posix_error_of(connected);
}

static int make_socket(int family, int type, int protocol)
{
    struct posix_description made = {0}, *open;
    int descriptor, place, error;
    if (family != AF_INET && family != AF_INET6)
        return -EAFNOSUPPORT;
    if (type != SOCK_STREAM && type != SOCK_DGRAM)
        return -EPROTOTYPE;
    if (protocol && protocol != (type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP))
        return -EPROTONOSUPPORT;
    error = posix_find_network(&made.server);
    if (error)
        return error;
    descriptor = posix_reserve(0, 0, &open);
    if (descriptor < 0)
        return descriptor;
    place = posix_new_socket(family, type);
    if (place < 0) {
        posix_give_up(descriptor, open);
        return place;
    }
    made.operations = &posix_socket_operations;
    made.flags = O_RDWR;
    made.socket = (uint8_t)place;
    posix_open_as(open, &made);
    return descriptor;
}

int socket(int family, int type, int protocol)
{
    return (int)posix_result(make_socket(family, type, protocol));
}
