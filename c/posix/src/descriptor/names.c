/* What is done with a path: what it leads to is looked at, made, removed, or gets another name. */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../posix.h"
#include "files.h"
#include "path.h"
#include "pipes.h"

static int do_stat(const char *path, struct stat *stat)
{
    struct posix_place place;
    int error = -posix_find(path, &place);
    if (error)
        return error;
    error = posix_stat_of(&place, stat);
    posix_leave(&place);
    return error;
}

int stat(const char *__restrict path, struct stat *__restrict stat)
{
    return (int)posix_result(do_stat(path, stat));
}

/* There are no links. */
int lstat(const char *__restrict path, struct stat *__restrict stat)
{
    return (int)posix_result(do_stat(path, stat));
}

static int make_directory(const char *path)
{
    struct posix_place place;
    struct stat is;
    int error = -posix_find(path, &place);
    if (error)
        return error;
    if (place.realm == REALM_FILES) {
        error = (int)posix_ask_of(&place, FILES_MAKE_DIRECTORY, NULL, 0);
    } else {
        error = posix_stat_of(&place, &is);
        /* There are none elsewhere. */
        error = !error ? -EEXIST : error == -ENOENT ? -ENOTSUP : error;
    }
    posix_leave(&place);
    return error;
}

int mkdir(const char *path, mode_t mode)
{
    (void)mode;
    return (int)posix_result(make_directory(path));
}

/* What the last name of a path is, without slashes behind it. */
static bool ends_with_dot(const char *path)
{
    size_t length = strlen(path);
    while (length && path[length - 1] == '/')
        length--;
    return length && path[length - 1] == '.' && (length == 1 || path[length - 2] == '/');
}

/* Removes a directory, or what is none. */
static int remove_path(const char *path, bool directory)
{
    struct posix_place place;
    struct stat stat;
    int error = -posix_find(path, &place);
    if (error)
        return error;
    if (directory && ends_with_dot(path))
        error = -EINVAL;
    if (!error)
        error = posix_stat_of(&place, &stat);
    if (!error && directory != (S_ISDIR(stat.st_mode) != 0))
        error = directory ? -ENOTDIR : -EPERM;
    if (!error && place.realm == REALM_PIPES && place.rest[1])
        error = posix_remove_fifo(&place);
    /* What the manifest has put there stays. */
    else if (!error && (place.realm != REALM_FILES || !place.rest[1]))
        error = -EBUSY;
    else if (!error)
        error = (int)posix_ask_of(&place, FILES_REMOVE, NULL, 0);
    posix_leave(&place);
    return error;
}

int unlink(const char *path)
{
    return (int)posix_result(remove_path(path, false));
}

int rmdir(const char *path)
{
    return (int)posix_result(remove_path(path, true));
}

int remove(const char *path)
{
    int error = remove_path(path, false);
    if (error == -EPERM)
        error = remove_path(path, true);
    return (int)posix_result(error);
}

static int rename_to(const struct posix_place *from, const struct posix_place *to)
{
    uint32_t head[3] = {FILES_RENAME, 0, strlen(from->rest)};
    const riposte_part_t parts[3] = {
        {head, sizeof head},
        {(void *)(uintptr_t)from->rest, head[2]},
        {(void *)(uintptr_t)to->rest, strlen(to->rest)},
    };
    riposte_reply_t reply;
    riposte_error_t error;
    struct stat is;
    uint64_t masked;
    if (from->realm != REALM_FILES || to->realm != REALM_FILES) {
        const int there = posix_stat_of(from, &is);
        return there ? there : from->realm == to->realm ? -EBUSY : -EXDEV;
    }
    if (!posix_is_same_server(from, to))
        return -EXDEV;
    masked = posix_hold_signals();
    error = riposte_send_vector_until(from->server, parts, 3, NULL, 0, RIPOSTE_FOREVER, &reply);
    posix_release_signals(masked);
    if (error != RIPOSTE_OK)
        return -posix_error_of(error);
    return reply.status ? posix_refusal(reply.status) : 0;
}

static int do_rename(const char *from, const char *to)
{
    struct posix_place old, new;
    int error = -posix_find(from, &old);
    if (error)
        return error;
    error = -posix_find(to, &new);
    if (!error) {
        if (ends_with_dot(from) || ends_with_dot(to))
            error = -EINVAL;
        else
            error = rename_to(&old, &new);
        posix_leave(&new);
    }
    posix_leave(&old);
    return error;
}

int rename(const char *from, const char *to)
{
    return (int)posix_result(do_rename(from, to));
}

/* Whether a file or a FIFO can be written only its server knows: it is asked to open it. A FIFO it then does not open. */
static int may_write(const struct posix_place *place)
{
    uint32_t number[1], request[2];
    const ssize_t opened =
        posix_ask_of(place, FILES_OPEN | FILES_OPTION_WRITE << FILES_SHIFT, number, sizeof number);
    if (opened < 0)
        return opened == -ENXIO ? 0 : (int)opened;
    request[0] = FILES_CLOSE;
    request[1] = number[0];
    return (int)posix_ask(place->server, request, sizeof request, NULL, 0);
}

static int do_access(const char *path, int wanted)
{
    struct posix_place place;
    struct stat stat;
    int error;
    if (wanted & ~(R_OK | W_OK | X_OK))
        return -EINVAL;
    error = -posix_find(path, &place);
    if (error)
        return error;
    error = posix_stat_of(&place, &stat);
    if (!error && wanted & X_OK && !S_ISDIR(stat.st_mode))
        error = -EACCES;
    if (!error && wanted & W_OK && place.realm == REALM_FILES && (S_ISREG(stat.st_mode) || S_ISFIFO(stat.st_mode)))
        error = may_write(&place);
    posix_leave(&place);
    return error;
}

int access(const char *path, int wanted)
{
    return (int)posix_result(do_access(path, wanted));
}

int truncate(const char *path, off_t size)
{
    struct stat is;
    int descriptor, result, error;
    if (stat(path, &is))
        return -1;
    /* Who opens a FIFO would wait. */
    if (S_ISFIFO(is.st_mode))
        return (int)posix_result(-EINVAL);
    descriptor = posix_open(path, O_WRONLY);
    if (descriptor < 0)
        return -1;
    result = ftruncate(descriptor, size);
    error = errno;
    posix_close(descriptor);
    if (result)
        errno = error;
    return result;
}

static int do_space(const char *path, struct statvfs *space)
{
    struct posix_place place;
    struct stat is;
    int error = -posix_find(path, &place);
    if (error)
        return error;
    error = posix_stat_of(&place, &is);
    if (!error)
        error = place.realm == REALM_FILES ? posix_space_of(place.server, place.device, space) : -ENOSYS;
    posix_leave(&place);
    return error;
}

int statvfs(const char *restrict path, struct statvfs *restrict space)
{
    return (int)posix_result(do_space(path, space));
}

static mode_t mask = S_IWGRP | S_IWOTH;

/* Nothing has permissions that it could take away. */
mode_t umask(mode_t new)
{
    const mode_t before = mask;
    mask = new & 0777;
    return before;
}
