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
/* Of its statuses: nothing is there. */
#define CONSOLE_NOTHING 3

/* The line that was read last, as far as it was not given yet: more than a read wanted, or what poll has found. */
static struct {
    riposte_mutex_t mutex;
    char text[CONSOLE_LINE];
    size_t length;
    size_t taken;
    /* A line of no bytes was read: the end of the input. */
    bool has_ended;
} typed;

/* Asks for a line: by a call that a cancellation ends. */
static riposte_error_t ask_for_line(riposte_deadline_t deadline, size_t *length)
{
    const bool waits = deadline != RIPOSTE_IMMEDIATE;
    const uint32_t request[3] = {CONSOLE_REQUEST, CONSOLE_READ_LINE | (waits ? 0 : CONSOLE_TRY), CONSOLE_LINE};
    riposte_connection_t console;
    riposte_reply_t reply = {0};
    /* A console server that was restarted is found again. It is the server who does not wait. */
    riposte_error_t error = riposte_connect("console", &console);
    if (error == RIPOSTE_OK)
        error = riposte_send_until(console, request, sizeof request, typed.text, CONSOLE_LINE,
                                   waits ? deadline : RIPOSTE_FOREVER, &reply);
    if (error == RIPOSTE_OK && reply.status)
        return reply.status == CONSOLE_NOTHING ? RIPOSTE_ERROR_WOULD_BLOCK : RIPOSTE_ERROR_NOT_PERMITTED;
    *length = reply.length;
    return error;
}

/* Takes the mutex; another thread that waits for a line may have it until then. */
static int take_line(riposte_deadline_t deadline)
{
    const riposte_error_t error = riposte_mutex_lock_until(&typed.mutex, deadline);
    if (error == RIPOSTE_ERROR_TIMED_OUT || error == RIPOSTE_ERROR_WOULD_BLOCK)
        return -EAGAIN;
    if (error != RIPOSTE_OK)
        return -EIO;
    posix_repair(&typed.mutex);
    return 0;
}

/* Waits for a line, if none is there. The caller has the mutex. */
static int fill(riposte_deadline_t deadline)
{
    riposte_error_t error;
    size_t length = 0;
    if (typed.taken < typed.length || typed.has_ended)
        return 0;
    begin_wait();
    do
        error = ask_for_line(deadline, &length);
    while (error == RIPOSTE_ERROR_INTERRUPTED && AGAIN(true));
    if (error == RIPOSTE_ERROR_TIMED_OUT || error == RIPOSTE_ERROR_WOULD_BLOCK)
        return -EAGAIN;
    if (error != RIPOSTE_OK)
        return error == RIPOSTE_ERROR_INTERRUPTED ? -EINTR : -EIO;
    typed.taken = 0;
    typed.length = length;
    typed.has_ended = !length;
    return 0;
}

static ssize_t read_console(struct posix_description *open, void *buffer, size_t length)
{
    const riposte_deadline_t deadline = open->flags & O_NONBLOCK ? RIPOSTE_IMMEDIATE : RIPOSTE_FOREVER;
    ssize_t count;
    if (!length)
        return 0;
    count = take_line(deadline);
    if (count)
        return count;
    count = fill(deadline);
    if (!count) {
        const size_t left = typed.length - typed.taken;
        count = (ssize_t)(left < length ? left : length);
        memcpy(buffer, typed.text + typed.taken, (size_t)count);
        typed.taken += (size_t)count;
        /* The end is told once: a person may go on. */
        typed.has_ended = false;
    }
    riposte_mutex_unlock(&typed.mutex);
    return count;
}

int posix_console_wait(riposte_deadline_t deadline)
{
    int error = take_line(deadline);
    if (error)
        return error;
    error = fill(deadline);
    riposte_mutex_unlock(&typed.mutex);
    return error;
}

static int ready_console(struct posix_description *open)
{
    const int error = posix_console_wait(RIPOSTE_IMMEDIATE);
    (void)open;
    /* What a read would be told at once is no waiting. */
    return POLLOUT | (error == -EAGAIN ? 0 : POLLIN);
}

/* A console server that was restarted is found again. */
static ssize_t write_console(struct posix_description *open, const void *bytes, size_t length)
{
    size_t done = 0;
    (void)open;
    begin_wait();
    while (done < length) {
        const size_t part = length - done < CONSOLE_LINE ? length - done : CONSOLE_LINE;
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
