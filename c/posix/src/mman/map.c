/* Mappings: of a region, which is where it is; of an object, which comes to be there; of a file a copy, since no memory here
 * is filled when it is touched. */

#include "mman.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../posix.h"
#include "object.h"

/* What is given back by munmap. */
struct mapping {
    struct mapping *next;
    void *memory;
    size_t length;
    /* Whose memory it is; NULL of a copy. */
    struct posix_object *object;
};

/* All of them, under the lock. */
static struct mapping *mappings;
static riposte_mutex_t lock = RIPOSTE_MUTEX;

/* What is wrong with a mapping, whatever it is of; 0 if nothing. */
static int check(size_t length, int protection, int flags, off_t offset)
{
    const int kind = flags & (MAP_SHARED | MAP_PRIVATE);
    if (length == 0 || offset < 0 || offset % PAGESIZE)
        return -EINVAL;
    if (kind != MAP_SHARED && kind != MAP_PRIVATE)
        return -EINVAL;
    if (flags & ~kind)
        return -ENOTSUP;
    return protection == PROT_READ || protection == PROT_WRITE || protection == (PROT_READ | PROT_WRITE) ? 0 : -ENOTSUP;
}

/* Room for a copy, of zeros. */
static int make(size_t length, struct mapping **made)
{
    struct mapping *const copy = malloc(sizeof *copy);
    if (!copy)
        return -ENOMEM;
    copy->memory = calloc(length, 1);
    if (!copy->memory) {
        free(copy);
        return -ENOMEM;
    }
    copy->length = length;
    copy->object = NULL;
    *made = copy;
    return 0;
}

static void drop(struct mapping *mapping)
{
    if (mapping->object)
        posix_object_unmap(mapping->object);
    else
        free(mapping->memory);
    free(mapping);
}

static int keep(struct mapping *mapping, void **mapped)
{
    if (!posix_take(&lock)) {
        drop(mapping);
        return -ENOMEM;
    }
    mapping->next = mappings;
    mappings = mapping;
    riposte_mutex_unlock(&lock);
    *mapped = mapping->memory;
    return 0;
}

/* Copies what the file is now. What lies behind its end is zeros. */
static int map_file(struct posix_description *open, size_t length, int flags, off_t offset, void **mapped)
{
    struct mapping *copy;
    size_t done = 0;
    ssize_t count;
    int error;
    if (!open->operations->read_at || flags & MAP_SHARED)
        return -ENODEV;
    error = make(length, &copy);
    if (error)
        return error;
    /* What was read in front of an error comes without it: the next read tells whether that was the file's end. */
    do {
        count = open->operations->read_at(open, (char *)copy->memory + done, length - done, offset + (off_t)done);
        if (count > 0)
            done += (size_t)count;
    } while (count > 0 && done < length);
    if (count >= 0)
        return keep(copy, mapped);
    drop(copy);
    return (int)count;
}

static int copy_of(const void *memory, size_t length, void **mapped)
{
    struct mapping *copy;
    const int error = make(length, &copy);
    if (error)
        return error;
    memcpy(copy->memory, memory, length);
    return keep(copy, mapped);
}

static int map_shared(const struct posix_description *open, size_t length, int protection, int flags, off_t offset,
                      void **mapped)
{
    void *memory;
    size_t size;
    bool is_writable;
    if (!posix_shared_at(open, &memory, &size, &is_writable))
        return -ENODEV;
    if ((size_t)offset > size || length > size - (size_t)offset)
        return -ENXIO;
    memory = (char *)memory + offset;
    if (flags & MAP_SHARED) {
        *mapped = memory;
        return protection & PROT_WRITE && !is_writable ? -EACCES : 0;
    }
    return copy_of(memory, length, mapped);
}

static int map_object(const struct posix_description *open, size_t length, int protection, int flags, off_t offset,
                      void **mapped)
{
    const bool is_shared = flags & MAP_SHARED, writes = is_shared && protection & PROT_WRITE;
    struct mapping *mapping;
    struct posix_object *object;
    void *memory;
    size_t size;
    int error;
    if (writes && (open->flags & O_ACCMODE) != O_RDWR)
        return -EACCES;
    error = posix_object_map(open, writes, &memory, &size, &object);
    if (error)
        return error;
    mapping = is_shared ? malloc(sizeof *mapping) : NULL;
    if ((size_t)offset > size || length > size - (size_t)offset)
        error = -ENXIO;
    else if (!is_shared)
        error = copy_of((char *)memory + offset, length, mapped);
    else if (!mapping)
        error = -ENOMEM;
    if (error || !is_shared) {
        free(mapping);
        posix_object_unmap(object);
        return error;
    }
    *mapping = (struct mapping){.memory = (char *)memory + offset, .length = length, .object = object};
    return keep(mapping, mapped);
}

static int map(size_t length, int protection, int flags, int descriptor, off_t offset, void **mapped)
{
    struct posix_description *open;
    int error = check(length, protection, flags, offset);
    if (error)
        return error;
    error = posix_use(descriptor, &open);
    if (error)
        return error;
    if ((open->flags & O_ACCMODE) == O_WRONLY)
        error = -EACCES;
    else if (&posix_shared && open->operations == &posix_shared)
        error = map_shared(open, length, protection, flags, offset, mapped);
    else if (&posix_object && open->operations == &posix_object)
        error = map_object(open, length, protection, flags, offset, mapped);
    else
        error = map_file(open, length, flags, offset, mapped);
    posix_done(open);
    return error;
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset)
{
    void *mapped = MAP_FAILED;
    /* Where it would like to have it is a hint. */
    (void)address;
    if (posix_result(map(length, protection, flags, descriptor, offset, &mapped)))
        return MAP_FAILED;
    return mapped;
}

/* Takes the mapping that begins there out of the list: of several of one object the one of this length. A part of one is not
 * given back. The caller has the lock. */
static int take_out(const char *address, size_t length, struct mapping **taken)
{
    struct mapping **best = NULL, **at;
    bool is_part = false;
    for (at = &mappings; *at; at = &(*at)->next) {
        const struct mapping *const mapping = *at;
        const char *const memory = mapping->memory;
        const bool is_beside =
            address >= memory + mapping->length || (address < memory && length <= (size_t)(memory - address));
        if (is_beside)
            continue;
        if (address != memory || length < mapping->length)
            is_part = true;
        else if (!best || mapping->length > (*best)->length)
            best = at;
    }
    if (!best)
        return is_part ? -EINVAL : 0;
    *taken = *best;
    *best = (*best)->next;
    return 0;
}

static int unmap(void *address, size_t length)
{
    struct mapping *taken = NULL;
    int error;
    /* MAP_FAILED, for one, is beyond all memory. */
    if (length == 0 || length > UINTPTR_MAX - (uintptr_t)address)
        return -EINVAL;
    if (!posix_take(&lock))
        return -EINVAL;
    error = take_out(address, length, &taken);
    riposte_mutex_unlock(&lock);
    if (taken)
        drop(taken);
    return error;
}

int munmap(void *address, size_t length)
{
    return (int)posix_result(unmap(address, length));
}
