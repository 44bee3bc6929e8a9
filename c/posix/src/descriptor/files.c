/* Files and directories: each call is a request to their server, which has the position. */

#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../posix.h"
#include "protocol.h"

ssize_t posix_ask(riposte_connection_t server, const void *request, size_t length, void *answer, size_t room)
{
    riposte_reply_t reply;
    /* Without its answer a file would be open for nobody, or a position have moved. */
    const uint64_t masked = posix_hold_signals();
    const riposte_error_t error = riposte_send(server, request, length, answer, room, &reply);
    posix_release_signals(masked);
    if (error != RIPOSTE_OK)
        return -posix_error_of(error);
    return reply.status ? posix_refusal(reply.status) : (ssize_t)reply.length;
}

void posix_fill_stat(struct stat *stat, const uint32_t words[4], uint8_t device)
{
    memset(stat, 0, sizeof *stat);
    switch (words[0] & ~(uint32_t)FILES_KIND_REMOVED) {
    case FILES_KIND_FILE:
        stat->st_mode = S_IFREG | S_IRUSR | S_IWUSR;
        break;
    case FILES_KIND_DIRECTORY:
        stat->st_mode = S_IFDIR | S_IRUSR | S_IWUSR | S_IXUSR;
        break;
    case FILES_KIND_PIPE:
        stat->st_mode = S_IFIFO | S_IRUSR | S_IWUSR;
        break;
    default:
        stat->st_mode = S_IFCHR | S_IRUSR | S_IWUSR;
    }
    stat->st_size = words[2] || words[1] > LONG_MAX ? LONG_MAX : (off_t)words[1];
    stat->st_ino = (ino_t)words[3];
    stat->st_dev = device;
    stat->st_nlink = words[0] & FILES_KIND_REMOVED ? 0 : 1;
    stat->st_blksize = FILES_LARGEST;
    stat->st_blocks = (blkcnt_t)((words[1] + S_BLKSIZE - 1) / S_BLKSIZE);
}

/* A request about what is open, with words behind it; how many bytes the answer has. */
static ssize_t ask(struct posix_description *open, uint32_t operation, const uint32_t *words, size_t count,
                   void *answer, size_t room)
{
    uint32_t request[5] = {operation, open->number};
    for (size_t n = 0; n < count; n++)
        request[2 + n] = words[n];
    return posix_ask(open->server, request, (2 + count) * sizeof *request, answer, room);
}

/* What stands for the position of the open file itself, and for its end. */
#define ITS_OWN (-1)
#define ITS_END (-2)

/* Reads until there is enough, or no more. Of a server whose bytes come by and by only the first are waited for. */
static ssize_t read_at(struct posix_description *open, void *buffer, size_t length, off_t offset)
{
    const bool is_at = offset != ITS_OWN;
    size_t done = 0;
    while (done < length) {
        const uint32_t wanted = length - done < FILES_LARGEST ? length - done : FILES_LARGEST;
        const uint32_t words[3] = {wanted, (uint32_t)offset + (uint32_t)done, 0};
        const uint32_t operation = FILES_READ | (is_at ? FILES_AT : 0) | (done ? FILES_TRY : 0);
        const ssize_t count = ask(open, operation, words, is_at ? 3 : 1, (char *)buffer + done, wanted);
        if (count < 0)
            return done ? (ssize_t)done : count;
        if (!count)
            break;
        done += (size_t)count;
    }
    return (ssize_t)done;
}

static ssize_t read_file(struct posix_description *open, void *buffer, size_t length)
{
    return read_at(open, buffer, length, ITS_OWN);
}

static ssize_t write_piece(struct posix_description *open, const void *bytes, size_t length, off_t offset)
{
    const bool is_at = offset >= 0;
    const uint32_t at = is_at ? FILES_AT : offset == ITS_END ? FILES_AT_END : 0;
    uint32_t head[RIPOSTE_MESSAGE_BYTES / 4] = {FILES_WRITE | at, open->number, (uint32_t)offset}, written = 0;
    riposte_reply_t reply;
    const uint64_t masked = posix_hold_signals();
    const riposte_error_t error = posix_send_behind(open->server, head, is_at ? 16 : 8, bytes, length, &written,
                                                    sizeof written, RIPOSTE_FOREVER, &reply);
    posix_release_signals(masked);
    if (error != RIPOSTE_OK)
        return -posix_error_of(error);
    if (reply.status)
        return posix_refusal(reply.status);
    /* Whoever writes all goes by it, and of none would come to no end. */
    return written && written <= length ? (ssize_t)written : -EIO;
}

static off_t seek_file(struct posix_description *open, off_t offset, int whence)
{
    /* SEEK_SET, SEEK_CUR and SEEK_END have the numbers that the protocol has. */
    const uint32_t operation = FILES_SEEK | FILES_SMALL | (uint32_t)whence << FILES_SHIFT;
    const uint32_t words[2] = {(uint32_t)offset, offset < 0 ? UINT32_MAX : 0};
    uint32_t position[2] = {0, 0};
    const ssize_t length = ask(open, operation, words, 2, position, sizeof position);
    if (length < 0)
        return length;
    if (position[1] || position[0] > LONG_MAX)
        return -EOVERFLOW;
    return (off_t)position[0];
}

static int sync_file(struct posix_description *open)
{
    return (int)ask(open, FILES_SYNC, NULL, 0, NULL, 0);
}

/* Writes until all is written, or there is no room for more. */
static ssize_t write_at(struct posix_description *open, const void *bytes, size_t length, off_t offset)
{
    size_t done = 0;
    while (done < length) {
        const size_t wanted = length - done < FILES_LARGEST ? length - done : FILES_LARGEST;
        const ssize_t count = write_piece(open, (const char *)bytes + done, wanted,
                                          offset < 0 ? offset : offset + (off_t)done);
        if (count < 0 && !done)
            return count;
        if (count < 0)
            break;
        done += (size_t)count;
        if ((size_t)count < wanted)
            break;
    }
    if (open->flags & O_SYNC) {
        const int error = sync_file(open);
        if (error)
            return error;
    }
    return (ssize_t)done;
}

static ssize_t write_file(struct posix_description *open, const void *bytes, size_t length)
{
    return write_at(open, bytes, length, open->flags & O_APPEND && !open->appends ? ITS_END : ITS_OWN);
}

static int stat_file(struct posix_description *open, struct stat *stat)
{
    uint32_t words[4] = {0, 0, 0, 0};
    const ssize_t length = ask(open, FILES_GET_STAT, NULL, 0, words, sizeof words);
    if (length < 0)
        return (int)length;
    posix_fill_stat(stat, words, open->device);
    return 0;
}

static int truncate_file(struct posix_description *open, off_t size)
{
    const uint32_t words[2] = {(uint32_t)size, 0};
    return (int)ask(open, FILES_TRUNCATE, words, 2, NULL, 0);
}

int posix_space_of(riposte_connection_t server, uint8_t device, struct statvfs *space)
{
    const uint32_t request[2] = {FILES_SPACE, 0};
    /* Bytes of a block; blocks, in all and free; blocks that this process may still use, and entries. */
    uint32_t words[5] = {0};
    const ssize_t length = posix_ask(server, request, sizeof request, words, sizeof words);
    if (length < 0)
        return (int)length;
    memset(space, 0, sizeof *space);
    space->f_bsize = space->f_frsize = words[0];
    space->f_blocks = words[1];
    space->f_bfree = words[2];
    space->f_bavail = words[3];
    space->f_files = space->f_ffree = space->f_favail = words[4];
    space->f_fsid = device;
    space->f_namemax = FILES_NAME;
    return 0;
}

static int space_of_file(struct posix_description *open, struct statvfs *space)
{
    return posix_space_of(open->server, open->device, space);
}

static int list_directory(struct posix_description *open, struct dirent *entry)
{
    struct {
        uint32_t stat[FILES_STAT / 4];
        char name[FILES_NAME];
    } answer;
    const ssize_t length = ask(open, FILES_LIST, NULL, 0, &answer, sizeof answer);
    if (length < FILES_STAT)
        return (int)(length < 0 ? length : 0);
    entry->d_ino = (ino_t)answer.stat[3];
    memcpy(entry->d_name, answer.name, (size_t)length - FILES_STAT);
    entry->d_name[length - FILES_STAT] = '\0';
    return 1;
}

static int close_file(struct posix_description *open)
{
    return (int)ask(open, FILES_CLOSE, NULL, 0, NULL, 0);
}

const struct posix_operations posix_file = {
    .kind = 0,
    .read = read_file,
    .write = write_file,
    .read_at = read_at,
    .write_at = write_at,
    .seek = seek_file,
    .stat = stat_file,
    .truncate = truncate_file,
    .sync = sync_file,
    .space = space_of_file,
    .list = list_directory,
    .close = close_file,
};

int posix_open_plain(const char *path, int mode, struct posix_description *made)
{
    struct {
        uint32_t head[2];
        char path[FILES_PATH];
    } request = {{FILES_OPEN, 0}, ""};
    const uint32_t option = mode == O_RDONLY ? FILES_OPTION_READ : FILES_OPTION_WRITE | FILES_OPTION_APPEND;
    const size_t length = strlen(path);
    ssize_t opened;
    if (length > FILES_PATH)
        return -ENAMETOOLONG;
    if (riposte_connect("files", &made->server) != RIPOSTE_OK)
        return -EIO;
    request.head[0] |= option << FILES_SHIFT;
    memcpy(request.path, path, length);
    opened = posix_ask(made->server, &request, sizeof request.head + length, &made->number, sizeof made->number);
    if (opened < 0)
        return (int)opened;
    made->operations = &posix_file;
    made->flags = (uint32_t)mode | (mode == O_RDONLY ? 0 : O_APPEND);
    made->appends = mode != O_RDONLY;
    made->device = 1;
    return 0;
}
