/* Threads from heaps and pools. */

#include <ch.h>

#include "registered.h"

static void give_to_heap(void *heap, void *area)
{
    (void)heap;
    chHeapFree(area);
}

static void give_to_pool(void *pool, void *area)
{
    chPoolFree((memory_pool_t *)pool, area);
}

thread_t *chThdCreateFromHeap(memory_heap_t *heap, size_t size, const char *name, tprio_t priority,
                              tfunc_t function, void *argument)
{
    const thread_t fresh = {.function = function,
                            .argument = argument,
                            .name = name,
                            .references = 1,
                            .give_back = give_to_heap};
    void *const area = chHeapAlloc(heap, size);
    thread_t *thread;
    if (area == NULL)
        return NULL;
    thread = ch_thread_create(area, size, priority, &fresh);
    if (thread == NULL)
        chHeapFree(area);
    return thread;
}

thread_t *chThdCreateFromMemoryPool(memory_pool_t *pool, const char *name, tprio_t priority, tfunc_t function,
                                    void *argument)
{
    const thread_t fresh = {.function = function,
                            .argument = argument,
                            .name = name,
                            .references = 1,
                            .give_back = give_to_pool,
                            .given_by = pool};
    void *const area = chPoolAlloc(pool);
    thread_t *thread;
    if (area == NULL)
        return NULL;
    thread = ch_thread_create(area, pool->object_size, priority, &fresh);
    if (thread == NULL)
        chPoolFree(pool, area);
    return thread;
}
