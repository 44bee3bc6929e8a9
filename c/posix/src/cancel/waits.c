/* The waits of cancellation points, which end for a cancellation. The linker puts these in the places of those of
 * riposte.h, in a program that cancels threads. */

#include "../signal/signals.h"
#include "cancel.h"

#define CALL_ABOUT_SIGNALS(number) RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_SIGNAL, number)
/* Of the calls about signals: WAIT, SUSPEND. */
#define SIGNAL_SUSPEND 5
#define SIGNAL_WAIT 6

void __real_riposte_raw_call(uint32_t *registers, const uint32_t *extra);
riposte_error_t __real_riposte_futex_wait_until(const uint32_t *word, uint32_t expected, riposte_deadline_t deadline);
riposte_error_t __real_riposte_private_semaphore_wait(riposte_semaphore_t *semaphore, riposte_deadline_t deadline);
riposte_error_t __real_riposte_signal_suspend_until(uint64_t masked, riposte_deadline_t deadline);
riposte_error_t __real_riposte_signal_wait_until(uint64_t set, riposte_deadline_t deadline, uint32_t *signal,
                                                 uint32_t *word);
riposte_error_t __real_riposte_sleep_until(uint64_t moment);

void __wrap_riposte_raw_call(uint32_t *registers, const uint32_t *extra);
riposte_error_t __wrap_riposte_futex_wait_until(const uint32_t *word, uint32_t expected, riposte_deadline_t deadline);
riposte_error_t __wrap_riposte_private_semaphore_wait(riposte_semaphore_t *semaphore, riposte_deadline_t deadline);
riposte_error_t __wrap_riposte_private_semaphore_wait_for_ever(riposte_semaphore_t *semaphore);
riposte_error_t __wrap_riposte_signal_suspend_until(uint64_t masked, riposte_deadline_t deadline);
riposte_error_t __wrap_riposte_signal_wait_until(uint64_t set, riposte_deadline_t deadline, uint32_t *signal,
                                                 uint32_t *word);
riposte_error_t __wrap_riposte_sleep_until(uint64_t moment);

/* Whether the calling thread waits as a cancellation point does. What it does with its signals deferred is done to its end,
 * also when the cancellation has come already. */
static bool is_inside(void)
{
    return posix_cancellation.inside && !posix_signals_are_deferred();
}

/* A call of two words until a deadline. What comes back of them, in their places. */
static riposte_error_t call(uint32_t number, uint32_t words[2], riposte_deadline_t deadline)
{
    uint32_t registers[8] = {number, words[0], 0, 0, words[1], 0, 0, 0};
    const uint32_t extra[5] = {(uint32_t)deadline, (uint32_t)(deadline >> 32), 0, 0, 0};
    if (deadline != RIPOSTE_FOREVER)
        registers[2] = RIPOSTE_INFO_DEADLINE;
    posix_cancel_call(registers, extra);
    if (registers[2] & RIPOSTE_INFO_ERROR)
        return (riposte_error_t)registers[0];
    words[0] = registers[1];
    words[1] = registers[4];
    return RIPOSTE_OK;
}

void __wrap_riposte_raw_call(uint32_t *registers, const uint32_t *extra)
{
    if (is_inside())
        posix_cancel_call(registers, extra);
    else
        __real_riposte_raw_call(registers, extra);
}

riposte_error_t __wrap_riposte_futex_wait_until(const uint32_t *word, uint32_t expected, riposte_deadline_t deadline)
{
    uint32_t words[2] = {(uint32_t)(uintptr_t)word, expected};
    if (is_inside()) {
        const riposte_error_t error = call(RIPOSTE_NUMBER_FUTEX_WAIT, words, deadline);
        if (error != RIPOSTE_ERROR_BAD_CALL)
            return error;
        /* Nobody can cancel the only thread of a process without signals while it waits. */
    }
    return __real_riposte_futex_wait_until(word, expected, deadline);
}

/* Says that somebody waits, unless there are units; whether it says so. */
static bool announce(riposte_semaphore_t *semaphore)
{
    uint32_t units = 0;
    return riposte_word_load(&semaphore->word) == RIPOSTE_SEMAPHORE_WAITERS
        || riposte_word_compare_exchange(&semaphore->word, &units, RIPOSTE_SEMAPHORE_WAITERS);
}

riposte_error_t __wrap_riposte_private_semaphore_wait(riposte_semaphore_t *semaphore, riposte_deadline_t deadline)
{
    if (!is_inside())
        return __real_riposte_private_semaphore_wait(semaphore, deadline);
    while (deadline != RIPOSTE_IMMEDIATE) {
        if (announce(semaphore)) {
            uint32_t words[2] = {(uint32_t)(uintptr_t)&semaphore->word, RIPOSTE_SEMAPHORE_WAITERS};
            /* Who is woken has a unit; if the word has changed, there may be one. */
            const riposte_error_t error = call(RIPOSTE_NUMBER_FUTEX_WAIT, words, deadline);
            if (error == RIPOSTE_ERROR_BAD_CALL)
                return __real_riposte_private_semaphore_wait(semaphore, deadline);
            if (error != RIPOSTE_ERROR_WOULD_BLOCK)
                return error;
        }
        if (riposte_semaphore_try_take(semaphore) == RIPOSTE_OK)
            return RIPOSTE_OK;
    }
    return RIPOSTE_ERROR_WOULD_BLOCK;
}

riposte_error_t __wrap_riposte_private_semaphore_wait_for_ever(riposte_semaphore_t *semaphore)
{
    return __wrap_riposte_private_semaphore_wait(semaphore, RIPOSTE_FOREVER);
}

riposte_error_t __wrap_riposte_signal_suspend_until(uint64_t masked, riposte_deadline_t deadline)
{
    uint32_t words[2] = {(uint32_t)masked, (uint32_t)(masked >> 32)};
    riposte_error_t error;
    if (!is_inside())
        return __real_riposte_signal_suspend_until(masked, deadline);
    error = call(CALL_ABOUT_SIGNALS(SIGNAL_SUSPEND), words, deadline);
    return error == RIPOSTE_ERROR_INTERRUPTED ? RIPOSTE_OK : error;
}

riposte_error_t __wrap_riposte_signal_wait_until(uint64_t set, riposte_deadline_t deadline, uint32_t *signal,
                                                 uint32_t *word)
{
    uint32_t words[2] = {(uint32_t)set, (uint32_t)(set >> 32)};
    riposte_error_t error;
    if (!is_inside())
        return __real_riposte_signal_wait_until(set, deadline, signal, word);
    error = call(CALL_ABOUT_SIGNALS(SIGNAL_WAIT), words, deadline);
    if (error == RIPOSTE_OK) {
        *signal = words[0];
        *word = words[1];
    }
    return error;
}

riposte_error_t __wrap_riposte_sleep_until(uint64_t moment)
{
    uint32_t registers[8] = {RIPOSTE_NUMBER_SLEEP, 0, 0, 0, 0, 0, 0, 0};
    const uint32_t extra[5] = {(uint32_t)moment, (uint32_t)(moment >> 32), 0, 0, 0};
    if (!is_inside())
        return __real_riposte_sleep_until(moment);
    posix_cancel_call(registers, extra);
    return registers[2] & RIPOSTE_INFO_ERROR ? (riposte_error_t)registers[0] : RIPOSTE_OK;
}
