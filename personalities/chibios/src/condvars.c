/* Condition variables: a word that changes with each broadcast, and with each signal that finds nobody asleep. */

#include <ch.h>

void chCondSignal(condition_variable_t *condition)
{
    /* Who sleeps goes on by the wake alone: who is on the way to sleep finds the word as it was, and does. */
    if (ch_wake(&condition->turns) != 0)
        return;
    /* Who is on the way is not to sleep any more, and may sleep by now. */
    riposte_word_add(&condition->turns, 1);
    ch_wake(&condition->turns);
}

void chCondBroadcast(condition_variable_t *condition)
{
    riposte_word_add(&condition->broadcasts, 1);
    riposte_word_add(&condition->turns, 1);
    ch_wake_all(&condition->turns);
}

static msg_t wait_until(condition_variable_t *condition, riposte_deadline_t deadline, bool is_system_locked)
{
    mutex_t *mutex = chMtxGetNextMutexX();
    const uint32_t turns = riposte_word_load(&condition->turns);
    const uint32_t broadcasts = riposte_word_load(&condition->broadcasts);
    msg_t result;
    chDbgAssert(mutex != NULL, "chCondWait: no mutex is locked");
    chMtxUnlock(mutex);
    if (is_system_locked)
        chSysUnlock();
    /* If it was signalled since the mutex was unlocked, this does not wait. */
    if (ch_wait_until(&condition->turns, turns, deadline) == RIPOSTE_ERROR_TIMED_OUT)
        return MSG_TIMEOUT;
    /* Before it waits for the mutex: what comes then is not for who has been let go. */
    result = riposte_word_load(&condition->broadcasts) == broadcasts ? MSG_OK : MSG_RESET;
    chMtxLock(mutex);
    return result;
}

msg_t chCondWait(condition_variable_t *condition)
{
    return wait_until(condition, RIPOSTE_FOREVER, false);
}

msg_t chCondWaitTimeout(condition_variable_t *condition, sysinterval_t timeout)
{
    return wait_until(condition, ch_deadline(timeout), false);
}

msg_t chCondWaitTimeoutS(condition_variable_t *condition, sysinterval_t timeout)
{
    msg_t message;
    chDbgCheckClassS();
    message = wait_until(condition, ch_deadline(timeout), true);
    chSysLock();
    return message;
}
