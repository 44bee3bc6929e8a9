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

msg_t ch_semaphore_wait_until(semaphore_t *semaphore, riposte_deadline_t deadline)
{
    if (deadline == RIPOSTE_IMMEDIATE)
        return MSG_TIMEOUT;
    return ch_semaphore_wait(semaphore, deadline);
}

void chSemReset(semaphore_t *semaphore, cnt_t units)
{
    uint32_t woken;
    ch_lock(&semaphore->lock);
    riposte_word_store(&semaphore->resets, semaphore->resets | 1);
    riposte_word_store(&semaphore->word, (uint32_t)units);
    woken = ch_wake_all(&semaphore->word);
    semaphore->let_go += woken;
    riposte_word_add(&semaphore->waiting, -woken);
    riposte_word_store(&semaphore->resets, semaphore->resets + 1);
    ch_unlock(&semaphore->lock);
}

void chSemAddCounterI(semaphore_t *semaphore, cnt_t units)
{
    for (; units > 0; units--)
        chSemSignal(semaphore);
}
