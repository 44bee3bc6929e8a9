/* One signal at a time, as System V did it. */

#include "signals.h"

static int change(int how, int number)
{
    if (!is_signal(number))
        return posix_fail(EINVAL);
    return sigprocmask(how, &(const sigset_t){SIGNAL_BIT(number)}, NULL);
}

int sighold(int number)
{
    return change(SIG_BLOCK, number);
}

int sigrelse(int number)
{
    return change(SIG_UNBLOCK, number);
}

int sigignore(int number)
{
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    return sigaction(number, &ignored, NULL);
}

int sigpause(int number)
{
    sigset_t now;
    if (!is_signal(number))
        return posix_fail(EINVAL);
    if (sigprocmask(SIG_BLOCK, NULL, &now))
        return -1;
    now &= ~SIGNAL_BIT(number);
    return sigsuspend(&now);
}

void (*sigset(int number, void (*disposition)(int)))(int)
{
    struct sigaction action = {.sa_handler = disposition}, before;
    const bool holds = disposition == SIG_HOLD;
    sigset_t masked;
    /* Before the mask, so that no other action is taken in between; and it tells whether there is such a signal. */
    if (sigaction(number, holds ? NULL : &action, &before))
        return SIG_ERR;
    if (SIGNAL_NEVER >> number & 1) {
        errno = EINVAL;
        return SIG_ERR;
    }
    /* Nothing is masked there. */
    if (!holds && !posix_has_signals())
        return before.sa_handler;
    if (sigprocmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &(const sigset_t){SIGNAL_BIT(number)}, &masked))
        return SIG_ERR;
    return masked >> number & 1 ? SIG_HOLD : before.sa_handler;
}

int siginterrupt(int number, int interrupts)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action))
        return -1;
    action.sa_flags = interrupts ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    return sigaction(number, &action, NULL);
}
