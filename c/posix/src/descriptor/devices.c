/* What is no file: the console, what takes all and gives nothing, and the directory above all others. */

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "path.h"

/* Longest text that reaches the console server as one message, in bytes. */
#define CONSOLE_LINE 256

static ssize_t read_console(struct posix_description *open, void *buffer, size_t length)
{
    char line[CONSOLE_LINE + 1];
    size_t count = 0;
    riposte_error_t error;
    (void)open;
    if (!length)
        return 0;
    /* The library ends a line with a zero. */
    error = riposte_console_read_line(line, length < CONSOLE_LINE ? length + 1 : sizeof line, &count);
    if (error != RIPOSTE_OK)
        return error == RIPOSTE_ERROR_INTERRUPTED ? -EINTR : -EIO;
    memcpy(buffer, line, count);
    return (ssize_t)count;
}

/* A console server that was restarted is found again. */
static ssize_t write_console(struct posix_description *open, const void *bytes, size_t length)
{
    size_t done = 0;
    (void)open;
    while (done < length) {
        const size_t part = length - done < CONSOLE_LINE ? length - done : CONSOLE_LINE;
        riposte_connection_t console;
        riposte_error_t error = riposte_connect("console", &console);
        if (error == RIPOSTE_OK)
            error = riposte_send(console, (const char *)bytes + done, part, NULL, 0, NULL);
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
    S_IFCHR, read_console, write_console, NULL, stat_device, NULL, NULL, NULL, NULL,
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
    S_IFCHR, read_null, write_null, NULL, stat_device, NULL, NULL, NULL, NULL,
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
    S_IFDIR, read_root, write_root, seek_root, stat_root, NULL, NULL, list_root, NULL,
};
