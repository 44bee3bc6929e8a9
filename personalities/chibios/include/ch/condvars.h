/* Condition variables. Included by ch.h. */

#ifndef CH_CONDVARS_H
#define CH_CONDVARS_H

typedef struct ch_condition_variable {
    uint32_t turns;      /* broadcasts, and signals that found nobody asleep */
    uint32_t broadcasts; /* of these */
} condition_variable_t;

/* What a condition variable begins as that is a part of something. */
#define _CONDVAR_DATA(name) {0, 0}
#define CONDVAR_DECL(name) condition_variable_t name = _CONDVAR_DATA(name)

/** Makes a condition variable.
 *
 * @param condition Where it is to be. */
RIPOSTE_PRIVATE_INLINE void chCondObjectInit(condition_variable_t *condition)
{
    condition->turns = 0;
    condition->broadcasts = 0;
}

/** Lets the most urgent thread that waits go on, with MSG_OK.
 *
 * @param condition The condition variable.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread. */
void chCondSignal(condition_variable_t *condition);
#define chCondSignalI(condition) chCondSignal(condition)

/** Lets all threads that wait go on, with MSG_RESET.
 *
 * @param condition The condition variable.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread. */
void chCondBroadcast(condition_variable_t *condition);
#define chCondBroadcastI(condition) chCondBroadcast(condition)

/** Unlocks the mutex that the calling thread has locked last, waits, and locks it again.
 *
 * @param condition The condition variable.
 * @return MSG_OK after a signal, MSG_RESET after a broadcast.
 * @blocks Until then, and until the mutex is the caller's again.
 * @from A thread that owns a mutex. */
msg_t chCondWait(condition_variable_t *condition);

/** As chCondWait, but not for longer than a time. After MSG_TIMEOUT the mutex is not locked.
 *
 * @param condition The condition variable.
 * @param timeout Ticks, or TIME_INFINITE.
 * @return As chCondWait, or MSG_TIMEOUT.
 * @blocks Until then, or for the time.
 * @from A thread that owns a mutex. */
msg_t chCondWaitTimeout(condition_variable_t *condition, sysinterval_t timeout);
/** As chCondWaitTimeout, within chSysLock, which a thread that waits is out of. */
msg_t chCondWaitTimeoutS(condition_variable_t *condition, sysinterval_t timeout);
#define chCondWaitS(condition) chCondWaitTimeoutS((condition), TIME_INFINITE)

#endif
