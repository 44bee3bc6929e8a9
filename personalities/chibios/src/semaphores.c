/* What is not inline of semaphores. */

#include <ch.h>

msg_t ch_semaphore_wait_until(semaphore_t *semaphore, riposte_deadline_t deadline)
{
    const uint32_t resets = semaphore->resets;
    if (deadline == RIPOSTE_IMMEDIATE)
        return MSG_TIMEOUT;
    if (deadline == RIPOSTE_FOREVER)
        return ch_semaphore_wait(semaphore);
    for (;;) {
        riposte_error_t error;
        riposte_word_add(&semaphore->waiting, 1);
        error = ch_wait_until(&semaphore->units, 0, deadline);
        if (error != RIPOSTE_OK)
            riposte_word_add(&semaphore->waiting, -1u);
        if (semaphore->resets != resets)
            return MSG_RESET;
        if (ch_semaphore_try(semaphore))
            return MSG_OK;
        if (error == RIPOSTE_TIMED_OUT)
            return MSG_TIMEOUT;
    }
}

void chSemReset(semaphore_t *semaphore, cnt_t units)
{
    uint32_t woken;
    riposte_word_add(&semaphore->resets, 1);
    riposte_word_store(&semaphore->units, (uint32_t)units);
    woken = ch_wake_all(&semaphore->units);
    riposte_word_add(&semaphore->waiting, -woken);
}

void chSemAddCounterI(semaphore_t *semaphore, cnt_t units)
{
    for (; units > 0; units--)
        chSemSignal(semaphore);
}
