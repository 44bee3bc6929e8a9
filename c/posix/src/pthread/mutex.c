/* Mutexes: the kernel's lock, whose owner has at least the priority of all who wait; and what POSIX adds, which is
 * behind the short ways. */

#include "mutex.h"

#include "../posix.h"
#include "circle.h"

/* In the lock's place of a mutex with a ceiling: no thread has this id. */
#define HAS_CEILING UINT32_MAX
/* In place of PTHREAD_MUTEX_STALLED and ROBUST: what it protects is lost. */
#define LOST 2

static uint32_t *lock_of(pthread_mutex_t *mutex)
{
    return mutex->__protocol == PTHREAD_PRIO_PROTECT ? &mutex->__inner : &mutex->__word;
}

static riposte_mutex_t *as_mutex(uint32_t *lock)
{
    return (riposte_mutex_t *)lock;
}

COLD bool posix_mutex_is_own(pthread_mutex_t *mutex)
{
    return riposte_private_mutex_is_own(as_mutex(lock_of(mutex)));
}

/* Waits until a deadline for what the caller itself keeps from happening. */
static int wait_in_vain(riposte_deadline_t deadline)
{
    if (deadline == RIPOSTE_IMMEDIATE)
        return EBUSY;
    /* A signal is handled meanwhile. */
    while (riposte_sleep_until(deadline) != RIPOSTE_OK)
        ;
    return ETIMEDOUT;
}

/* The caller has the mutex already. */
static int lock_again(pthread_mutex_t *mutex, riposte_deadline_t deadline)
{
    switch (mutex->__type) {
    case PTHREAD_MUTEX_RECURSIVE:
        if (mutex->__again == UINT32_MAX)
            return EAGAIN;
        mutex->__again++;
        return 0;
    case PTHREAD_MUTEX_NORMAL:
        return wait_in_vain(deadline);
    default:
        return deadline == RIPOSTE_IMMEDIATE ? EBUSY : EDEADLK;
    }
}

/* The caller has got the lock: whether the mutex is usable. */
static int accept(pthread_mutex_t *mutex, uint32_t *lock)
{
    mutex->__again = 0;
    if (!riposte_mutex_owner_died(as_mutex(lock)))
        return 0;
    if (mutex->__robust == PTHREAD_MUTEX_ROBUST)
        return EOWNERDEAD;
    if (mutex->__robust == LOST) {
        /* Its word goes on to say that an owner died: the short way does not take it, and all who wait come here. */
        riposte_mutex_unlock(as_mutex(lock));
        return ENOTRECOVERABLE;
    }
    riposte_mutex_repaired(as_mutex(lock));
    return 0;
}

static int take(pthread_mutex_t *mutex, uint32_t *lock, riposte_deadline_t deadline)
{
    for (;;)
        switch (riposte_mutex_lock_until(as_mutex(lock), deadline)) {
        case RIPOSTE_OK:
            return accept(mutex, lock);
        case RIPOSTE_ERROR_TIMED_OUT:
            return ETIMEDOUT;
        case RIPOSTE_ERROR_WOULD_BLOCK:
            return EBUSY;
        case RIPOSTE_ERROR_DEADLOCK:
            if (!posix_is_to_try_again(riposte_word_load(lock) & RIPOSTE_LOCK_OWNER_MASK, deadline))
                return deadline == RIPOSTE_FOREVER ? EDEADLK : ETIMEDOUT;
            break;
        default:
            return EINVAL;
        }
}

COLD int posix_mutex_lock_until(pthread_mutex_t *mutex, riposte_deadline_t deadline)
{
    uint32_t *lock = lock_of(mutex);
    int error, refused;
    if (riposte_private_mutex_is_own(as_mutex(lock)))
        return lock_again(mutex, deadline);
    if (mutex->__protocol != PTHREAD_PRIO_PROTECT)
        return take(mutex, lock, deadline);
    /* Somebody else has made it, or written that it has a ceiling, in memory that is shared. */
    if (!posix_ceiling_enter)
        return EINVAL;
    error = posix_ceiling_enter(mutex);
    if (error)
        return error;
    error = take(mutex, lock, deadline);
    if (error && error != EOWNERDEAD) {
        posix_ceiling_leave(mutex);
        return error;
    }
    /* Whoever had it may have given it another ceiling. */
    refused = posix_ceiling_follow(mutex);
    if (!refused)
        return error;
    riposte_mutex_unlock(as_mutex(lock));
    return refused;
}

static COLD int unlock(pthread_mutex_t *mutex)
{
    uint32_t *lock = lock_of(mutex);
    if (!riposte_private_mutex_is_own(as_mutex(lock)))
        return EPERM;
    if (mutex->__again) {
        mutex->__again--;
        return 0;
    }
    if (mutex->__robust == PTHREAD_MUTEX_ROBUST && riposte_mutex_owner_died(as_mutex(lock)))
        mutex->__robust = LOST;
    if (mutex->__protocol != PTHREAD_PRIO_PROTECT)
        return riposte_mutex_unlock(as_mutex(lock)) == RIPOSTE_OK ? 0 : EPERM;
    riposte_mutex_unlock(as_mutex(lock));
    if (posix_ceiling_leave)
        posix_ceiling_leave(mutex);
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (LIKELY(riposte_private_word_take(&mutex->__word, riposte_private_own_id())))
        return 0;
    return posix_mutex_lock_until(mutex, RIPOSTE_FOREVER);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    if (LIKELY(riposte_private_word_take(&mutex->__word, riposte_private_own_id())))
        return 0;
    return posix_mutex_lock_until(mutex, RIPOSTE_IMMEDIATE);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (LIKELY(mutex->__again == 0)
        && LIKELY(riposte_private_word_change(&mutex->__word, riposte_private_own_id(), 0)))
        return 0;
    return unlock(mutex);
}

int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
    uint32_t *lock = lock_of(mutex);
    if (mutex->__robust != PTHREAD_MUTEX_ROBUST || !riposte_private_mutex_is_own(as_mutex(lock))
        || !riposte_mutex_owner_died(as_mutex(lock)))
        return EINVAL;
    riposte_mutex_repaired(as_mutex(lock));
    return 0;
}

int pthread_mutex_init(pthread_mutex_t *restrict mutex, const pthread_mutexattr_t *restrict attr)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    *mutex = fresh;
    if (attr) {
        mutex->__type = attr->__type;
        mutex->__protocol = attr->__protocol;
        mutex->__robust = attr->__robust;
        mutex->__ceiling = attr->__ceiling;
        if (attr->__protocol == PTHREAD_PRIO_PROTECT)
            mutex->__word = HAS_CEILING;
    }
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    const uint32_t word = riposte_word_load(lock_of(mutex));
    return (word & RIPOSTE_LOCK_OWNER_MASK) ? EBUSY : 0;
}

int pthread_mutex_getprioceiling(const pthread_mutex_t *restrict mutex, int *restrict ceiling)
{
    if (mutex->__protocol != PTHREAD_PRIO_PROTECT)
        return EINVAL;
    *ceiling = mutex->__ceiling;
    return 0;
}

int pthread_mutex_setprioceiling(pthread_mutex_t *restrict mutex, int ceiling, int *restrict before)
{
    uint32_t *lock = &mutex->__inner;
    int error;
    if (mutex->__protocol != PTHREAD_PRIO_PROTECT || !posix_ceiling_enter || ceiling < sched_get_priority_min(SCHED_FIFO)
        || ceiling > sched_get_priority_max(SCHED_FIFO))
        return EINVAL;
    if (riposte_private_mutex_is_own(as_mutex(lock)))
        return EDEADLK;
    /* It need not follow the protocol that it changes. */
    error = take(mutex, lock, RIPOSTE_FOREVER);
    if (error && error != EOWNERDEAD)
        return error;
    if (before)
        *before = mutex->__ceiling;
    mutex->__ceiling = (uint8_t)ceiling;
    if (error) {
        /* It stays the caller's: at its new ceiling, unless the caller is above that, or may not rise to it. */
        posix_ceiling_enter(mutex);
        return error;
    }
    riposte_mutex_unlock(as_mutex(lock));
    return 0;
}
