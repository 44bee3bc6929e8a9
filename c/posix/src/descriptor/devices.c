/* What is no file: the console, what takes all and gives nothing, and the directory above all others. */

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../posix.h"
#include "files.h"
#include "path.h"

/* Longest text that reaches the console server as one message, in bytes. */
#define CONSOLE_LINE 256

/* A request to the console server, as user/src/console/protocol.rs has it: what no text begins with, a line, and if it is
 * there already. */
#define CONSOLE_REQUEST UINT32_C(0x6B7361FF)
#define CONSOLE_READ_LINE 0
#define CONSOLE_TRY (1 << 8)
/* Of its statuses: as many wait as can, and nothing is there. */
#define CONSOLE_TOO_MANY_READERS 2
#define CONSOLE_NOTHING 3

/* Asks for a line, or as much of it as there is room for; without room, whether there is one. What is not taken stays with
 * the server, so that a handler which reads meanwhile, or looks, finds all of it. A call that a cancellation ends. */
static ssize_t ask_for_line(void *text, size_t room, riposte_deadline_t deadline)
{
    const bool waits = deadline != RIPOSTE_IMMEDIATE;
    const uint32_t request[3] = {CONSOLE_REQUEST, CONSOLE_READ_LINE | (waits ? 0 : CONSOLE_TRY), (uint32_t)room};
    riposte_connection_t console;
    riposte_reply_t reply;
    riposte_error_t error;
    begin_wait();
    do {
        /* It is the server who does not wait. */
        const uint64_t masked = waits ? 0 : posix_hold_signals();
        /* One that was restarted is found again. */
        error = riposte_connect("console", &console);
        if (error == RIPOSTE_OK)
            error = riposte_send_until(console, request, sizeof request, text, room, waits ? deadline : RIPOSTE_FOREVER,
                                       &reply);
        if (!waits)
            posix_release_signals(masked);
        /* Who only looks returns to say so, whatever the handler is. */
    } while (error == RIPOSTE_ERROR_INTERRUPTED && AGAIN(room != 0));
    if (error == RIPOSTE_ERROR_TIMED_OUT || error == RIPOSTE_ERROR_WOULD_BLOCK)
        return -EAGAIN;
    if (error != RIPOSTE_OK)
        return error == RIPOSTE_ERROR_INTERRUPTED ? -EINTR : -EIO;
    if (reply.status == CONSOLE_TOO_MANY_READERS)
        return waits ? -ENOBUFS : -EAGAIN;
    if (reply.status == CONSOLE_NOTHING)
        return -EAGAIN;
    return reply.status ? -EIO : (ssize_t)reply.length;
}

static ssize_t read_console(struct posix_description *open, void *buffer, size_t length)
{
    const riposte_deadline_t deadline = open->flags & O_NONBLOCK ? RIPOSTE_IMMEDIATE : RIPOSTE_FOREVER;
    return length ? ask_for_line(buffer, length < CONSOLE_LINE ? length : CONSOLE_LINE, deadline) : 0;
}

int posix_console_wait(riposte_deadline_t deadline)
{
    const int error = (int)ask_for_line(NULL, 0, deadline);
    return error == -ENOBUFS ? -EAGAIN : error;
}

static int ready_console(struct posix_description *open)
{
    const int error = posix_console_wait(RIPOSTE_IMMEDIATE);
    (void)open;
    /* What a read would be told at once is no waiting. */
    return POLLOUT | (error == -EAGAIN ? 0 : POLLIN);
}

/* How many of these bytes are one piece: no letter of UTF-8 lies across two, of which the console would show neither half. */
static size_t piece_of(const char *bytes, size_t length)
{
    size_t piece = CONSOLE_LINE;
    if (length <= piece)
        return length;
    while (piece > CONSOLE_LINE - 3 && (bytes[piece] & 0xC0) == 0x80)
        piece--;
    return piece;
}

/* A console server that was restarted is found again. */
static ssize_t write_console(struct posix_description *open, const void *bytes, size_t length)
{
    size_t done = 0;
    (void)open;
    begin_wait();
    while (done < length) {
        const size_t part = piece_of((const char *)bytes + done, length - done);
        riposte_connection_t console;
        riposte_error_t error = riposte_connect("console", &console);
        if (error == RIPOSTE_OK)
            do
                error = riposte_send(console, (const char *)bytes + done, part, NULL, 0, NULL);
            while (error == RIPOSTE_ERROR_INTERRUPTED && AGAIN(true));
        /* Without a console nobody misses it. */
        if (error == RIPOSTE_ERROR_NOT_PERMITTED)
            return (ssize_t)length;
        if (error != RIPOSTE_OK)
            return done ? (ssize_t)done : -posix_error_of(error);
        done += part;
    }
    return (ssize_t)done;
}

static int stat_device(struct posix_description *open, struct stat *stat)
{
    const uint32_t words[4] = {FILES_KIND_CONSOLE, 0, 0, 0};
    posix_fill_stat(stat, words, open->device);
    return 0;
}

const struct posix_operations posix_console = {
    .kind = S_IFCHR,
    .read = read_console,
    .write = write_console,
    .stat = stat_device,
    .ready = ready_console,
};

static ssize_t read_null(struct posix_description *open, void *buffer, size_t length)
{
    (void)open, (void)buffer, (void)length;
    return 0;
}

static ssize_t write_null(struct posix_description *open, const void *bytes, size_t length)
{
    (void)open, (void)bytes;
    return (ssize_t)length;
}

const struct posix_operations posix_null = {
    .kind = S_IFCHR,
    .read = read_null,
    .write = write_null,
    .stat = stat_device,
};

static ssize_t read_root(struct posix_description *open, void *buffer, size_t length)
{
    (void)open, (void)buffer, (void)length;
    return -EISDIR;
}

static ssize_t write_root(struct posix_description *open, const void *bytes, size_t length)
{
    (void)open, (void)bytes, (void)length;
    return -EBADF;
}

static off_t seek_root(struct posix_description *open, off_t offset, int whence)
{
    if (offset || whence != SEEK_SET)
        return -EINVAL;
    if (open->number != UINT32_MAX)
        open->number = 0;
    return 0;
}

static int stat_root(struct posix_description *open, struct stat *stat)
{
    const uint32_t words[4] = {FILES_KIND_DIRECTORY, 0, 0, 0};
    posix_fill_stat(stat, words, open->device);
    return 0;
}

static int list_root(struct posix_description *open, struct dirent *entry)
{
    const char *const name = open->number == UINT32_MAX ? NULL : posix_top(open->number);
    if (!name)
        return 0;
    /* The position is in the description itself. */
    open->number++;
    entry->d_ino = (ino_t)open->number;
    strcpy(entry->d_name, name);
    return 1;
}

const struct posix_operations posix_root = {
    .kind = S_IFDIR,
    .read = read_root,
    .write = write_root,
    .seek = seek_root,
    .stat = stat_root,
    .list = list_root,
};
