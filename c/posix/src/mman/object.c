/* Shared memory objects that are made while programs run. The shared memory server has their names and sizes; what it gives
 * is a handle of a region, which a process maps once, for all of its descriptors and mappings. */

#include "object.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "../named.h"
#include "../posix.h"

/* Most objects that a process has open or mapped at once. */
#define OBJECTS 8

/* The requests, as servers/shared-memory/client/src/protocol.rs has them. Its statuses are errno's. */
enum { MEMORY_OPEN, MEMORY_UNLINK, MEMORY_SIZE, MEMORY_RESIZE };
#define MEMORY_SHIFT 8
enum { MEMORY_OPTION_WRITE = 1, MEMORY_OPTION_CREATE = 2, MEMORY_OPTION_EXCLUSIVE = 4 };

struct posix_object {
    /* Its number at the server, which no other one has or had. */
    uint32_t number[2];
    /* Bytes that there are, as the server says; no more are used than are mapped. */
    uint32_t room;
    /* Its size when it had a name last. */
    uint32_t size;
    /* A handle, and whether that is to write, too; 0 if no descriptor is left. */
    riposte_region_handle_t region;
    bool may_write;
    /* Where it is mapped, how many bytes, and whether to be written. */
    bool is_mapped_to_write;
    void *memory;
    size_t length;
    /* Descriptions, and mappings. The place is free if there are neither. */
    uint16_t open;
    uint16_t mappings;
};

/* All of them, under the lock, which is never held while the server is asked. */
static struct posix_object objects[OBJECTS];
static struct posix_lock lock;
/* Who resizes one, and who is told of a size by the server, or tells it: the last one that it hears is the last one to keep it
 * here. Taken in this order, before the other one. */
static struct posix_lock resizing, sizing;

struct request {
    uint32_t head[2];
    char name[POSIX_NAME_LENGTH];
};

/* Asks the server, with bytes behind the request. What the answer brings are words; and a handle, if `region` is not NULL. */
static int ask(uint32_t word, uint32_t size, const void *bytes, size_t length, uint32_t words[4],
               riposte_region_handle_t *region)
{
    struct request request = {{word, size}, ""};
    const size_t whole = sizeof request.head + length;
    riposte_reply_t reply;
    /* Any handle comes as a connection. */
    riposte_connection_t server, brought = {0};
    riposte_error_t error = riposte_connect("shared-memory", &server);
    uint64_t masked;
    if (error == RIPOSTE_ERROR_NOT_PERMITTED)
        return -ENOSYS;
    if (error != RIPOSTE_OK)
        return -posix_error_of(error);
    memcpy(request.name, bytes, length);
    /* A handle that comes would be lost, and a name be taken away or made all the same. */
    masked = posix_hold_signals();
    error = region ? riposte_send_bytes_for_handle_until(server, &request, whole, RIPOSTE_FOREVER, &reply, &brought)
                   : riposte_send_until(server, &request, whole, words, 4 * sizeof *words, RIPOSTE_FOREVER, &reply);
    posix_release_signals(masked);
    if (error != RIPOSTE_OK)
        return error == RIPOSTE_ERROR_NO_HANDLES ? -EMFILE : -posix_error_of(error);
    if (reply.status)
        return posix_refusal(reply.status);
    if (!region)
        return 0;
    memcpy(words, reply.words, 4 * sizeof *words);
    region->handle = brought.handle;
    return brought.handle ? 0 : -EIO;
}

static struct posix_object *of(const struct posix_description *open)
{
    return &objects[open->number];
}

/* The object with this number, or a free place for it; NULL if there is neither. The caller has the lock. */
static struct posix_object *place_of(const uint32_t number[2])
{
    struct posix_object *free = NULL;
    for (struct posix_object *each = objects; each < objects + OBJECTS; each++) {
        const bool is_used = each->open || each->mappings;
        if (is_used && each->number[0] == number[0] && each->number[1] == number[1])
            return each;
        if (!is_used && !free)
            free = each;
    }
    if (free)
        *free = (struct posix_object){.number = {number[0], number[1]}};
    return free;
}

/* Whether there is no place for one more. */
static bool is_full(void)
{
    bool full = true;
    if (!posix_lock(&lock))
        return true;
    for (const struct posix_object *each = objects; each < objects + OBJECTS; each++)
        full = full && (each->open || each->mappings);
    posix_unlock(&lock);
    return full;
}

/* Keeps of two handles the one that may more. The caller has the lock. */
static riposte_region_handle_t exchange(struct posix_object *object, riposte_region_handle_t region, bool may_write)
{
    const riposte_region_handle_t other = object->region;
    if (other.handle && (object->may_write || !may_write))
        return region;
    object->region = region;
    object->may_write = may_write;
    return other;
}

/* Finds a place for what the server has given. */
static int keep(const uint32_t words[4], riposte_region_handle_t region, bool may_write, uint32_t *place)
{
    struct posix_object *object = NULL;
    if (posix_lock(&lock)) {
        object = place_of(words);
        if (object) {
            object->size = words[2];
            object->room = words[3];
            object->open++;
            region = exchange(object, region, may_write);
            *place = (uint32_t)(object - objects);
        }
        posix_unlock(&lock);
    }
    if (region.handle)
        riposte_region_close(region);
    return object ? 0 : -EMFILE;
}

static int close_object(struct posix_description *open)
{
    struct posix_object *const object = of(open);
    riposte_region_handle_t last = {0};
    if (!posix_lock(&lock))
        return -EIO;
    /* A mapping stays. */
    if (--object->open == 0) {
        last = object->region;
        object->region.handle = 0;
    }
    posix_unlock(&lock);
    if (last.handle)
        riposte_region_close(last);
    return 0;
}

/* How large it is: as the server says; and when that knows it no more, as it was then. */
static uint32_t size_of(struct posix_object *object, bool *has_name)
{
    uint32_t words[4];
    const uint32_t before = object->size;
    *has_name = ask(MEMORY_SIZE, 0, object->number, sizeof object->number, words, NULL) == 0;
    if (!*has_name)
        return object->size;
    /* Another thread may have set it meanwhile. */
    if (posix_lock(&lock)) {
        if (object->size == before)
            object->size = words[0];
        posix_unlock(&lock);
    }
    return words[0];
}

static int stat_object(struct posix_description *open, struct stat *stat)
{
    struct posix_object *const object = of(open);
    bool has_name;
    memset(stat, 0, sizeof *stat);
    stat->st_mode = S_IFREG | S_IRUSR | ((open->flags & O_ACCMODE) == O_RDWR ? S_IWUSR : 0);
    stat->st_size = (off_t)size_of(object, &has_name);
    stat->st_ino = (ino_t)object->number[0];
    stat->st_nlink = has_name;
    return 0;
}

/* Maps it, unless it is mapped. The caller has the lock. */
static int map(struct posix_object *object, bool writes)
{
    riposte_error_t error;
    if (object->mappings) {
        /* It is there once, with the rights of the first mapping. */
        if (writes && !object->is_mapped_to_write)
            return -ENOTSUP;
        if (object->mappings == UINT16_MAX)
            return -EMFILE;
        object->mappings++;
        return 0;
    }
    error = riposte_region_map(object->region, writes, &object->memory, &object->length);
    if (error == RIPOSTE_ERROR_EXHAUSTED)
        return -EMFILE;
    if (error != RIPOSTE_OK)
        return -posix_error_of(error);
    object->is_mapped_to_write = writes;
    object->mappings = 1;
    return 0;
}

int posix_object_map(const struct posix_description *open, bool writes, void **memory, size_t *length,
                     struct posix_object **mapped)
{
    struct posix_object *const object = of(open);
    bool has_name;
    int error;
    const uint32_t size = size_of(object, &has_name);
    if (!posix_lock(&lock))
        return -EIO;
    error = map(object, writes);
    *memory = object->memory;
    /* The rest of the last page is there, too. */
    *length = size + (PAGESIZE - size % PAGESIZE) % PAGESIZE;
    if (*length > object->length)
        *length = object->length;
    *mapped = object;
    posix_unlock(&lock);
    return error;
}

void posix_object_unmap(struct posix_object *object)
{
    if (!posix_lock(&lock))
        return;
    if (--object->mappings == 0)
        riposte_release(object->memory);
    posix_unlock(&lock);
}

/* Its bytes from `from` up to `to` are zeros. */
static int clear(struct posix_object *object, size_t from, size_t to)
{
    int error;
    if (!posix_lock(&lock))
        return -EIO;
    error = map(object, true);
    posix_unlock(&lock);
    if (error)
        return error;
    if (to > object->length)
        to = object->length;
    if (from < to)
        memset((char *)object->memory + from, 0, to - from);
    posix_object_unmap(object);
    return 0;
}

static int resize(struct posix_object *object, off_t size)
{
    uint32_t words[4];
    bool has_name;
    uint32_t before;
    int error;
    if ((uint64_t)size > object->room)
        return -EFBIG;
    before = size_of(object, &has_name);
    /* What is to be seen when it is longer again. */
    error = (uint32_t)size < before ? clear(object, (uint32_t)size, before) : 0;
    if (error)
        return error;
    if (!posix_lock(&sizing))
        return -EIO;
    if (has_name)
        error = ask(MEMORY_RESIZE, (uint32_t)size, object->number, sizeof object->number, words, NULL);
    /* One without a name is this process's business. */
    if (error == -ENOENT)
        error = 0;
    if (!error)
        object->size = (uint32_t)size;
    posix_unlock(&sizing);
    return error;
}

static int truncate_object(struct posix_description *open, off_t size)
{
    int error;
    if (!posix_lock(&resizing))
        return -EIO;
    error = resize(of(open), size);
    posix_unlock(&resizing);
    return error;
}

static ssize_t read_object(struct posix_description *open, void *buffer, size_t length)
{
    (void)open, (void)buffer, (void)length;
    return -EINVAL;
}

static ssize_t write_object(struct posix_description *open, const void *bytes, size_t length)
{
    (void)open, (void)bytes, (void)length;
    return -EINVAL;
}

const struct posix_operations posix_object = {
    .kind = S_IFREG,
    .read = read_object,
    .write = write_object,
    .stat = stat_object,
    .truncate = truncate_object,
    .close = close_object,
};

int posix_object_open(const char *name, int flags, struct posix_description *made)
{
    const bool may_write = (flags & O_ACCMODE) == O_RDWR;
    /* Nothing is made that there is no place for here. */
    const bool makes = flags & O_CREAT && !is_full();
    const uint32_t options = (may_write ? MEMORY_OPTION_WRITE : 0) | (makes ? MEMORY_OPTION_CREATE : 0) |
                             (makes && flags & O_EXCL ? MEMORY_OPTION_EXCLUSIVE : 0);
    riposte_region_handle_t region = {0};
    uint32_t words[4];
    int error;
    if (flags & O_CREAT && flags & O_EXCL && !makes)
        return -EMFILE;
    if (!posix_lock(&sizing))
        return -EIO;
    error = ask(MEMORY_OPEN | options << MEMORY_SHIFT, 0, name, strlen(name), words, &region);
    if (error) {
        posix_unlock(&sizing);
        /* Without a server there are the manifest's regions alone. */
        if (error == -ENOSYS)
            return flags & O_CREAT ? -ENOSPC : -ENOENT;
        return error == -ENOENT && flags & O_CREAT ? -EMFILE : error;
    }
    *made = (struct posix_description){.operations = &posix_object, .flags = (uint32_t)(flags & O_ACCMODE)};
    error = keep(words, region, may_write, &made->number);
    posix_unlock(&sizing);
    /* Another thread has taken the last place meanwhile. */
    if (error && options & MEMORY_OPTION_EXCLUSIVE)
        posix_object_unlink(name);
    if (error || !(flags & O_TRUNC))
        return error;
    error = truncate_object(made, 0);
    if (error)
        close_object(made);
    return error;
}

int posix_object_unlink(const char *name)
{
    uint32_t words[4];
    const int error = ask(MEMORY_UNLINK, 0, name, strlen(name), words, NULL);
    return error == -ENOSYS ? -ENOENT : error;
}
