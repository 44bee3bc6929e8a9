/* Spin locks. There is one processor: whoever holds one runs only while nobody spins who is as urgent. So they are the
 * kernel's locks, whose owner has the priority of those who wait. */

#include <pthread.h>

#include "../posix.h"
#include "circle.h"

static riposte_mutex_t *as_mutex(pthread_spinlock_t *lock)
{
    return (riposte_mutex_t *)(void *)lock;
}

static int number_of(riposte_error_t error)
{
    switch (error) {
    case RIPOSTE_OK:
        return 0;
    case RIPOSTE_ERROR_DEADLOCK:
        return EDEADLK;
    case RIPOSTE_ERROR_WOULD_BLOCK:
        return EBUSY;
    default:
        return EINVAL;
    }
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    lock->__word = 0;
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    return riposte_word_load(&lock->__word) & RIPOSTE_LOCK_OWNER_MASK ? EBUSY : 0;
}

/* Of a moment that does not come. */
#define NEVER (RIPOSTE_FOREVER - 1)

/* Who would wait for itself in the end spins: a handler may end that for it, or for another one in the circle. */
static COLD int spin(pthread_spinlock_t *lock)
{
    riposte_error_t error;
    if (riposte_private_mutex_is_own(as_mutex(lock)))
        return EDEADLK;
    posix_circle_enter();
    do
        error = riposte_mutex_lock(as_mutex(lock));
    while (error == RIPOSTE_ERROR_DEADLOCK
           && posix_circle_may_open(riposte_word_load(&lock->__word) & RIPOSTE_LOCK_OWNER_MASK, NEVER));
    posix_circle_leave();
    return number_of(error);
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
    return LIKELY(riposte_private_mutex_take(as_mutex(lock))) ? 0 : spin(lock);
}

int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    const riposte_error_t error = riposte_mutex_try_lock(as_mutex(lock));
    return error == RIPOSTE_ERROR_DEADLOCK ? EBUSY : number_of(error);
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    return riposte_mutex_unlock(as_mutex(lock)) == RIPOSTE_OK ? 0 : EPERM;
}
