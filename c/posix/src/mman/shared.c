/* Shared memory objects: the regions of the manifest, and those of the shared memory server. */

#include "mman.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "../named.h"
#include "../posix.h"
#include "object.h"

/* Of a region's description: its address stands where others have a server's number. */
bool posix_shared_at(const struct posix_description *open, void **memory, size_t *length, bool *is_writable)
{
    *memory = (void *)(uintptr_t)open->number;
    *length = open->pipe;
    *is_writable = (open->flags & O_ACCMODE) == O_RDWR;
    return true;
}

static ssize_t read_shared(struct posix_description *open, void *buffer, size_t length)
{
    (void)open, (void)buffer, (void)length;
    return -EINVAL;
}

static ssize_t write_shared(struct posix_description *open, const void *bytes, size_t length)
{
    (void)open, (void)bytes, (void)length;
    return -EINVAL;
}

static int stat_shared(struct posix_description *open, struct stat *stat)
{
    memset(stat, 0, sizeof *stat);
    stat->st_mode = S_IFREG | S_IRUSR | ((open->flags & O_ACCMODE) == O_RDWR ? S_IWUSR : 0);
    stat->st_size = (off_t)open->pipe;
    stat->st_ino = (ino_t)open->number;
    stat->st_nlink = 1;
    return 0;
}

/* It has its size, of which somebody may want less. */
static int truncate_shared(struct posix_description *open, off_t size)
{
    return (size_t)size <= open->pipe ? 0 : -EINVAL;
}

static int close_shared(struct posix_description *open)
{
    (void)open;
    return 0;
}

const struct posix_operations posix_shared = {
    .kind = S_IFREG,
    .read = read_shared,
    .write = write_shared,
    .stat = stat_shared,
    .truncate = truncate_shared,
    .close = close_shared,
};

/* The region of this name, or else the object: an error, or what stands for it. */
static int find(const char *name, int flags, struct posix_description *made)
{
    const int mode = flags & O_ACCMODE;
    void *memory;
    size_t length;
    bool is_writable;
    if ((mode != O_RDONLY && mode != O_RDWR) || (flags & O_TRUNC && mode != O_RDWR))
        return -EINVAL;
    name = posix_name(name);
    if (!name)
        return -errno;
    if (riposte_region(name, &memory, &length, &is_writable) != RIPOSTE_OK)
        return posix_object_open(name, flags, made);
    if (flags & O_CREAT && flags & O_EXCL)
        return -EEXIST;
    /* It has its size. */
    if (flags & O_TRUNC)
        return -EINVAL;
    if (mode == O_RDWR && !is_writable)
        return -EACCES;
    *made = (struct posix_description){
        .operations = &posix_shared, .number = (uint32_t)(uintptr_t)memory, .pipe = length, .flags = (uint32_t)mode};
    return 0;
}

static int open_shared(const char *name, int flags)
{
    struct posix_description *open, made;
    /* As the standard says: it is closed when the process becomes another one. */
    const int descriptor = posix_reserve(0, FD_CLOEXEC, &open);
    int error;
    if (descriptor < 0)
        return descriptor;
    error = find(name, flags, &made);
    if (error) {
        posix_give_up(descriptor, open);
        return error;
    }
    posix_open_as(open, &made);
    return descriptor;
}

int shm_open(const char *name, int flags, mode_t mode)
{
    (void)mode;
    return (int)posix_result(open_shared(name, flags));
}

int shm_unlink(const char *name)
{
    void *memory;
    size_t length;
    bool is_writable;
    name = posix_name(name);
    if (!name)
        return -1;
    /* The name of a region is the manifest's. */
    if (riposte_region(name, &memory, &length, &is_writable) == RIPOSTE_OK)
        return posix_fail(EACCES);
    return (int)posix_result(posix_object_unlink(name));
}
