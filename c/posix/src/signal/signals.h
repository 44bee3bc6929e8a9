/* What the functions of signals share. */

#ifndef RIPOSTE_POSIX_SIGNALS_H
#define RIPOSTE_POSIX_SIGNALS_H

#include <setjmp.h>
#include <signal.h>

#include "../posix.h"

#define SIGNAL_BIT(number) (UINT64_C(1) << (number))
/* Cancels the thread that it is sent to. It has no name for programs, which neither send nor take it. */
#define SIGNAL_CANCEL 16
/* Nobody handles, masks or ignores these. */
#define SIGNAL_NEVER (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGNAL_CANCEL))

/* Whether a set can hold it. */
static inline bool is_in_range(int number)
{
    return number > 0 && number <= SIGRTMAX;
}

/* Whether a program can send and handle it. */
static inline bool is_signal(int number)
{
    return is_in_range(number) && number != SIGNAL_CANCEL;
}

/* Where in a frame it stands at which instruction the thread goes on. */
static inline uint32_t *posix_frame_place(uint32_t *frame)
{
#ifdef __arm__
    /* Of the words that the processor has stored, whose address is behind the kernel's own and the message registers. */
    return (uint32_t *)(uintptr_t)frame[4 + 8] + 6;
#else
    /* The last word: behind the kernel's own, the message registers, twenty others and the stack pointer. */
    return frame + 4 + 8 + 20 + 1;
#endif
}

/* Whether the kernel has signals: some process's manifest says so. Whoever asks has the dispatcher linked, without which
 * nothing is unmasked and there are no default actions. */
bool posix_has_signals(void);

/* The calling thread masks these from now on, in an application with signals. */
void posix_set_mask(uint64_t masked);

/* Whether the calling thread's signals wait for posix_signals_admit. */
bool posix_signals_are_deferred(void);

/* Does with a signal what its action says. `frame` is that of what is interrupted, NULL if nothing is. */
void posix_signal_act(uint32_t number, uint32_t word, uint32_t *frame);

/* Of an application without signals: does so at once, in the calling thread, or behind a handler there that masks it. */
void posix_signal_act_now(uint32_t number, uint32_t word);

/* Who has sent a signal that is taken, as si_code says it, if that was a timer or a message queue, whose value it stores;
 * else 0. All signals are masked. Linked with these alone. */
int posix_event_take(uint32_t number, uint32_t *word) __attribute__((weak));

/* What is known of a signal, of who has sent it (as posix_event_take says), and of the word that has come with it. */
void posix_signal_info(uint32_t number, int code, uint32_t word, siginfo_t *info);

/* Calls a function with an argument on the stack that sigaltstack has set, if there is one; linked only with that. */
bool posix_on_other_stack(void (*function)(void *), void *argument) __attribute__((weak));

/* What siglongjmp brings back: what the calling thread masks, which it masks again, and takes what waited for that. Linked
 * only if the program uses signals. */
uint64_t posix_jump_masked(void) __attribute__((weak));
void posix_jump_mask(uint64_t masked) __attribute__((weak));

/* siglongjmp: unless `where` is on the stack that sigaltstack has set, handlers run there no more that do not ask for it. Whoever
 * is on that stack jumps here. Linked only with sigaltstack. */
void posix_leave_other_stack(sigjmp_buf where, int value) __attribute__((weak));

#endif
