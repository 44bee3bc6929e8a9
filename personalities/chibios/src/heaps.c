/* Heaps: free blocks in a list, in the order of their addresses, and before each block its header. */

#include <ch.h>

/* Of the size of a block that is taken: sizes are multiples of CH_HEAP_ALIGNMENT. */
#define TAKEN ((size_t)1)

static memory_heap_t default_heap = {RIPOSTE_MUTEX, chCoreAllocAligned, NULL};

static uint8_t *block_of(heap_header_t *header)
{
    return (uint8_t *)(header + 1);
}

static heap_header_t *header_of(void *block)
{
    return (heap_header_t *)block - 1;
}

static bool is_aligned(const void *address)
{
    return MEM_IS_ALIGNED((uintptr_t)address, CH_HEAP_ALIGNMENT);
}

void chHeapObjectInit(memory_heap_t *heap, void *area, size_t size)
{
    const riposte_mutex_t free = RIPOSTE_MUTEX;
    const size_t gap = (size_t)(0 - (uintptr_t)area) & MEM_ALIGN_MASK(CH_HEAP_ALIGNMENT);
    chDbgAssert(size >= gap + sizeof(heap_header_t) + CH_HEAP_ALIGNMENT, "chHeapObjectInit: too small an area");
    heap->lock = free;
    heap->provider = NULL;
    heap->first = (heap_header_t *)(void *)((uint8_t *)area + gap);
    heap->first->free.next = NULL;
    heap->first->free.size = MEM_ALIGN_PREV(size - gap - sizeof(heap_header_t), CH_HEAP_ALIGNMENT);
}

/* Takes `size` bytes, whose place is a multiple of `align`, out of a free block to which `*link` leads; NULL if
 * they don't fit. What is left before and behind stays free. */
static void *carve(memory_heap_t *heap, heap_header_t **link, size_t size, size_t align)
{
    heap_header_t *header = *link;
    const size_t gap = (size_t)(0 - (uintptr_t)block_of(header)) & MEM_ALIGN_MASK(align);
    size_t left = header->free.size;
    if (gap > left || size > left - gap)
        return NULL;
    /* A gap holds a header: both are multiples of its size. */
    if (gap != 0) {
        heap_header_t *const behind = header_of(block_of(header) + gap);
        behind->free.next = header->free.next;
        header->free.size = gap - sizeof(heap_header_t);
        header->free.next = behind;
        link = &header->free.next;
        header = behind;
        left -= gap;
    }
    if (left - size >= sizeof(heap_header_t)) {
        heap_header_t *const rest = header_of(block_of(header) + size + sizeof(heap_header_t));
        rest->free.next = header->free.next;
        rest->free.size = left - size - sizeof(heap_header_t);
        *link = rest;
        left = size;
    } else {
        *link = header->free.next;
    }
    header->used.heap = heap;
    header->used.size = left | TAKEN;
    return block_of(header);
}

/* A block of memory that the heap did not have. */
static void *provided(memory_heap_t *heap, size_t size, size_t align)
{
    heap_header_t *header;
    const size_t before = MEM_ALIGN_NEXT(sizeof(heap_header_t), align);
    uint8_t *memory;
    if (heap->provider == NULL || before + size < size)
        return NULL;
    memory = (uint8_t *)heap->provider(before + size, (unsigned)align);
    if (memory == NULL)
        return NULL;
    header = header_of(memory + before);
    header->used.heap = heap;
    header->used.size = size | TAKEN;
    return block_of(header);
}

void *chHeapAllocAligned(memory_heap_t *heap, size_t size, unsigned align)
{
    heap_header_t **link;
    void *block = NULL;
    chDbgCheck(size != 0 && MEM_IS_VALID_ALIGNMENT(align));
    if (heap == NULL)
        heap = &default_heap;
    if (align < CH_HEAP_ALIGNMENT)
        align = CH_HEAP_ALIGNMENT;
    /* More than any block has. */
    if (size > SIZE_MAX - CH_HEAP_ALIGNMENT)
        return NULL;
    size = MEM_ALIGN_NEXT(size, CH_HEAP_ALIGNMENT);
    ch_lock(&heap->lock);
    for (link = &heap->first; *link != NULL && block == NULL; link = &(*link)->free.next) {
        block = carve(heap, link, size, align);
        if (block != NULL)
            break;
    }
    if (block == NULL)
        block = provided(heap, size, align);
    ch_unlock(&heap->lock);
    return block;
}

/* Where the header behind a free block would be, if it had one. */
static heap_header_t *end_of(heap_header_t *header)
{
    return (heap_header_t *)(void *)(block_of(header) + header->free.size);
}

/* Joins a free block with the next one, if that begins where it ends. */
static void join(heap_header_t *header)
{
    heap_header_t *const next = header->free.next;
    if (next != NULL && end_of(header) == next) {
        header->free.size += sizeof(heap_header_t) + next->free.size;
        header->free.next = next->free.next;
    }
}

void chHeapFree(void *block)
{
    heap_header_t *header;
    heap_header_t *before = NULL;
    heap_header_t *next;
    memory_heap_t *heap;
    chDbgAssert(block != NULL && is_aligned(block), "chHeapFree: no block");
    header = header_of(block);
    heap = header->used.heap;
    chDbgAssert((header->used.size & MEM_ALIGN_MASK(CH_HEAP_ALIGNMENT)) == TAKEN && heap != NULL,
                "chHeapFree: no block that is taken");
    ch_lock(&heap->lock);
    for (next = heap->first; next != NULL && next < header; next = next->free.next)
        before = next;
    header->free.size &= ~TAKEN;
    header->free.next = next;
    if (before == NULL)
        heap->first = header;
    else
        before->free.next = header;
    join(header);
    if (before != NULL)
        join(before);
    ch_unlock(&heap->lock);
}

size_t chHeapStatus(memory_heap_t *heap, size_t *total, size_t *largest)
{
    heap_header_t *header;
    size_t count = 0, sum = 0, most = 0;
    if (heap == NULL)
        heap = &default_heap;
    ch_lock(&heap->lock);
    for (header = heap->first; header != NULL; header = header->free.next) {
        count++;
        sum += header->free.size;
        if (header->free.size > most)
            most = header->free.size;
    }
    ch_unlock(&heap->lock);
    if (total != NULL)
        *total = sum;
    if (largest != NULL)
        *largest = most;
    return count;
}

size_t chHeapGetSize(const void *block)
{
    return ((const heap_header_t *)block - 1)->used.size & ~TAKEN;
}
