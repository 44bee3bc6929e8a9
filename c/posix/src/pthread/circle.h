/* Circles of threads that wait for each other, and of which one waits until a moment only, or spins: nobody there has to wait for
 * ever. The kernel, which lends priorities along who waits for whom, refuses whoever would close one all the same. Who is
 * refused looks again from time to time. */

#ifndef RIPOSTE_POSIX_CIRCLE_H
#define RIPOSTE_POSIX_CIRCLE_H

#include "../posix.h"

/* The calling thread begins to wait for a lock until a moment, or to spin; and ends that. A handler may do so amid another such
 * wait. */
void posix_circle_enter(void);
void posix_circle_leave(void);

/* The calling thread ends: it waits no more, whatever it was in the midst of. Linked only if the program has such waits. */
void posix_circle_end(void) __attribute__((weak));

/* The kernel has refused the caller a wait for `thread` until `deadline`, in a circle. Whether that is to be tried again, some
 * time later, by when this returns: before the deadline; without one, as long as any thread of the process waits so, which may
 * be anywhere in the circle, or if it is 0. Linked only if the program has such waits. */
bool posix_circle_may_open(uint32_t thread, riposte_deadline_t deadline) __attribute__((weak));

/* The same, of any program. */
static inline bool posix_is_to_try_again(uint32_t thread, riposte_deadline_t deadline)
{
    return posix_circle_may_open && posix_circle_may_open(thread, deadline);
}

#endif
