/* What POSIX's functions have in common. Not for programs. */

#ifndef RIPOSTE_POSIX_H
#define RIPOSTE_POSIX_H

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <riposte.h>

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define COLD __attribute__((cold, noinline))

#define NANOSECONDS 1000000000

/* The monotonic time of a moment of `clock`, RIPOSTE_FOREVER if it is too far off to tell, and never
 * RIPOSTE_IMMEDIATE. False if there is no such clock, or no such time. */
bool posix_deadline(clockid_t clock, const struct timespec *moment, riposte_deadline_t *deadline);

/* The monotonic time so far from now, or RIPOSTE_IMMEDIATE; false if that is no time. */
bool posix_deadline_in(const struct timespec *time, riposte_deadline_t *deadline);

/* What is to be added to the monotonic time for CLOCK_REALTIME, in nanoseconds. */
int64_t posix_realtime_offset(void);

/* The monotonic time of a moment of CLOCK_REALTIME, in nanoseconds; the last or the first if no number can tell it. */
int64_t posix_monotonic(int64_t moment);

/* Whether its nanoseconds are less than a second. */
bool posix_is_time(const struct timespec *time);

/* Nanoseconds since the clock's beginning; those that no number can tell are the last or the first. */
int64_t posix_nanoseconds(const struct timespec *time);

/* CLOCK_REALTIME was set: timers that wait for a moment of it look at it again. Linked with timers. */
void posix_timers_look(void) __attribute__((weak));

/* Stores nanoseconds as a time. */
void posix_timespec(uint64_t nanoseconds, struct timespec *time);

/* Sends the first bytes of `head`, and others behind them: in one piece, which takes the kernel less, if all of them fit into
 * registers. */
static inline riposte_error_t posix_send_behind(riposte_connection_t server, uint32_t head[RIPOSTE_MESSAGE_BYTES / 4],
                                                size_t before, const void *bytes, size_t length, void *answer,
                                                size_t room, riposte_deadline_t deadline, riposte_reply_t *reply)
{
    const riposte_part_t parts[2] = {{head, before}, {(void *)(uintptr_t)bytes, length}};
    const riposte_part_t into = {answer, room};
    if (length > RIPOSTE_MESSAGE_BYTES - before)
        return riposte_send_vector_until(server, parts, 2, &into, room ? 1 : 0, deadline, reply);
    if (length)
        memcpy((char *)head + before, bytes, length);
    return riposte_send_until(server, head, before + length, answer, room, deadline, reply);
}

/* A function begins to wait: signals that are handled from here on interrupt it. Linked only if the program uses signals. */
void posix_begin_wait(void) __attribute__((weak));
static inline void begin_wait(void)
{
    if (posix_begin_wait)
        posix_begin_wait();
}

/* Whether the calling thread has handled a signal since it began to wait last. Linked only if the program uses signals. */
bool posix_was_handled(void) __attribute__((weak));

/* How many signals the calling thread has handled ever. Linked only if the program uses signals. */
uint32_t posix_signals_handled(void) __attribute__((weak));

/* Whether a wait that signals have ended begins anew: all of them were ignored; or, if `restarts`, had a handler with
 * SA_RESTART. Linked only if the program uses signals. */
bool posix_again(bool restarts) __attribute__((weak));
#define AGAIN(restarts) (posix_again && posix_again(restarts))

/* Signals of the calling thread, a cancellation among them, wait until they are admitted again; what was masked before. For
 * requests that would be done all the same if a signal ended the wait for their answer: their servers do not wait. Linked
 * only if the program uses signals. */
uint64_t posix_signals_defer(void) __attribute__((weak));
void posix_signals_admit(uint64_t masked) __attribute__((weak));

/* Around such a request, and around locks that a handler may want. */
static inline uint64_t posix_hold_signals(void)
{
    return posix_signals_defer ? posix_signals_defer() : 0;
}

static inline void posix_release_signals(uint64_t masked)
{
    if (posix_signals_admit)
        posix_signals_admit(masked);
}

/* As riposte_private_thread_create, of a thread that is to begin with all signals masked: what a handler before that has its
 * storage kept there would be lost. With its argument it is handed what the calling thread masks. Linked only if the program
 * uses signals, those of riposte_signal_handle among them. */
riposte_error_t posix_create_masked(size_t entry, size_t body, void *argument, const riposte_thread_settings_t *how,
                                    riposte_thread_t *thread) __attribute__((weak));

/* The calling thread has begun, and masks what it is to; its argument. */
void *posix_inherit_mask(void *argument) __attribute__((weak));

/* Sends a signal to the calling thread, and does what its action says. Linked only if the program uses signals. */
riposte_error_t posix_raise(uint32_t number) __attribute__((weak));

/* What a server says whose statuses are errno's numbers, as a result: nobody takes it for one of success. */
static inline int posix_refusal(uint32_t status)
{
    return status < 4096 ? -(int)status : -EIO;
}

/* Sets errno; returns -1. */
int posix_fail(int error);

/* Of what is in order at any moment: the caller, who has the lock, may go on also when a thread died that had it. */
static inline void posix_repair(riposte_mutex_t *lock)
{
    if (riposte_mutex_owner_died(lock))
        riposte_mutex_repaired(lock);
}

/* Takes a lock of the library's own, of what is in order at any moment. */
static inline bool posix_take(riposte_mutex_t *lock)
{
    if (riposte_mutex_lock(lock) != RIPOSTE_OK)
        return false;
    posix_repair(lock);
    return true;
}

/* A lock of the library's own that handlers may want: no signal interrupts who has it, so that no handler finds it taken by
 * the thread that it runs in. */
struct posix_lock {
    riposte_mutex_t mutex;
    /* Which signals its owner had masked. */
    uint64_t masked;
};

/* Takes one, of what is in order at any moment. */
bool posix_lock(struct posix_lock *lock);
void posix_unlock(struct posix_lock *lock);

/* The kernel's number of a policy of <sched.h>; RIPOSTE_POLICY_SAME if there is none. */
uint32_t posix_policy_to_kernel(int policy);
/* And the other way round. */
int posix_policy_of_kernel(uint32_t policy);

#endif
