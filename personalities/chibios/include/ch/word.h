/* What every object is made of: words of memory that threads change in one step and wait at. Included
 * by ch.h; nothing here is for programs.
 *
 * A call of the kernel leaves no register as it was. So what a switch of threads is measured by is
 * inline: the compiler saves what its caller still needs, and not all that a function has to. */

#ifndef CH_WORD_H
#define CH_WORD_H

/* Stops the process: an object was not initialized, or is in no memory of this process. */
__attribute__((noreturn, cold)) void ch_halt(riposte_error_t error);

/* Puts `to` into a word if that holds `from`; whether it did. */
RIPOSTE_PRIVATE_INLINE bool ch_swap_if(uint32_t *word, uint32_t from, uint32_t to)
{
    return riposte_word_compare_exchange(word, &from, to);
}

/* Waits at a word that holds `expected`, without a deadline: until it is woken or a signal was handled, or
 * not at all if the word holds something else. Whether it was woken; if not, one looks again. */
RIPOSTE_PRIVATE_INLINE bool ch_wait(uint32_t *word, uint32_t expected)
{
    uint32_t error, unused;
    /* Where the error is, this call brings RIPOSTE_OK back: a flag need not be asked for. */
    riposte_private_trap_at_word(RIPOSTE_NUMBER_FUTEX_WAIT, word, expected, &error, &unused);
    if (RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK))
        return true;
    if (error != RIPOSTE_ERROR_WOULD_BLOCK && error != RIPOSTE_ERROR_INTERRUPTED)
        ch_halt((riposte_error_t)error);
    return false;
}

/* Takes a mutex of the library. */
RIPOSTE_PRIVATE_INLINE void ch_lock(riposte_mutex_t *mutex)
{
    const riposte_error_t error = riposte_mutex_lock(mutex);
    if (error != RIPOSTE_OK)
        ch_halt(error);
}

/* Gives it up. */
RIPOSTE_PRIVATE_INLINE void ch_unlock(riposte_mutex_t *mutex)
{
    const riposte_error_t error = riposte_mutex_unlock(mutex);
    if (error != RIPOSTE_OK)
        ch_halt(error);
}

/* As ch_wait, but not beyond a deadline, and whatever signals are handled. RIPOSTE_OK,
 * RIPOSTE_ERROR_WOULD_BLOCK (which it is at once if the deadline is RIPOSTE_IMMEDIATE, too) or
 * RIPOSTE_ERROR_TIMED_OUT. */
riposte_error_t ch_wait_until(uint32_t *word, uint32_t expected, riposte_deadline_t deadline);

/* Wakes the most urgent thread that waits at a word; how many it has woken. */
RIPOSTE_PRIVATE_INLINE uint32_t ch_wake(uint32_t *word)
{
    uint32_t woken = 0;
    const riposte_error_t error = riposte_word_wake(word, 1, &woken);
    if (error != RIPOSTE_OK)
        ch_halt(error);
    return woken;
}

/* Gives a unit of the semaphore at a word, for which somebody may wait. */
RIPOSTE_PRIVATE_INLINE void ch_give(uint32_t *word)
{
    uint32_t error;
    const uint32_t info =
        riposte_private_trap_about(RIPOSTE_NUMBER_FUTEX_GIVE, (uint32_t)(uintptr_t)word, &error);
    if (!RIPOSTE_PRIVATE_LIKELY((info & RIPOSTE_INFO_ERROR) == 0))
        ch_halt((riposte_error_t)error);
}

/* Wakes all threads that wait at a word; how many it has woken. */
uint32_t ch_wake_all(uint32_t *word);

#endif
