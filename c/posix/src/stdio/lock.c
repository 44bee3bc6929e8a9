/* The locks of the C library: of each of its streams, and of what all threads share. In place of its own, which do
 * nothing. */

#include <stdlib.h>
#include <sys/lock.h>

#include "../cancel/cancel.h"
#include "lock.h"

struct __lock __lock___libc_recursive_mutex;

/* Those of streams are made in streams.c. */
void __retarget_lock_init_recursive(_LOCK_T *lock)
{
    *lock = calloc(1, sizeof **lock);
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
    free(lock);
}

/* One for which there was no memory is none. */
void __retarget_lock_acquire(_LOCK_T lock)
{
    if (!lock)
        return;
    stream_take(&lock->mutex);
    /* Who is cancelled gives no stream back. */
    if (posix_cancel_hold)
        posix_cancel_hold();
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
    __retarget_lock_acquire(lock);
}

int __retarget_lock_try_acquire(_LOCK_T lock)
{
    if (!lock || riposte_recursive_mutex_try_lock(&lock->mutex) != RIPOSTE_OK)
        return 0;
    if (posix_cancel_hold)
        posix_cancel_hold();
    return 1;
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
    return __retarget_lock_try_acquire(lock);
}

void __retarget_lock_release(_LOCK_T lock)
{
    if (!lock)
        return;
    riposte_recursive_mutex_unlock(&lock->mutex);
    if (posix_cancel_release)
        posix_cancel_release();
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
    __retarget_lock_release(lock);
}
