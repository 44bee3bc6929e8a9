/* malloc and its like: the program's own heap, whose size program.toml says. One thread at a time takes a block or gives
 * it back; whoever waits lends it its priority. */

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <riposte.h>

RIPOSTE_HEAP(heap, RIPOSTE_PRIVATE_HEAP);

/* A block, or NULL and ENOMEM. An alignment of 1 is that of any type. */
static void *take(size_t size, size_t alignment)
{
    void *block = NULL;
    if (riposte_heap_allocate_aligned(&heap, size, alignment, &block) == RIPOSTE_OK)
        return block;
    errno = ENOMEM;
    return NULL;
}

/* Bytes of a block, of which the function called `name` was told. */
static size_t size_of(void *block, const char *name)
{
    size_t size = 0;
    if (riposte_heap_size(&heap, block, &size) != RIPOSTE_OK)
        riposte_panic(name);
    return size;
}

void *malloc(size_t size)
{
    return take(size, 1);
}

void *calloc(size_t count, size_t size)
{
    size_t total;
    void *block;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    block = take(total, 1);
    return block ? memset(block, 0, total) : NULL;
}

void free(void *block)
{
    if (riposte_heap_release(&heap, block) != RIPOSTE_OK)
        riposte_panic("free: no block of malloc's");
}

void *realloc(void *block, size_t size)
{
    const size_t before = block ? size_of(block, "realloc: no block of malloc's") : 0;
    const int error = errno;
    void *const after = take(size, 1);
    if (block && !after && size <= before) {
        /* It has room enough where it is. */
        errno = error;
        return block;
    }
    if (block && after) {
        memcpy(after, block, before < size ? before : size);
        free(block);
    }
    return after;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        errno = EINVAL;
        return NULL;
    }
    return take(size, alignment);
}

void *memalign(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size)
{
    void *block = NULL;
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    if (riposte_heap_allocate_aligned(&heap, size, alignment, &block) != RIPOSTE_OK)
        return ENOMEM;
    *place = block;
    return 0;
}

size_t malloc_usable_size(void *block)
{
    return block ? size_of(block, "malloc_usable_size: no block of malloc's") : 0;
}
