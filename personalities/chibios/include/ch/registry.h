/* The registry: all threads of the process, the oldest first. Included by ch.h.
 *
 * A thread that has ended is there until nobody refers to it: who has created it does until chThdWait or
 * chThdRelease. */

#ifndef CH_REGISTRY_H
#define CH_REGISTRY_H

/** Gives the calling thread a name.
 *
 * @param name The name, which stays where it is. */
RIPOSTE_PRIVATE_INLINE void chRegSetThreadName(const char *name)
{
    chThdGetSelfX()->name = name;
}

/** Gives a thread a name.
 *
 * @param thread The thread.
 * @param name The name, which stays where it is. */
RIPOSTE_PRIVATE_INLINE void chRegSetThreadNameX(thread_t *thread, const char *name)
{
    thread->name = name;
}

/** Tells a thread's name.
 *
 * @return The name, or NULL if it has none. */
RIPOSTE_PRIVATE_INLINE const char *chRegGetThreadNameX(const thread_t *thread)
{
    return thread->name;
}

/** Begins to go through the threads.
 *
 * @return The oldest thread, with a reference for chRegNextThread or chThdRelease.
 * @blocks While another thread changes the registry.
 * @from Any thread. */
thread_t *chRegFirstThread(void);

/** Goes on to the next thread, and does chThdRelease for the one before.
 *
 * @param thread The one before.
 * @return The next one, with a reference; or NULL if there is none.
 * @blocks As chThdRelease.
 * @from Any thread. */
thread_t *chRegNextThread(thread_t *thread);

/** Finds a thread by its name.
 *
 * @param name The name.
 * @return The oldest thread that has it, with a reference for chThdRelease; or NULL.
 * @blocks While another thread changes the registry.
 * @from Any thread. */
thread_t *chRegFindThreadByName(const char *name);

/** Tells whether there is such a thread.
 *
 * @param thread What may be one.
 * @return It, with a reference for chThdRelease; or NULL.
 * @blocks While another thread changes the registry.
 * @from Any thread. */
thread_t *chRegFindThreadByPointer(thread_t *thread);

/** As chRegFindThreadByPointer, by the beginning of a working area. */
thread_t *chRegFindThreadByWorkingArea(stkalign_t *area);

#endif
