/* What is not inline of mutexes. */

#include <ch.h>

void chMtxUnlockAll(void)
{
    mutex_t *mutex;
    while ((mutex = chMtxGetNextMutexX()) != NULL)
        chMtxUnlock(mutex);
}
