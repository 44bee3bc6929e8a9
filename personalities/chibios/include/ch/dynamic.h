/* Threads whose working areas are from a heap or a pool. Included by ch.h. */

#ifndef CH_DYNAMIC_H
#define CH_DYNAMIC_H

/** Adds a reference to a thread.
 *
 * @param thread The thread, to which somebody refers already.
 * @return The thread.
 * @blocks While another thread changes the registry.
 * @from Any thread. */
thread_t *chThdAddRef(thread_t *thread);

/** Takes a reference away. If that was the last, and once the thread has ended, it is not in the registry any
 * more, and its working area goes back to where it is from.
 *
 * @param thread The thread. If it has no reference the process stops.
 * @blocks Until the thread is past its last steps, if it has ended.
 * @from Any thread. */
void chThdRelease(thread_t *thread);

/** Starts a thread with a working area from a heap.
 *
 * @param heap The heap, or NULL for that of the core.
 * @param size Bytes of the working area, as THD_WORKING_AREA_SIZE gives them.
 * @param name Its name, or NULL.
 * @param priority Its priority, relative to NORMALPRIO.
 * @param function What it does.
 * @param argument What the function is called with.
 * @return The thread; or NULL if the heap has no such block, or as chThdCreateStatic.
 * @blocks While another thread uses the heap.
 * @from Any thread. */
thread_t *chThdCreateFromHeap(memory_heap_t *heap, size_t size, const char *name, tprio_t priority,
                              tfunc_t function, void *argument);

/** As chThdCreateFromHeap, with a working area that is an object of a pool. */
thread_t *chThdCreateFromMemoryPool(memory_pool_t *pool, const char *name, tprio_t priority, tfunc_t function,
                                    void *argument);

/* The same for programs of version 2.4. */
thread_t *ch_thread_create_from_heap_2_4(memory_heap_t *heap, size_t size, tprio_t priority,
                                         ch_tfunc_2_4_t function, void *argument);
thread_t *ch_thread_create_from_pool_2_4(memory_pool_t *pool, tprio_t priority, ch_tfunc_2_4_t function,
                                         void *argument);

#endif
