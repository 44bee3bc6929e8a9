/* Waits in circles that end by themselves. */

#include "circle.h"

/* The thread's id while it waits for a lock until a moment, or spins: else 0, or that of a life that has ended so. */
static __thread uint32_t waits;

/* Whose address is how many bytes further the next thread's storage is. */
extern const char __thread_storage_stride[];

/* How long it is before somebody looks again whether a circle is still there, in nanoseconds. */
#define LOOK 1000000

uint32_t posix_circle_enter(void)
{
    const uint32_t before = waits;
    riposte_word_store(&waits, riposte_private_own_id());
    return before;
}

void posix_circle_leave(uint32_t before)
{
    riposte_word_store(&waits, before);
}

/* Whether it is a thread of the process, and waits so. */
static bool waits_so(uint32_t thread)
{
    const int32_t further = (int32_t)(thread & RIPOSTE_THREAD_INDEX_MASK)
        - (int32_t)(riposte_private_own_id() & RIPOSTE_THREAD_INDEX_MASK);
    const uint32_t place = (uint32_t)(uintptr_t)&waits + (uint32_t)further * (uint32_t)(uintptr_t)__thread_storage_stride;
    return riposte_thread_schedule((riposte_thread_t){thread}, NULL, NULL) == RIPOSTE_OK
        && riposte_word_load((const uint32_t *)(uintptr_t)place) == thread;
}

bool posix_circle_may_open(uint32_t thread, riposte_deadline_t deadline)
{
    const uint64_t now = riposte_clock();
    /* Who is waited for has gone since. */
    if (!thread)
        return true;
    if (deadline == RIPOSTE_FOREVER ? !waits_so(thread) : now >= deadline)
        return false;
    riposte_sleep_until(deadline - now < LOOK ? deadline : now + LOOK);
    return true;
}
