/* The core allocator: an area of which nothing comes back. */

#include <ch.h>

static uint64_t area[(CH_CFG_MEMCORE_SIZE + sizeof(uint64_t) - 1) / sizeof(uint64_t)];
/* Bytes of it that are taken. */
static uint32_t taken;

void *chCoreAllocAlignedWithOffset(size_t size, unsigned align, size_t offset)
{
    const uintptr_t start = (uintptr_t)area;
    uint32_t before = riposte_word_load(&taken);
    uint32_t after;
    uintptr_t place;
    chDbgCheck(MEM_IS_VALID_ALIGNMENT(align));
    do {
        const size_t left = sizeof area - before;
        size_t gap;
        if (offset > left)
            return NULL;
        gap = (size_t)(0 - (start + before + offset)) & MEM_ALIGN_MASK(align);
        if (gap > left - offset || size > left - offset - gap)
            return NULL;
        place = start + before + offset + gap;
        after = (uint32_t)(before + offset + gap + size);
    } while (!riposte_word_compare_exchange(&taken, &before, after));
    return (void *)place;
}

void *chCoreAllocAligned(size_t size, unsigned align)
{
    return chCoreAllocAlignedWithOffset(size, align, 0);
}

size_t chCoreGetStatusX(void)
{
    return sizeof area - riposte_word_load(&taken);
}
