/* Waits in circles that end by themselves. */

#include "circle.h"

/* How many threads of the process wait for a lock until a moment, or spin. */
static uint32_t waiting;
/* How often the calling thread does: a handler may amid another such wait. */
static __thread uint32_t own;

/* How long it is before somebody looks again whether a circle is still there, in nanoseconds. */
#define LOOK 1000000

void posix_circle_enter(void)
{
    if (own++ == 0)
        riposte_word_add(&waiting, 1);
}

void posix_circle_leave(void)
{
    if (--own == 0)
        riposte_word_add(&waiting, UINT32_MAX);
}

void posix_circle_end(void)
{
    if (own) {
        own = 1;
        posix_circle_leave();
    }
}

bool posix_circle_may_open(uint32_t thread, riposte_deadline_t deadline)
{
    const uint64_t now = riposte_clock();
    /* Who is waited for has gone since. */
    if (!thread)
        return true;
    if (deadline == RIPOSTE_FOREVER ? riposte_word_load(&waiting) == 0 : now >= deadline)
        return false;
    riposte_sleep_until(deadline - now < LOOK ? deadline : now + LOOK);
    return true;
}
