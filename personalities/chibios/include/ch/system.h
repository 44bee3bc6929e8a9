/* The system: its start, and what threads must not do at the same time. Included by ch.h. */

#ifndef CH_SYSTEM_H
#define CH_SYSTEM_H

/* The lock behind chSysLock. */
extern riposte_mutex_t ch_system_lock;

/** Makes the calling thread, the process's main one, a ChibiOS thread of priority NORMALPRIO. To be
 * called first.
 *
 * @blocks Never.
 * @from The main thread, once. */
void chSysInit(void);

/** Stops the process with a text, which the supervisor is told.
 *
 * @param reason Why.
 * @blocks It does not return.
 * @from Any thread. */
__attribute__((noreturn)) void chSysHalt(const char *reason);

/** Begins what the threads of this process do one at a time. Interrupts go on, and so do threads that
 * don't call it.
 *
 * @blocks Until nobody else is there; who is has the priority of the most urgent one that waits.
 * @from Any thread that is not there yet. */
RIPOSTE_PRIVATE_INLINE void chSysLock(void)
{
    ch_lock(&ch_system_lock);
}

/** Ends it.
 *
 * @blocks Never; a more urgent thread that waits runs at once.
 * @from The thread that began it. */
RIPOSTE_PRIVATE_INLINE void chSysUnlock(void)
{
    ch_unlock(&ch_system_lock);
}

/* The handler of an interrupt is a thread. */
#define chSysLockFromISR() chSysLock()
#define chSysUnlockFromISR() chSysUnlock()

/* Whether the calling thread is between chSysLock and chSysUnlock. */
RIPOSTE_PRIVATE_INLINE bool ch_system_is_locked(void)
{
    return riposte_private_mutex_is_own(&ch_system_lock);
}

/** Does chSysLock unless the calling thread has, whatever it is in.
 *
 * @blocks As chSysLock.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void chSysUnconditionalLock(void)
{
    if (!ch_system_is_locked())
        chSysLock();
}

/** Does chSysUnlock if the calling thread is within chSysLock.
 *
 * @blocks Never; a more urgent thread that waits runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void chSysUnconditionalUnlock(void)
{
    if (ch_system_is_locked())
        chSysUnlock();
}

/** Does chSysLock unless the calling thread has, and tells whether it had, for chSysRestoreStatusX.
 *
 * @return How it was.
 * @blocks As chSysLock.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE syssts_t chSysGetStatusAndLockX(void)
{
    const syssts_t status = ch_system_is_locked();
    chSysUnconditionalLock();
    return status;
}

/** Does chSysUnlock, unless the calling thread was within chSysLock before chSysGetStatusAndLockX.
 *
 * @param status What that has returned.
 * @blocks Never; a more urgent thread that waits runs at once.
 * @from The thread that called it. */
RIPOSTE_PRIVATE_INLINE void chSysRestoreStatusX(syssts_t status)
{
    if (status == 0)
        chSysUnlock();
}

/* Who is woken and more urgent runs at once, or is about to, once the caller is out of chSysLock. */
#define chSchRescheduleS() chDbgCheckClassS()

/* What a call that ends in S or I takes for granted: that the caller is within chSysLock. */
#define chDbgCheckClassS() ch_check_locked("a call of class S without chSysLock")
#define chDbgCheckClassI() ch_check_locked("a call of class I without chSysLock")
RIPOSTE_PRIVATE_INLINE void ch_check_locked(const char *remark)
{
    if (!ch_system_is_locked())
        chSysHalt(remark);
}

/* What chSysIntegrityCheckI looks at; of the ready list and the port, which are the kernel's, nothing. */
#define CH_INTEGRITY_RLIST 1U
#define CH_INTEGRITY_VTLIST 2U
#define CH_INTEGRITY_REGISTRY 4U
#define CH_INTEGRITY_PORT 8U

/** Looks whether lists are in order.
 *
 * @param which Which: CH_INTEGRITY_*.
 * @return Whether one is not.
 * @blocks While another thread changes one.
 * @from Any thread. */
bool chSysIntegrityCheckI(unsigned which);

#define chDbgCheck(condition)                                                                        \
    do {                                                                                             \
        if (!(condition))                                                                            \
            chSysHalt(__func__);                                                                     \
    } while (0)
#define chDbgAssert(condition, remark)                                                               \
    do {                                                                                             \
        if (!(condition))                                                                            \
            chSysHalt(remark);                                                                       \
    } while (0)

#endif
