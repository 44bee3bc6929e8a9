/* alarm: the timer of a process that it has no name for. */

#include <unistd.h>

#include "timer.h"

static struct posix_timer it;

unsigned alarm(unsigned seconds)
{
    int64_t left;
    int error;
    const uint64_t masked = posix_events_lock();
    if (it.notify == 0) {
        it.notify = SIGEV_SIGNAL;
        it.event.number = SIGALRM;
        it.event.code = SI_TIMER;
        it.event.taken = posix_timer_taken;
        posix_timer_add(&it);
    }
    error = !posix_has_signals() ? ENOSYS : seconds ? posix_timer_signaller() : 0;
    left = posix_timer_left(&it);
    if (!error)
        posix_timer_run(&it, false, seconds ? (int64_t)riposte_clock() + seconds * (int64_t)NANOSECONDS : 0, 0);
    posix_events_unlock(masked);
    /* There is no result that says so. */
    if (error)
        errno = error;
    return (unsigned)((left + NANOSECONDS - 1) / NANOSECONDS);
}
