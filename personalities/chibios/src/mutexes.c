/* What is not inline of mutexes. */

#include <ch.h>

void chMtxUnlockAll(void)
{
    mutex_t *mutex;
    while ((mutex = chMtxGetNextMutexX()) != NULL)
        chMtxUnlock(mutex);
}

void chMtxLockS(mutex_t *mutex)
{
    chDbgCheckClassS();
    if (!chMtxTryLock(mutex)) {
        chSysUnlock();
        chMtxLock(mutex);
        chSysLock();
    }
}
