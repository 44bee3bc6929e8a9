/* Which signals are masked, and which wait. */

#include <unistd.h>

#include "signals.h"

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    uint64_t was;
    if (set && how != SIG_SETMASK && how != SIG_BLOCK && how != SIG_UNBLOCK)
        return EINVAL;
    if (!posix_has_signals())
        return ENOSYS;
    /* The kernel's numbers are the same. */
    if (riposte_signal_mask(set ? (uint32_t)how : RIPOSTE_SIGNAL_HOW_BLOCK, set ? *set & ~SIGNAL_NEVER : 0, &was, NULL)
        != RIPOSTE_OK)
        return EINVAL;
    if (before)
        *before = was;
    return 0;
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    const int error = pthread_sigmask(how, set, before);
    return error ? posix_fail(error) : 0;
}

int sigpending(sigset_t *set)
{
    uint64_t pending;
    if (!posix_has_signals())
        return posix_fail(ENOSYS);
    riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, 0, NULL, &pending);
    *set = pending;
    return 0;
}

int sigsuspend(const sigset_t *set)
{
    if (!posix_has_signals())
        return posix_fail(ENOSYS);
    posix_begin_wait();
    /* One that is ignored is none. */
    do
        riposte_signal_suspend_until(*set & ~SIGNAL_NEVER, RIPOSTE_FOREVER);
    while (posix_again(false));
    return posix_fail(EINTR);
}

int pause(void)
{
    sigset_t now;
    const int error = pthread_sigmask(SIG_BLOCK, NULL, &now);
    return error ? posix_fail(error) : sigsuspend(&now);
}
