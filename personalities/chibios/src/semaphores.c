/* What is not inline of semaphores. */

#include <ch.h>

bool ch_semaphore_announce(semaphore_t *semaphore, uint32_t resets)
{
    bool is_announced;
    ch_lock(&semaphore->lock);
    is_announced = semaphore->resets == resets
                   && (riposte_word_load(&semaphore->word) == RIPOSTE_SEMAPHORE_WAITERS
                       || ch_swap_if(&semaphore->word, 0, RIPOSTE_SEMAPHORE_WAITERS));
    ch_unlock(&semaphore->lock);
    return is_announced;
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

/* Under the lock, so that nobody begins to wait who would be let go, too. */
void chSemReset(semaphore_t *semaphore, cnt_t units)
{
    uint32_t woken;
    ch_lock(&semaphore->lock);
    semaphore->resets++;
    riposte_word_store(&semaphore->word, (uint32_t)units);
    woken = ch_wake_all(&semaphore->word);
    semaphore->let_go += woken;
    riposte_word_add(&semaphore->waiting, -woken);
    ch_unlock(&semaphore->lock);
}

void chSemAddCounterI(semaphore_t *semaphore, cnt_t units)
{
    for (; units > 0; units--)
        chSemSignal(semaphore);
}
