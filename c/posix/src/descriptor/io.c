/* What is done with a descriptor: bytes, positions, what it is. */

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../posix.h"
#include "table.h"

/* The streams of stdio.c, where descriptors are linked. */
bool posix_write_all(int descriptor, const char *text, size_t length);
ssize_t posix_read_line(char *text, size_t room);

/* As posix_use, of a descriptor that was not opened for what is wanted if its mode is `refused`. */
static ssize_t use_unless(int refused, int descriptor, struct posix_description **open)
{
    const ssize_t error = posix_use(descriptor, open);
    if (error || ((*open)->flags & O_ACCMODE) != (unsigned)refused)
        return error;
    posix_done(*open);
    return -EBADF;
}

static ssize_t do_read(int descriptor, void *buffer, size_t length)
{
    struct posix_description *open;
    ssize_t count = use_unless(O_WRONLY, descriptor, &open);
    if (count)
        return count;
    count = open->operations->read(open, buffer, length > SSIZE_MAX ? SSIZE_MAX : length);
    posix_done(open);
    return count;
}

ssize_t posix_read(int descriptor, void *buffer, size_t length)
{
    return posix_result(do_read(descriptor, buffer, length));
}

ssize_t read(int descriptor, void *buffer, size_t length) __attribute__((alias("posix_read")));

static ssize_t do_write(int descriptor, const void *bytes, size_t length)
{
    struct posix_description *open;
    ssize_t count = use_unless(O_RDONLY, descriptor, &open);
    if (count)
        return count;
    count = open->operations->write(open, bytes, length > SSIZE_MAX ? SSIZE_MAX : length);
    posix_done(open);
    return count;
}

ssize_t posix_written(ssize_t result)
{
    if (result == -EPIPE) {
        /* A program without signals has no other action than the default one. */
        if (!posix_raise)
            riposte_exit(128 + SIGPIPE);
        posix_raise(SIGPIPE);
    }
    return posix_result(result);
}

ssize_t posix_write(int descriptor, const void *bytes, size_t length)
{
    return posix_written(do_write(descriptor, bytes, length));
}

ssize_t write(int descriptor, const void *bytes, size_t length) __attribute__((alias("posix_write")));

/* What is wrong with a read or write at a position, of what has some or none; 0 if nothing. */
static ssize_t check_position(const struct posix_description *open, bool has_positions, off_t offset)
{
    if (!has_positions)
        return S_ISDIR(open->operations->kind) ? -EISDIR : -ESPIPE;
    return offset < 0 ? -EINVAL : 0;
}

static ssize_t do_read_at(int descriptor, void *buffer, size_t length, off_t offset)
{
    struct posix_description *open;
    ssize_t count = use_unless(O_WRONLY, descriptor, &open);
    if (count)
        return count;
    count = check_position(open, open->operations->read_at != NULL, offset);
    if (!count)
        count = open->operations->read_at(open, buffer, length > SSIZE_MAX ? SSIZE_MAX : length, offset);
    posix_done(open);
    return count;
}

ssize_t pread(int descriptor, void *buffer, size_t length, off_t offset)
{
    return posix_result(do_read_at(descriptor, buffer, length, offset));
}

static ssize_t do_write_at(int descriptor, const void *bytes, size_t length, off_t offset)
{
    struct posix_description *open;
    ssize_t count = use_unless(O_RDONLY, descriptor, &open);
    if (count)
        return count;
    count = check_position(open, open->operations->write_at != NULL, offset);
    if (!count && length && offset > LONG_MAX - (off_t)(length > SSIZE_MAX ? SSIZE_MAX : length))
        count = -EFBIG;
    if (!count)
        count = open->operations->write_at(open, bytes, length, offset);
    posix_done(open);
    return count;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset)
{
    return posix_result(do_write_at(descriptor, bytes, length, offset));
}

static off_t do_seek(int descriptor, off_t offset, int whence)
{
    struct posix_description *open;
    off_t position = posix_use(descriptor, &open);
    if (position)
        return position;
    if (!open->operations->seek)
        position = -ESPIPE;
    else if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END)
        position = -EINVAL;
    else
        position = open->operations->seek(open, offset, whence);
    posix_done(open);
    return position;
}

off_t lseek(int descriptor, off_t offset, int whence)
{
    return posix_result(do_seek(descriptor, offset, whence));
}

static int do_stat(int descriptor, struct stat *stat)
{
    struct posix_description *open;
    int error = posix_use(descriptor, &open);
    if (error)
        return error;
    error = open->operations->stat(open, stat);
    posix_done(open);
    return error;
}

int fstat(int descriptor, struct stat *stat)
{
    return (int)posix_result(do_stat(descriptor, stat));
}

static int do_truncate(int descriptor, off_t size)
{
    struct posix_description *open;
    int error = posix_use(descriptor, &open);
    if (error)
        return error;
    if (size < 0 || !open->operations->truncate || (open->flags & O_ACCMODE) == O_RDONLY)
        error = -EINVAL;
    else
        error = open->operations->truncate(open, size);
    posix_done(open);
    return error;
}

int ftruncate(int descriptor, off_t size)
{
    return (int)posix_result(do_truncate(descriptor, size));
}

static int do_space(int descriptor, struct statvfs *space)
{
    struct posix_description *open;
    int error = posix_use(descriptor, &open);
    if (error)
        return error;
    error = open->operations->space ? open->operations->space(open, space) : -ENOSYS;
    posix_done(open);
    return error;
}

int fstatvfs(int descriptor, struct statvfs *space)
{
    return (int)posix_result(do_space(descriptor, space));
}

static int do_sync(int descriptor)
{
    struct posix_description *open;
    int error = posix_use(descriptor, &open);
    if (error)
        return error;
    error = open->operations->sync ? open->operations->sync(open) : -EINVAL;
    posix_done(open);
    return error;
}

int fsync(int descriptor)
{
    return (int)posix_result(do_sync(descriptor));
}

int fdatasync(int descriptor)
{
    return fsync(descriptor);
}

int isatty(int descriptor)
{
    struct posix_description *open;
    const int error = -posix_use(descriptor, &open);
    bool is_terminal;
    if (error) {
        errno = error;
        return 0;
    }
    is_terminal = open->operations == &posix_console;
    posix_done(open);
    if (!is_terminal)
        errno = ENOTTY;
    return is_terminal;
}

/* What was printed goes where the descriptor leads, whatever signals are handled meanwhile. What nobody takes is lost, and
 * it says so; the program goes on, unless SIGPIPE ends it. */
bool posix_write_all(int descriptor, const char *text, size_t length)
{
    while (length) {
        const ssize_t count = posix_write(descriptor, text, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        text += count;
        length -= (size_t)count;
    }
    return true;
}

ssize_t posix_read_line(char *text, size_t room)
{
    return posix_read(STDIN_FILENO, text, room);
}
