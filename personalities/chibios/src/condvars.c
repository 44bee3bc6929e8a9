/* Condition variables: a word that each signal changes. */

#include <ch.h>

void chCondSignal(condition_variable_t *condition)
{
    riposte_word_add(&condition->turns, 1);
    ch_wake(&condition->turns);
}

void chCondBroadcast(condition_variable_t *condition)
{
    riposte_word_add(&condition->broadcasts, 1);
    riposte_word_add(&condition->turns, 1);
    ch_wake_all(&condition->turns);
}

static msg_t wait_until(condition_variable_t *condition, riposte_deadline_t deadline)
{
    mutex_t *mutex = chMtxGetNextMutexX();
    const uint32_t turns = riposte_word_load(&condition->turns);
    const uint32_t broadcasts = riposte_word_load(&condition->broadcasts);
    chDbgAssert(mutex != NULL, "chCondWait: no mutex is locked");
    chMtxUnlock(mutex);
    /* If it was signalled since the mutex was unlocked, this does not wait. */
    if (ch_wait_until(&condition->turns, turns, deadline) == RIPOSTE_ERROR_TIMED_OUT)
        return MSG_TIMEOUT;
    chMtxLock(mutex);
    return riposte_word_load(&condition->broadcasts) == broadcasts ? MSG_OK : MSG_RESET;
}

msg_t chCondWait(condition_variable_t *condition)
{
    return wait_until(condition, RIPOSTE_FOREVER);
}

msg_t chCondWaitTimeout(condition_variable_t *condition, sysinterval_t timeout)
{
    return wait_until(condition, ch_deadline(timeout));
}
