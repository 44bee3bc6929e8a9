#include "check.h"

#include <string.h>

#define PIECES 8

static union {
    uint64_t aligned;
    uint8_t bytes[256];
} area;
static memory_heap_t heap;
static memory_pool_t pool;
static guarded_memory_pool_t guarded;
static struct piece {
    void *link;
    uint8_t bytes[12];
} pieces[PIECES];

static bool is_within(const void *block, size_t size)
{
    const uint8_t *const start = block;
    return start >= area.bytes && start + size <= area.bytes + sizeof area.bytes;
}

static void a_heap(void)
{
    void *blocks[3];
    size_t total, largest, whole;

    begin("a heap gives blocks of its area, that don't touch each other, and is whole again afterwards");
    chHeapObjectInit(&heap, area.bytes, sizeof area.bytes);
    CHECK(chHeapStatus(&heap, &whole, &largest) == 1 && whole == largest && whole >= sizeof area.bytes - 16);
    for (int which = 0; which < 3; which++) {
        blocks[which] = chHeapAlloc(&heap, 20 + (size_t)which);
        CHECK(blocks[which] != NULL && is_within(blocks[which], chHeapGetSize(blocks[which])));
        CHECK(chHeapGetSize(blocks[which]) >= 20 + (size_t)which && (uintptr_t)blocks[which] % 8 == 0);
        memset(blocks[which], which + 1, chHeapGetSize(blocks[which]));
    }
    for (int which = 0; which < 3; which++)
        for (size_t at = 0; at < chHeapGetSize(blocks[which]); at++)
            CHECK(((uint8_t *)blocks[which])[at] == which + 1);
    /* Joined with a neighbour behind, before, and on both sides. */
    chHeapFree(blocks[0]);
    CHECK(chHeapStatus(&heap, &total, &largest) == 2 && total > largest);
    chHeapFree(blocks[2]);
    CHECK(chHeapStatus(&heap, NULL, NULL) == 2);
    chHeapFree(blocks[1]);
    CHECK(chHeapStatus(&heap, &total, &largest) == 1 && total == whole && largest == whole);
    end();

    begin("a heap refuses what it does not have, at any size, and fits what it has to the byte");
    CHECK(chHeapAlloc(&heap, whole + 1) == NULL && chHeapAlloc(&heap, SIZE_MAX) == NULL);
    CHECK(chHeapAlloc(&heap, SIZE_MAX - 8) == NULL && chHeapAllocAligned(&heap, 8, 1u << 31) == NULL);
    blocks[0] = chHeapAlloc(&heap, whole);
    CHECK(blocks[0] != NULL && chHeapStatus(&heap, &total, &largest) == 0 && total == 0 && largest == 0);
    CHECK(chHeapAlloc(&heap, 1) == NULL);
    chHeapFree(blocks[0]);
    CHECK(chHeapStatus(&heap, &total, NULL) == 1 && total == whole);
    end();

    begin("a block of a heap is aligned as it is asked for, and the gap before it is not lost");
    for (unsigned align = 1; align <= 64; align *= 2) {
        blocks[0] = chHeapAlloc(&heap, 8);
        blocks[1] = chHeapAllocAligned(&heap, 24, align);
        CHECK(blocks[1] != NULL && (uintptr_t)blocks[1] % align == 0 && is_within(blocks[1], 24));
        memset(blocks[1], 0xff, 24);
        chHeapFree(blocks[1]);
        chHeapFree(blocks[0]);
        CHECK(chHeapStatus(&heap, &total, NULL) == 1 && total == whole);
    }
    /* An area that is not aligned itself. */
    chHeapObjectInit(&heap, area.bytes + 3, 101);
    blocks[0] = chHeapAlloc(&heap, 1);
    CHECK((uintptr_t)blocks[0] % 8 == 0);
    CHECK(chHeapStatus(&heap, &total, NULL) == 1 && total <= 101 - 5 - 8 - 8 - 8);
    chHeapFree(blocks[0]);
    end();
}

static void the_core(void)
{
    const size_t before = chCoreGetStatusX();
    size_t total;
    void *first, *second;

    begin("the core gives aligned memory, once, and never more than there is");
    first = chCoreAlloc(10);
    second = chCoreAllocAligned(1, 32);
    CHECK(first != NULL && (uintptr_t)first % sizeof(void *) == 0 && (uintptr_t)second % 32 == 0);
    CHECK((uint8_t *)second >= (uint8_t *)first + 10 && chCoreGetStatusX() < before - 10);
    first = chCoreAllocAlignedWithOffset(8, 16, 12);
    CHECK((uintptr_t)first % 16 == 0 && (uint8_t *)first >= (uint8_t *)second + 1 + 12);
    CHECK(chCoreAlloc(chCoreGetStatusX() + 1) == NULL && chCoreAlloc(SIZE_MAX) == NULL);
    CHECK(chCoreAllocAlignedWithOffset(8, 8, SIZE_MAX - 8) == NULL && chCoreAllocAligned(8, 1u << 31) == NULL);
    end();

    begin("the heap without a name grows from the core, and keeps what it has got");
    first = chHeapAlloc(NULL, 40);
    CHECK(first != NULL && chHeapStatus(NULL, &total, NULL) == 0);
    chHeapFree(first);
    CHECK(chHeapStatus(NULL, &total, NULL) == 1 && total >= 40);
    second = chHeapAlloc(NULL, 40);
    CHECK(second == first);
    chHeapFree(second);
    CHECK(chHeapAlloc(NULL, chCoreGetStatusX() + 1) == NULL);
    first = chHeapAllocAligned(NULL, 40, 64);
    CHECK(first != NULL && (uintptr_t)first % 64 == 0);
    chHeapFree(first);
    end();
}

static void *provides(size_t size, unsigned align)
{
    static struct piece last;
    static bool is_given;
    CHECK(size == sizeof(struct piece) && align == sizeof(void *));
    if (is_given)
        return NULL;
    is_given = true;
    return &last;
}

static void pools(void)
{
    void *objects[PIECES];

    begin("a pool gives each of its objects once, then its provider's, then none");
    chPoolObjectInit(&pool, sizeof(struct piece), NULL);
    CHECK(chPoolAlloc(&pool) == NULL);
    chPoolLoadArray(&pool, pieces, PIECES);
    for (int which = 0; which < PIECES; which++) {
        objects[which] = chPoolAlloc(&pool);
        CHECK(objects[which] != NULL);
        for (int other = 0; other < which; other++)
            CHECK(objects[other] != objects[which]);
    }
    CHECK(chPoolAlloc(&pool) == NULL);
    for (int which = 0; which < PIECES; which++)
        chPoolFree(&pool, objects[which]);
    CHECK(chPoolAlloc(&pool) == objects[PIECES - 1]);
    chPoolObjectInit(&pool, sizeof(struct piece), provides);
    chPoolAdd(&pool, pieces);
    CHECK(chPoolAlloc(&pool) == pieces && chPoolAlloc(&pool) != NULL && chPoolAlloc(&pool) == NULL);
    end();
}

static void takes(void *argument)
{
    (void)argument;
    note(chGuardedPoolAllocTimeout(&guarded, TIME_INFINITE) == &pieces[3] ? 't' : 'x');
}

static void takes_within_the_lock(void *argument)
{
    (void)argument;
    chSysLock();
    note(chGuardedPoolAllocTimeoutS(&guarded, TIME_INFINITE) == &pieces[3] ? 's' : 'x');
    chSysUnlock();
}

static void guarded_pools(void)
{
    thread_t *threads[2];

    begin("who finds a guarded pool empty waits for an object, in order of priority, or for a time");
    chGuardedPoolObjectInit(&guarded, sizeof(struct piece));
    CHECK(chGuardedPoolGetCounterI(&guarded) == 0);
    CHECK(chGuardedPoolAllocTimeout(&guarded, TIME_IMMEDIATE) == NULL);
    CHECK(chGuardedPoolAllocTimeout(&guarded, TIME_MS2I(1)) == NULL);
    chGuardedPoolLoadArray(&guarded, pieces, 2);
    CHECK(chGuardedPoolGetCounterI(&guarded) == 2);
    chSysLock();
    CHECK(chGuardedPoolAllocI(&guarded) != NULL && chGuardedPoolAllocTimeoutS(&guarded, TIME_MS2I(1)) != NULL);
    CHECK(chGuardedPoolAllocTimeoutS(&guarded, TIME_IMMEDIATE) == NULL);
    CHECK(chGuardedPoolAllocTimeoutS(&guarded, TIME_MS2I(1)) == NULL);
    chSysUnlock();
    threads[0] = start(0, NORMALPRIO + 1, takes, NULL);
    threads[1] = start(1, NORMALPRIO + 2, takes_within_the_lock, NULL);
    CHECK(chGuardedPoolGetCounterI(&guarded) == -2);
    chGuardedPoolFree(&guarded, &pieces[3]);
    CHECK(noted("s"));
    chGuardedPoolFree(&guarded, &pieces[3]);
    CHECK(noted("t"));
    chThdWait(threads[0]);
    chThdWait(threads[1]);
    CHECK(chGuardedPoolGetCounterI(&guarded) == 0);
    end();
}

void memory(void)
{
    a_heap();
    the_core();
    pools();
    guarded_pools();
}
