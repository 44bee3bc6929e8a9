/* Waiting for signals without a handler. */

#include "signals.h"

#include "../cancel/cancel.h"

/* Who has sent a signal, as posix_event_take. */
static int sender_of(uint32_t number, uint32_t *word)
{
    uint64_t masked;
    int code;
    if (!posix_event_take)
        return 0;
    riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, ~UINT64_C(1), &masked, NULL);
    code = posix_event_take(number, word);
    riposte_signal_mask(RIPOSTE_SIGNAL_HOW_SET, masked, NULL, NULL);
    return code;
}

/* Takes one of a set; the error. */
static int wait_until(const sigset_t *set, riposte_deadline_t deadline, siginfo_t *info)
{
    uint32_t number, word;
    riposte_error_t error;
    int code;
    if (!posix_has_signals())
        return ENOSYS;
    posix_begin_wait();
    do
        error = riposte_signal_wait_until(*set & ~SIGNAL_NEVER, deadline, &number, &word);
    while (error == RIPOSTE_ERROR_INTERRUPTED && posix_again(false));
    switch (error) {
    case RIPOSTE_OK:
        code = sender_of(number, &word);
        posix_signal_info(number, code, word, info);
        return 0;
    case RIPOSTE_ERROR_INTERRUPTED:
        return EINTR;
    case RIPOSTE_ERROR_TIMED_OUT:
    case RIPOSTE_ERROR_WOULD_BLOCK:
        return EAGAIN;
    default:
        return EINVAL;
    }
}

static int told(int error, const siginfo_t *found, siginfo_t *info)
{
    if (error)
        return posix_fail(error);
    if (info)
        *info = *found;
    return found->si_signo;
}

int sigwait(const sigset_t *restrict set, int *restrict number)
{
    siginfo_t found;
    int error;
    do
        error = wait_until(set, RIPOSTE_FOREVER, &found);
    while (error == EINTR && !(posix_cancel_is_due && posix_cancel_is_due()));
    if (!error)
        *number = found.si_signo;
    return error;
}

int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    siginfo_t found;
    return told(wait_until(set, RIPOSTE_FOREVER, &found), &found, info);
}

int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict timeout)
{
    riposte_deadline_t deadline = RIPOSTE_FOREVER;
    siginfo_t found;
    int error;
    if (!timeout || posix_deadline_in(timeout, &deadline))
        return told(wait_until(set, deadline, &found), &found, info);
    /* A time that is none is an error only of who would wait. */
    error = wait_until(set, RIPOSTE_IMMEDIATE, &found);
    return told(error == EAGAIN ? EINVAL : error, &found, info);
}
