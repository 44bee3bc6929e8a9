/* Asking for a cancellation, and what the thread does that is asked. */

#include "cancel.h"

#include <pthread.h>

#include "../signal/signals.h"

int pthread_cancel(pthread_t thread)
{
    if (!posix_has_signals())
        return ENOSYS;
    /* It waits once, and needs no place in a queue. */
    switch (riposte_signal_send_thread((riposte_thread_t){thread}, SIGNAL_CANCEL, 0)) {
    case RIPOSTE_OK:
        return 0;
    case RIPOSTE_ERROR_BAD_CALL:
        return ENOSYS;
    default:
        return ESRCH;
    }
}

bool posix_cancel_is_due(void)
{
    const struct posix_cancellation *const own = &posix_cancellation;
    return own->is_asked && !own->is_disabled && !own->is_ending && !own->held;
}

void posix_cancel_now(void)
{
    pthread_exit(PTHREAD_CANCELED);
}

void posix_cancel_no_more(void)
{
    posix_cancellation.is_ending = true;
    posix_cancellation.stop = 0;
}

static void go_on_at(uint32_t *place, const char *code)
{
    *place = (uint32_t)(uintptr_t)code & ~UINT32_C(1);
#ifdef __arm__
    /* Not in the middle of an instruction of many steps, nor of conditional ones. */
    place[1] &= ~UINT32_C(0x0600FC00);
#endif
}

static bool is_before_trap(uint32_t at)
{
    const uint32_t first = (uint32_t)(uintptr_t)posix_cancel_trap_first;
    const uint32_t last = (uint32_t)(uintptr_t)posix_cancel_trap_last;
    return at >= (first & ~UINT32_C(1)) && at <= (last & ~UINT32_C(1));
}

void posix_cancel_note(uint32_t *frame)
{
    struct posix_cancellation *const own = &posix_cancellation;
    uint32_t *place;
    own->is_asked = true;
    if (!posix_cancel_is_due() || !frame)
        return;
    place = posix_frame_place(frame);
    if (own->is_asynchronous) {
        go_on_at(place, posix_cancel_anywhere);
    } else if (own->inside) {
        own->stop = 1;
        /* It has looked, and would wait now. */
        if (is_before_trap(*place))
            go_on_at(place, posix_cancel_trap_stopped);
    }
}

void posix_cancel_go_on(uint32_t *frame)
{
    struct posix_cancellation *const own = &posix_cancellation;
    uint32_t *place;
    if (!own->inside)
        return;
    /* None comes between this look and the end of the handler, with which the kernel restores what is masked. */
    riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, ~UINT64_C(1), NULL, NULL);
    if (!posix_cancel_is_due())
        return;
    /* A wait in the handler may have used it up. */
    own->stop = 1;
    place = posix_frame_place(frame);
    if (is_before_trap(*place))
        go_on_at(place, posix_cancel_trap_stopped);
}

bool posix_cancel_ends_wait(void)
{
    const bool has_stopped = posix_cancellation.has_stopped;
    posix_cancellation.has_stopped = false;
    return has_stopped;
}

void posix_cancel_hold(void)
{
    posix_cancellation.held++;
}

void posix_cancel_release(void)
{
    posix_cancellation.held--;
    posix_cancel_look();
}

void posix_cancel_pass(void)
{
    if (!posix_cancellation.inside && posix_cancel_is_due())
        posix_cancel_now();
}

void posix_cancel_enter(void)
{
    /* First, so that what is asked for behind the look is not overlooked. */
    posix_cancellation.inside++;
    if (posix_cancellation.inside == 1 && posix_cancel_is_due())
        posix_cancel_now();
}

void posix_cancel_leave(bool has_failed)
{
    if (--posix_cancellation.inside) {
        /* It was in a handler, and has used up what is to end the waits of the one that was interrupted. */
        if (posix_cancel_is_due())
            posix_cancellation.stop = 1;
        return;
    }
    posix_cancellation.stop = 0;
    posix_cancellation.has_stopped = false;
    if (has_failed && posix_cancel_is_due())
        posix_cancel_now();
}

void posix_cancel_call(uint32_t registers[8], const uint32_t extra[5])
{
    posix_cancel_trap(registers, extra, &posix_cancellation.stop);
    if (registers[2] & RIPOSTE_INFO_ERROR && registers[0] == RIPOSTE_ERROR_INTERRUPTED && posix_cancellation.stop) {
        /* Whoever has waited is told, and may put things in order, for which it may wait again. */
        posix_cancellation.stop = 0;
        posix_cancellation.has_stopped = true;
    }
}
