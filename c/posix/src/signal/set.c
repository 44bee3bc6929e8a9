/* Sets of signals. */

#include "signals.h"

int sigemptyset(sigset_t *set)
{
    *set = 0;
    return 0;
}

int sigfillset(sigset_t *set)
{
    *set = ~UINT64_C(1);
    return 0;
}

int sigaddset(sigset_t *set, int number)
{
    if (!is_in_range(number))
        return posix_fail(EINVAL);
    *set |= SIGNAL_BIT(number);
    return 0;
}

int sigdelset(sigset_t *set, int number)
{
    if (!is_in_range(number))
        return posix_fail(EINVAL);
    *set &= ~SIGNAL_BIT(number);
    return 0;
}

int sigismember(const sigset_t *set, int number)
{
    if (!is_in_range(number))
        return posix_fail(EINVAL);
    return *set >> number & 1;
}
