/* Pipes and FIFOs: an open one is an end, whose number the server of pipes has given. */

#include "pipes.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../posix.h"
#include "files.h"

/* The requests, as servers/pipe/client/src/protocol.rs has them. */
enum { PIPE_OPEN_READ = 32, PIPE_OPEN_WRITE, PIPE_CLOSE, PIPE_READ, PIPE_WRITE, PIPE_MAKE, PIPE_MAKE_UNNAMED, PIPE_REMOVE,
       PIPE_READY, PIPE_WATCH, PIPE_MEET, PIPE_LOOK, PIPE_EXPECT, PIPE_LINKS,
       PIPE_TRY = 1 << 8 };
#define PIPE_LARGEST 4096
#define PIPE_NAME 16

/* What its statuses are, in their order. Of a pipe that is too large the caller has not said how large. */
static const uint8_t errors[] = {
    0, ENOENT, EMFILE, EBADF, EPIPE, EAGAIN, EAGAIN, EINVAL, EEXIST, EMFILE, EPERM, EINVAL, ENOSPC,
    ENXIO,
};

/* Behind these: a signal is to be handled first. */
#define INTERRUPTED 14

static ssize_t of_status(uint32_t status)
{
    /* A server of files that has no pipes. */
    if (status == FILES_NOT_SUPPORTED)
        return -ENOTSUP;
    return status < sizeof errors ? -(ssize_t)errors[status] : -EIO;
}

/* Whether the server may let a request wait. One that it answers at once would be done all the same if a signal ended the wait
 * for its answer, or be lost with what it was to give back. */
static bool may_wait(uint32_t operation)
{
    return operation == PIPE_READ || operation == PIPE_WRITE || operation == PIPE_WATCH || operation == PIPE_MEET;
}

/* Sends a request with bytes behind it; how many bytes the answer has. */
static ssize_t ask_until(riposte_connection_t server, uint32_t operation, uint32_t number, const void *bytes,
                         size_t length, void *answer, size_t room, riposte_deadline_t deadline)
{
    uint32_t head[RIPOSTE_MESSAGE_BYTES / 4] = {operation, number};
    const bool waits = may_wait(operation);
    riposte_reply_t reply;
    riposte_error_t error;
    begin_wait();
    do {
        const uint64_t masked = waits ? 0 : posix_hold_signals();
        error = posix_send_behind(server, head, 8, bytes, length, answer, room, deadline, &reply);
        if (!waits)
            posix_release_signals(masked);
        if (error == RIPOSTE_OK && reply.status == INTERRUPTED)
            error = RIPOSTE_ERROR_INTERRUPTED;
        /* Who looks at several ends returns to say so, whatever the handler is. */
    } while (error == RIPOSTE_ERROR_INTERRUPTED && AGAIN(operation != PIPE_WATCH));
    if (error != RIPOSTE_OK)
        return -posix_error_of(error);
    return reply.status ? of_status(reply.status) : (ssize_t)reply.length;
}

static ssize_t ask(riposte_connection_t server, uint32_t operation, uint32_t number, const void *bytes, size_t length,
                   void *answer, size_t room)
{
    return ask_until(server, operation, number, bytes, length, answer, room, RIPOSTE_FOREVER);
}

static uint32_t patience(const struct posix_description *open)
{
    return open->flags & O_NONBLOCK ? PIPE_TRY : 0;
}

static ssize_t read_pipe(struct posix_description *open, void *buffer, size_t length)
{
    const uint32_t room = length;
    if (!length)
        return 0;
    return ask(open->server, PIPE_READ | patience(open), open->number, &room, sizeof room, buffer, length);
}

/* Without O_NONBLOCK all is written; with it, as much as there is room for. */
static ssize_t write_pipe(struct posix_description *open, const void *bytes, size_t length)
{
    size_t done = 0;
    do {
        /* More than any pipe holds, so that the server takes what there is room for. */
        const size_t wanted = length - done <= PIPE_LARGEST ? length - done : PIPE_LARGEST + 1;
        uint32_t written = 0;
        const ssize_t count = ask(open->server, PIPE_WRITE | patience(open), open->number, (const char *)bytes + done,
                                  wanted, &written, sizeof written);
        if (count < 0)
            return done ? (ssize_t)done : count;
        if (written > wanted || (wanted && !written))
            return -EIO;
        done += written;
    } while (done < length && !(open->flags & O_NONBLOCK));
    return (ssize_t)done;
}

static int stat_pipe(struct posix_description *open, struct stat *stat)
{
    uint32_t words[4] = {FILES_KIND_PIPE, 0, 0, 0}, links = 0;
    /* With its server it is gone. */
    if (ask(open->server, PIPE_LINKS, open->number, NULL, 0, &links, sizeof links) != sizeof links || !links)
        words[0] |= FILES_KIND_REMOVED;
    posix_fill_stat(stat, words, open->device);
    return 0;
}

static int close_pipe(struct posix_description *open)
{
    return (int)ask(open->server, PIPE_CLOSE, open->number, NULL, 0, NULL, 0);
}

static int ready_pipe(struct posix_description *open)
{
    const bool reads = (open->flags & O_ACCMODE) == O_RDONLY;
    uint32_t count = 0;
    switch (ask(open->server, PIPE_READY, open->number, NULL, 0, &count, sizeof count)) {
    case sizeof count:
        return reads ? count ? POLLIN : POLLHUP : POLLOUT;
    case -EAGAIN:
        return 0;
    case -EBADF:
        return POLLNVAL;
    default:
        /* Nobody is left to read, or the server has ended. */
        return POLLERR;
    }
}

/* An end can be ready for one thing only. */
static int watch_pipes(riposte_connection_t server, const struct posix_watched *all, size_t count,
                       riposte_deadline_t deadline)
{
    uint32_t ends[MOST_WATCHED];
    ssize_t error;
    for (size_t n = 0; n < count; n++)
        ends[n] = all[n].number;
    error = ask_until(server, PIPE_WATCH, 0, ends, count * sizeof *ends, NULL, 0, deadline);
    return error == -ETIMEDOUT ? -EAGAIN : (int)error;
}

const struct posix_operations posix_pipe_end = {
    .kind = S_IFIFO,
    .read = read_pipe,
    .write = write_pipe,
    .stat = stat_pipe,
    .ready = ready_pipe,
    .watch = watch_pipes,
    .close = close_pipe,
};

/* The name of a FIFO, what is behind the `/`, of a length that its server knows: in a tree of files it is a path. */
static const char *name_of(const struct posix_place *place, size_t *length)
{
    *length = strlen(place->rest + 1);
    return *length <= (place->realm == REALM_PIPES ? PIPE_NAME : FILES_PATH) ? place->rest + 1 : NULL;
}

int posix_open_fifo(const struct posix_place *place, int flags, struct posix_description *made)
{
    const int mode = flags & O_ACCMODE;
    size_t length;
    const char *const name = name_of(place, &length);
    ssize_t opened;
    /* An end is for one of both. */
    if (mode == O_RDWR)
        return -EINVAL;
    if (!name)
        return -ENAMETOOLONG;
    /* With O_NONBLOCK who reads need not wait for who writes, and who writes does not want to. */
    opened = ask(place->server, mode == O_RDONLY ? PIPE_OPEN_READ : PIPE_OPEN_WRITE | patience(made), 0, name, length,
                 &made->number, sizeof made->number);
    if (opened < 0)
        return (int)opened;
    made->operations = &posix_pipe_end;
    if (flags & O_NONBLOCK)
        return 0;
    opened = ask(place->server, PIPE_MEET, made->number, NULL, 0, NULL, 0);
    if (opened < 0)
        close_pipe(made);
    return (int)opened;
}

int posix_look_at_fifo(const struct posix_place *place)
{
    size_t length;
    const char *const name = name_of(place, &length);
    uint32_t capacity = 0;
    const ssize_t error = !name ? -ENAMETOOLONG : ask(place->server, PIPE_LOOK, 0, name, length, &capacity, sizeof capacity);
    return error < 0 ? (int)error : (int)capacity;
}

/* Makes a pipe of as many bytes as the server has for one, of that name or none; its number, if it has none. */
static int make(riposte_connection_t server, const char *name, size_t length, uint32_t *number)
{
    uint32_t capacity = PIPE_LARGEST;
    ssize_t made;
    do
        made = ask(server, length ? PIPE_MAKE : PIPE_MAKE_UNNAMED, capacity, name, length, number,
                   length ? 0 : sizeof *number);
    while (made == -ENOSPC && (capacity /= 2) != 0);
    return made < 0 ? (int)made : 0;
}

static int make_fifo(const char *path)
{
    struct posix_place place;
    struct stat is;
    size_t length;
    const char *name;
    int error = -posix_find(path, &place);
    if (error)
        return error;
    if (place.realm == REALM_PIPES && place.rest[1]) {
        name = name_of(&place, &length);
        error = !name ? -ENAMETOOLONG : make(place.server, name, length, NULL);
        /* As many as this process may make are made. */
        if (error == -EMFILE)
            error = -ENOSPC;
    } else {
        error = place.realm == REALM_FILES ? (int)posix_ask_of(&place, FILES_MAKE_FIFO, NULL, 0) : -ENOSYS;
    }
    if (error == -ENOSYS) {
        error = posix_stat_of(&place, &is);
        /* There are none elsewhere. */
        error = !error ? -EEXIST : error == -ENOENT ? -ENOTSUP : error;
    }
    posix_leave(&place);
    return error;
}

int mkfifo(const char *path, mode_t mode)
{
    (void)mode;
    return (int)posix_result(make_fifo(path));
}

static int open_end(riposte_connection_t server, uint32_t pipe, int mode, struct posix_description *made)
{
    const ssize_t opened = ask(server, mode == O_RDONLY ? PIPE_OPEN_READ : PIPE_OPEN_WRITE, pipe, NULL, 0,
                               &made->number, sizeof made->number);
    if (opened < 0)
        return (int)opened;
    made->operations = &posix_pipe_end;
    made->server = server;
    made->flags = (uint32_t)mode;
    made->pipe = pipe;
    return 0;
}

/* Who has this process's pipes: the server of pipes, or else that of files, which may have some. */
static riposte_error_t connect_pipes(riposte_connection_t *server)
{
    const riposte_error_t error = riposte_connect("pipes", server);
    return error == RIPOSTE_ERROR_NOT_PERMITTED ? riposte_connect("files", server) : error;
}

int posix_open_end(uint32_t pipe, int mode, struct posix_description *made)
{
    riposte_connection_t server;
    if (connect_pipes(&server) != RIPOSTE_OK)
        return -EIO;
    return open_end(server, pipe, mode, made);
}

void posix_expect(const struct posix_description *open, uint32_t child)
{
    const uint32_t who[2] = {(open->flags & O_ACCMODE) == O_RDONLY ? 0 : 1, child};
    ask(open->server, PIPE_EXPECT, open->pipe, who, sizeof who, NULL, 0);
}

static int make_pipe(int descriptors[2])
{
    struct posix_description *ends[2], made[2] = {{0}, {0}};
    riposte_connection_t server;
    uint32_t number = 0;
    int error, both[2];
    const riposte_error_t connected = connect_pipes(&server);
    if (connected == RIPOSTE_ERROR_NOT_PERMITTED)
        return -ENOSYS;
    if (connected != RIPOSTE_OK)
        return -posix_error_of(connected);
    both[0] = posix_reserve(0, 0, &ends[0]);
    if (both[0] < 0)
        return both[0];
    both[1] = posix_reserve(0, 0, &ends[1]);
    if (both[1] < 0) {
        posix_give_up(both[0], ends[0]);
        return both[1];
    }
    error = make(server, NULL, 0, &number);
    if (error == -ENOTSUP)
        error = -ENOSYS;
    if (error) {
        posix_give_up(both[0], ends[0]);
        posix_give_up(both[1], ends[1]);
        return error;
    }
    error = open_end(server, number, O_RDONLY, &made[0]);
    if (!error) {
        error = open_end(server, number, O_WRONLY, &made[1]);
        if (error)
            close_pipe(&made[0]);
    }
    if (error) {
        ask(server, PIPE_REMOVE, number, NULL, 0, NULL, 0);
        posix_give_up(both[0], ends[0]);
        posix_give_up(both[1], ends[1]);
        return error;
    }
    posix_open_as(ends[0], &made[0]);
    posix_open_as(ends[1], &made[1]);
    descriptors[0] = both[0];
    descriptors[1] = both[1];
    return 0;
}

int pipe(int descriptors[2])
{
    return (int)posix_result(make_pipe(descriptors));
}

/* What a path or a descriptor has of limits. */
static long limit(int name, long buffer)
{
    switch (name) {
    case _PC_NAME_MAX:
        return FILES_NAME;
    case _PC_PATH_MAX:
        return LONGEST_PATH + 1;
    case _PC_PIPE_BUF:
        return buffer;
    case _PC_LINK_MAX:
        return 1;
    case _PC_NO_TRUNC:
    case _PC_CHOWN_RESTRICTED:
        return 1;
    case _PC_MAX_CANON:
    case _PC_MAX_INPUT:
        return 256;
    default:
        return -EINVAL;
    }
}

static long of_path(const char *path, int name)
{
    struct posix_place place;
    struct stat is;
    long result = -posix_find(path, &place);
    if (result)
        return result;
    result = posix_stat_of(&place, &is);
    if (!result)
        result = S_ISFIFO(is.st_mode) ? posix_look_at_fifo(&place) : PIPE_BUF;
    posix_leave(&place);
    return result < 0 ? result : limit(name, result);
}

long pathconf(const char *path, int name)
{
    return posix_result(of_path(path, name));
}

static long of_descriptor(int descriptor, int name)
{
    struct posix_description *open;
    const int error = posix_use(descriptor, &open);
    if (error)
        return error;
    posix_done(open);
    return limit(name, PIPE_BUF);
}

long fpathconf(int descriptor, int name)
{
    return posix_result(of_descriptor(descriptor, name));
}

int posix_remove_fifo(const struct posix_place *place)
{
    size_t length;
    const char *const name = name_of(place, &length);
    return (int)ask(place->server, PIPE_REMOVE, 0, name, length, NULL, 0);
}
