/* pselect: apart from select, whose programs need not have signals. */

#include <signal.h>

#include "../posix.h"
#include "poll.h"
#include "table.h"

int pselect(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict fails,
            const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    const uint32_t handled = posix_signals_handled();
    riposte_deadline_t deadline = RIPOSTE_FOREVER;
    sigset_t before;
    int result;
    if (timeout && !posix_deadline_in(timeout, &deadline))
        return posix_fail(EINVAL);
    result = mask ? -pthread_sigmask(SIG_SETMASK, mask, &before) : 0;
    if (result)
        return (int)posix_result(result);
    result = posix_select_until(count, reads, writes, fails, deadline, &handled);
    if (mask)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    return (int)posix_result(result);
}
