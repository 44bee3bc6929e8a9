/* Locks that handlers may want. */

#include "posix.h"

bool posix_lock(struct posix_lock *lock)
{
    const uint64_t before = posix_hold_signals();
    if (!posix_take(&lock->mutex)) {
        posix_release_signals(before);
        return false;
    }
    lock->masked = before;
    return true;
}

void posix_unlock(struct posix_lock *lock)
{
    const uint64_t before = lock->masked;
    riposte_mutex_unlock(&lock->mutex);
    posix_release_signals(before);
}
