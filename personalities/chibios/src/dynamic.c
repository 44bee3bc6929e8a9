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

/* Starts the thread in an area that may be NULL, which is given back if it cannot be. */
static thread_t *create(void *area, size_t size, tprio_t priority, const thread_t *fresh)
{
    thread_t *thread;
    if (area == NULL)
        return NULL;
    thread = ch_thread_create(area, size, priority, fresh);
    if (thread == NULL)
        fresh->give_back(fresh->given_by, area);
    return thread;
}

thread_t *chThdCreateFromHeap(memory_heap_t *heap, size_t size, const char *name, tprio_t priority,
                              tfunc_t function, void *argument)
{
    const thread_t fresh = {.function = function,
                            .argument = argument,
                            .name = name,
                            .references = 1,
                            .give_back = give_to_heap};
    return create(chHeapAlloc(heap, size), size, priority, &fresh);
}

thread_t *ch_thread_create_from_heap_2_4(memory_heap_t *heap, size_t size, tprio_t priority,
                                         ch_tfunc_2_4_t function, void *argument)
{
    const thread_t fresh = {.function_2_4 = function,
                            .argument = argument,
                            .references = 1,
                            .give_back = give_to_heap};
    return create(chHeapAlloc(heap, size), size, priority, &fresh);
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
    return create(chPoolAlloc(pool), pool->object_size, priority, &fresh);
}

thread_t *ch_thread_create_from_pool_2_4(memory_pool_t *pool, tprio_t priority, ch_tfunc_2_4_t function,
                                         void *argument)
{
    const thread_t fresh = {.function_2_4 = function,
                            .argument = argument,
                            .references = 1,
                            .give_back = give_to_pool,
                            .given_by = pool};
    return create(chPoolAlloc(pool), pool->object_size, priority, &fresh);
}
