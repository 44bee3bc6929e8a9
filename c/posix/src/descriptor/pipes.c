/* Pipes and FIFOs: an open one is an end, whose number the server of pipes has given. */

#include "pipes.h"

#include <fcntl.h>
#include <string.h>

#include "files.h"

/* The requests, as servers/pipe/client/src/protocol.rs has them. */
enum { PIPE_OPEN_READ, PIPE_OPEN_WRITE, PIPE_CLOSE, PIPE_READ, PIPE_WRITE, PIPE_MAKE, PIPE_MAKE_UNNAMED, PIPE_REMOVE,
       PIPE_READY, PIPE_TRY = 1 << 8 };
#define PIPE_LARGEST 512
#define PIPE_NAME 16

/* What its statuses are, in their order. */
static const uint8_t errors[] = {
    0, ENOENT, EMFILE, EBADF, EPIPE, EAGAIN, EAGAIN, EINVAL, EEXIST, EMFILE, EPERM, EINVAL, EINVAL,
};

static ssize_t of_status(uint32_t status)
{
    return status < sizeof errors ? -(ssize_t)errors[status] : -EIO;
}

/* Sends a request with bytes behind it; how many bytes the answer has. */
static ssize_t ask(riposte_connection_t server, uint32_t operation, uint32_t number, const void *bytes, size_t length,
                   void *answer, size_t room)
{
    uint32_t head[2] = {operation, number};
    const riposte_part_t parts[2] = {{head, sizeof head}, {(void *)(uintptr_t)bytes, length}};
    const riposte_part_t into = {answer, room};
    riposte_reply_t reply = {0};
    const riposte_error_t error = riposte_send_vector_until(server, parts, length ? 2 : 1, &into, room ? 1 : 0,
                                                            RIPOSTE_FOREVER, &reply);
    if (error != RIPOSTE_OK)
        return -posix_error_of(error);
    return reply.status ? of_status(reply.status) : (ssize_t)reply.length;
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
        const size_t wanted = length - done <= PIPE_LARGEST ? length - done : PIPE_LARGEST;
        uint32_t written = 0;
        const ssize_t count = ask(open->server, PIPE_WRITE | patience(open), open->number, (const char *)bytes + done,
                                  wanted, &written, sizeof written);
        if (count < 0)
            return done ? (ssize_t)done : count;
        done += written;
    } while (done < length && !(open->flags & O_NONBLOCK));
    return (ssize_t)done;
}

static int stat_pipe(struct posix_description *open, struct stat *stat)
{
    const uint32_t words[4] = {FILES_KIND_PIPE, 0, 0, 0};
    posix_fill_stat(stat, words, open->device);
    return 0;
}

static int close_pipe(struct posix_description *open)
{
    return (int)ask(open->server, PIPE_CLOSE, open->number, NULL, 0, NULL, 0);
}

const struct posix_operations posix_pipe_end = {
    S_IFIFO, read_pipe, write_pipe, NULL, stat_pipe, NULL, NULL, NULL, close_pipe,
};

/* The name of a FIFO: what is behind the `/`. */
static const char *name_of(const struct posix_place *place, size_t *length)
{
    *length = strlen(place->rest + 1);
    return place->rest + 1;
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
    if (length > PIPE_NAME)
        return -ENAMETOOLONG;
    opened = ask(place->server, mode == O_RDONLY ? PIPE_OPEN_READ : PIPE_OPEN_WRITE, 0, name, length, &made->number,
                 sizeof made->number);
    if (opened < 0)
        return (int)opened;
    made->operations = &posix_pipe_end;
    return 0;
}

int posix_remove_fifo(const struct posix_place *place)
{
    size_t length;
    const char *const name = name_of(place, &length);
    return (int)ask(place->server, PIPE_REMOVE, 0, name, length, NULL, 0);
}
