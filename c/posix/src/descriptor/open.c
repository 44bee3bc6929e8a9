/* open: a path becomes a descriptor. */

#include <fcntl.h>
#include <unistd.h>

#include "files.h"
#include "path.h"
#include "pipes.h"

static int open_file(const struct posix_place *place, int flags, struct posix_description *made)
{
    const int mode = flags & O_ACCMODE;
    uint32_t option = 0, number;
    ssize_t length;
    if (mode != O_WRONLY)
        option |= FILES_OPTION_READ;
    if (mode != O_RDONLY)
        option |= FILES_OPTION_WRITE;
    if (flags & O_CREAT)
        option |= FILES_OPTION_CREATE | (flags & O_EXCL ? FILES_OPTION_EXCLUSIVE : 0);
    if (flags & O_TRUNC)
        option |= FILES_OPTION_TRUNCATE;
    if (flags & O_APPEND && mode != O_RDONLY) {
        option |= FILES_OPTION_APPEND;
        made->appends = true;
    }
    if (flags & O_DIRECTORY) {
        struct stat stat;
        const int error = posix_stat_of(place, &stat);
        if (error)
            return error;
        if (!S_ISDIR(stat.st_mode))
            return -ENOTDIR;
    }
    length = posix_ask_of(place, FILES_OPEN | option << FILES_SHIFT, &number, sizeof number);
    if (length == -ENXIO) {
        /* It is a FIFO: its end is where whoever writes goes on. */
        made->appends = false;
        return posix_open_fifo(place, flags, made);
    }
    if (length < 0)
        return (int)length;
    if (length != sizeof number)
        return -EIO;
    made->operations = &posix_file;
    made->number = number;
    return 0;
}

static int open_place(const struct posix_place *place, int flags, struct posix_description *made)
{
    const bool must_be_new = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    if (place->realm == REALM_FILES)
        return open_file(place, flags, made);
    if (place->realm == REALM_PIPES && place->rest[1]) {
        /* Before anybody is told of an end that there will not be. */
        const int found = must_be_new || flags & O_DIRECTORY ? posix_look_at_fifo(place) : -ENOENT;
        if (found >= 0)
            return must_be_new ? -EEXIST : -ENOTDIR;
        return found == -ENOENT ? posix_open_fifo(place, flags, made) : found;
    }
    if (must_be_new)
        return -EEXIST;
    if (place->realm == REALM_ROOT || place->realm == REALM_PIPES) {
        if ((flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT)
            return -EISDIR;
        made->operations = &posix_root;
        /* Pipes are not listed. */
        made->number = place->realm == REALM_ROOT ? 0 : UINT32_MAX;
        return 0;
    }
    if (flags & O_DIRECTORY)
        return -ENOTDIR;
    made->operations = place->realm == REALM_CONSOLE ? &posix_console : &posix_null;
    return 0;
}

static int open_path(const char *path, int flags)
{
    struct posix_description *open, made = {0};
    struct posix_place place;
    int error, descriptor;
    if ((flags & O_ACCMODE) == O_ACCMODE)
        return -EINVAL;
    /* First: what is refused for want of a descriptor has made no file. */
    descriptor = posix_reserve(0, flags & O_CLOEXEC ? FD_CLOEXEC : 0, &open);
    if (descriptor < 0)
        return descriptor;
    error = -posix_find(path, &place);
    if (!error) {
        made.server = place.server;
        made.device = place.device;
        made.flags = (uint32_t)flags & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC);
        error = open_place(&place, flags, &made);
        made.is_own_server = place.is_own_server;
        if (error)
            posix_leave(&place);
    }
    if (error) {
        posix_give_up(descriptor, open);
        return error;
    }
    posix_open_as(open, &made);
    return descriptor;
}

int posix_open(const char *path, int flags)
{
    return (int)posix_result(open_path(path, flags));
}

/* There are no permissions: the mode of what is created is not looked at. */
int open(const char *path, int flags, ...)
{
    return posix_open(path, flags);
}

int creat(const char *path, mode_t mode)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
