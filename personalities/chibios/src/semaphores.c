/* What is not inline of semaphores. */

#include <ch.h>

uint32_t ch_semaphore_settled(semaphore_t *semaphore)
{
    uint32_t resets;
    ch_lock(&semaphore->lock);
    /* A thread may have died that reset it. */
    semaphore->resets += semaphore->resets & 1;
    resets = semaphore->resets;
    ch_unlock(&semaphore->lock);
    return resets;
}

/* As many of those who know of an older reset were let go as `let_go` says; the others have a unit. Which is
 * which makes no difference. */
msg_t ch_semaphore_why(semaphore_t *semaphore, uint32_t *resets)
{
    msg_t why = MSG_OK;
    ch_lock(&semaphore->lock);
    *resets = semaphore->resets;
    if (semaphore->let_go != 0) {
        semaphore->let_go--;
        why = MSG_RESET;
    }
    ch_unlock(&semaphore->lock);
    return why;
}

bool ch_semaphore_mark(semaphore_t *semaphore)
{
    const uint32_t resets = riposte_word_load(&semaphore->resets);
    const uint32_t known = riposte_word_load(&semaphore->queue.first);
    if (!ch_swap_if(&semaphore->word, 0, RIPOSTE_SEMAPHORE_WAITERS))
        return false;
    /* Nobody waited, unless a reset has just begun: what was known is of units that nobody waited for. */
    if ((resets & 1) == 0 && riposte_word_load(&semaphore->resets) == resets)
        riposte_word_add(&semaphore->queue.first, -known);
    return true;
}

msg_t ch_semaphore_not_woken(semaphore_t *semaphore, uint32_t resets, riposte_error_t error)
{
    if (riposte_word_load(&semaphore->resets) != resets) {
        ch_semaphore_settled(semaphore);
        return MSG_RESET;
    }
    return error == RIPOSTE_ERROR_TIMED_OUT ? MSG_TIMEOUT : CH_AGAIN;
}

msg_t ch_semaphore_wait_until(semaphore_t *semaphore, ch_units_t units, riposte_deadline_t deadline)
{
    if (deadline == RIPOSTE_IMMEDIATE)
        return MSG_TIMEOUT;
    return ch_semaphore_wait(semaphore, units, deadline);
}

void chSemReset(semaphore_t *semaphore, cnt_t units)
{
    uint32_t woken;
    chDbgCheck(units >= 0);
    ch_lock(&semaphore->lock);
    riposte_word_store(&semaphore->resets, semaphore->resets | 1);
    riposte_word_store(&semaphore->word, (uint32_t)units);
    woken = ch_wake_all(&semaphore->word);
    semaphore->let_go += woken;
    riposte_word_add(&semaphore->queue.first, -woken);
    riposte_word_store(&semaphore->resets, semaphore->resets + 1);
    ch_unlock(&semaphore->lock);
}

void chSemAddCounterI(semaphore_t *semaphore, cnt_t units)
{
    chDbgCheck(units >= 0);
    for (; units > 0; units--)
        chSemSignal(semaphore);
}

/* What the caller is let go from is any reset after it has given up the system's lock. */
msg_t ch_semaphore_wait_within_lock(semaphore_t *semaphore, ch_units_t units, sysinterval_t timeout)
{
    uint32_t resets;
    riposte_deadline_t deadline;
    msg_t message = CH_AGAIN;
    chDbgCheckClassS();
    if (ch_semaphore_try(semaphore, units))
        return MSG_OK;
    if (timeout == TIME_IMMEDIATE)
        return MSG_TIMEOUT;
    deadline = ch_deadline(timeout);
    resets = ch_semaphore_resets(semaphore);
    chSysUnlock();
    while (message == CH_AGAIN) {
        message = ch_semaphore_not_woken(semaphore, resets, RIPOSTE_OK);
        if (message == MSG_RESET)
            break;
        if (ch_semaphore_try(semaphore, units))
            message = MSG_OK;
        else
            message = ch_semaphore_sleep(semaphore, &resets, deadline);
    }
    chSysLock();
    return message;
}

void chSemFastWaitI(semaphore_t *semaphore)
{
    const bool had_one = ch_semaphore_try(semaphore, CH_ONE_UNIT);
    chDbgAssert(had_one, "chSemFastWaitI: there is no unit");
}
