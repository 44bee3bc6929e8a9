/* Cancellation. It is asked for by a signal to the thread, which is taken between any two instructions or ends what the
 * thread waits in; the thread ends itself, at a cancellation point. See docs/src/decisions/0065-cancellation.md.
 *
 * What is linked with pthread_cancel is referred to weakly elsewhere. */

#ifndef RIPOSTE_POSIX_CANCEL_H
#define RIPOSTE_POSIX_CANCEL_H

#include <stdbool.h>
#include <stdint.h>

#include "../posix.h"

/* What a thread knows of its cancellation. A handler changes it between any two instructions of the thread. */
struct posix_cancellation {
    /* The waits of the cancellation point that the thread is in end at once. posix_cancel_trap looks at it. */
    volatile uint32_t stop;
    /* A wait has ended for it, of which nobody was told yet. */
    volatile bool has_stopped;
    volatile bool is_asked, is_disabled, is_asynchronous;
    /* The thread ends: it is cancelled no more. */
    volatile bool is_ending;
    /* Cancellation points that the thread is in, and locks of streams that it holds. */
    volatile uint16_t inside, held;
};
extern _Thread_local struct posix_cancellation posix_cancellation;

/* Whether the calling thread is to be cancelled now, or at its next cancellation point. */
bool posix_cancel_is_due(void) __attribute__((weak));

/* Cancels the calling thread. */
void posix_cancel_now(void) __attribute__((weak, noreturn));

/* Does what was asked for while the calling thread could not be cancelled at any place. */
static inline void posix_cancel_look(void)
{
    if (posix_cancellation.is_asynchronous && posix_cancel_is_due && posix_cancel_is_due())
        posix_cancel_now();
}

/* The calling thread is not cancelled from here on. */
void posix_cancel_no_more(void) __attribute__((weak));

/* The signal has come, and interrupted what `frame` says. All signals are masked. */
void posix_cancel_note(uint32_t *frame) __attribute__((weak));

/* A handler has run, and its thread goes on where `frame` says. A cancellation that has come meanwhile ends the wait that the
 * thread would begin there. */
void posix_cancel_go_on(uint32_t *frame) __attribute__((weak));

/* Whether a wait that was interrupted has ended for a cancellation; once for each. */
bool posix_cancel_ends_wait(void) __attribute__((weak));

/* The calling thread takes, and gives back, a lock with which it is not cancelled. */
void posix_cancel_hold(void) __attribute__((weak));
void posix_cancel_release(void) __attribute__((weak));

/* Begins a cancellation point: the thread is cancelled if that was asked for, and from here on its waits end when it is. */
void posix_cancel_enter(void);

/* Ends it. If the function has failed, nothing was taken or given that would be lost with the thread. */
void posix_cancel_leave(bool has_failed);

/* Of what does not wait for long, and must not be left half done: the thread is cancelled before it, or not by it. */
void posix_cancel_pass(void);

/* riposte_raw_call, unless the calling thread is to stop: RIPOSTE_ERROR_INTERRUPTED then, whenever before the kernel's
 * trap that is asked for. */
void posix_cancel_call(uint32_t registers[8], const uint32_t extra[5]);

/* The same in assembly; and the address of its first instruction from which on a thread that is to stop goes on at the
 * third, and that of the trap, which is the last of these. */
void posix_cancel_trap(uint32_t registers[8], const uint32_t extra[5], const volatile uint32_t *stop);
extern const char posix_cancel_trap_first[], posix_cancel_trap_last[], posix_cancel_trap_stopped[];

/* Where a thread goes on that is cancelled between any two instructions. */
extern const char posix_cancel_anywhere[];

#endif
