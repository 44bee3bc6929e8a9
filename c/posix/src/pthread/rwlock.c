/* Read-write locks: those of riposte.h, by another name. */

#include <pthread.h>

#include "../posix.h"
#include "circle.h"

_Static_assert(sizeof(pthread_rwlock_t) == sizeof(riposte_rwlock_t), "the same words");

static riposte_rwlock_t *as_lock(pthread_rwlock_t *lock)
{
    return (riposte_rwlock_t *)(void *)lock;
}

static int number_of(riposte_error_t error)
{
    switch (error) {
    case RIPOSTE_OK:
        return 0;
    case RIPOSTE_ERROR_WOULD_BLOCK:
        return EBUSY;
    case RIPOSTE_ERROR_TIMED_OUT:
        return ETIMEDOUT;
    case RIPOSTE_ERROR_DEADLOCK:
        return EDEADLK;
    default:
        return EINVAL;
    }
}

/* What trying says, for which there is no deadlock. */
static int tried(riposte_error_t error)
{
    return error == RIPOSTE_ERROR_DEADLOCK ? EBUSY : number_of(error);
}

typedef riposte_error_t take_until(riposte_rwlock_t *lock, riposte_deadline_t deadline);

/* Whether a wait that has ended so is to go on: behind a signal's handler, and in a circle that ends. The caller of one whose
 * moment has come in a circle is told that. */
static COLD bool waits_on(pthread_rwlock_t *lock, riposte_error_t *error, riposte_deadline_t deadline)
{
    if (*error != RIPOSTE_ERROR_DEADLOCK || riposte_private_mutex_is_own(&as_lock(lock)->gate))
        return *error == RIPOSTE_ERROR_INTERRUPTED;
    if (posix_is_to_try_again(riposte_word_load(&lock->__gate) & RIPOSTE_LOCK_OWNER_MASK, deadline))
        return true;
    if (deadline != RIPOSTE_FOREVER)
        *error = RIPOSTE_ERROR_TIMED_OUT;
    return false;
}

/* Of the word that counts readers: each is two, and a writer that has the gate and waits until they are gone is one. */
#define WRITER_WAITS UINT32_C(1)
#define READER UINT32_C(2)

/* Reads with those who do while a writer waits for them that is less urgent than the caller: the standard keeps a reader out for
 * one that is at least as urgent, which nobody may be who waits at the gate. As long as anybody reads, nobody writes. */
static COLD bool join_readers(pthread_rwlock_t *lock)
{
    const uint32_t gate = riposte_word_load(&lock->__gate);
    const riposte_thread_t waits = {gate & RIPOSTE_LOCK_OWNER_MASK}, self = {riposte_private_own_id()};
    uint32_t readers = riposte_word_load(&lock->__readers), writer, own;
    if (gate & RIPOSTE_LOCK_WAITERS || riposte_thread_schedule(waits, &writer, NULL) != RIPOSTE_OK
        || riposte_thread_schedule(self, &own, NULL) != RIPOSTE_OK || own <= writer)
        return false;
    while ((readers & WRITER_WAITS) && readers >= READER && readers <= INT32_MAX - READER)
        if (riposte_word_compare_exchange(&lock->__readers, &readers, readers + READER))
            return true;
    return false;
}

static inline bool has_joined_readers(pthread_rwlock_t *lock)
{
    return !LIKELY((riposte_word_load(&lock->__readers) & WRITER_WAITS) == 0) && join_readers(lock);
}

/* Nobody asks whether who had the gate last has ended: as long as that stands there, each call is one of the kernel. */
static int wait_until(pthread_rwlock_t *lock, take_until *take, riposte_deadline_t deadline)
{
    riposte_error_t error;
    while (!LIKELY((error = take(as_lock(lock), deadline)) == RIPOSTE_OK))
        if (!waits_on(lock, &error, deadline))
            return number_of(error);
    posix_repair(&as_lock(lock)->gate);
    return 0;
}

static int timed(pthread_rwlock_t *lock, const struct timespec *until, take_until *take)
{
    riposte_deadline_t deadline;
    int error;
    if (posix_deadline(CLOCK_REALTIME, until, &deadline)) {
        posix_circle_enter();
        error = wait_until(lock, take, deadline);
        posix_circle_leave();
        return error;
    }
    /* A moment that is none is an error only of who would wait. */
    error = number_of(take(as_lock(lock), RIPOSTE_IMMEDIATE));
    return error == EBUSY ? EINVAL : error;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return has_joined_readers(lock) ? 0 : wait_until(lock, riposte_rwlock_read_until, RIPOSTE_FOREVER);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return has_joined_readers(lock) ? 0 : tried(riposte_rwlock_try_read(as_lock(lock)));
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
    return has_joined_readers(lock) ? 0 : timed(lock, until, riposte_rwlock_read_until);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return wait_until(lock, riposte_rwlock_write_until, RIPOSTE_FOREVER);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return tried(riposte_rwlock_try_write(as_lock(lock)));
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
    return timed(lock, until, riposte_rwlock_write_until);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    riposte_error_t error = riposte_rwlock_unlock_write(as_lock(lock));
    if (error == RIPOSTE_ERROR_NOT_PERMITTED)
        error = riposte_rwlock_unlock_read(as_lock(lock));
    return error == RIPOSTE_OK ? 0 : EPERM;
}

int pthread_rwlock_init(pthread_rwlock_t *restrict lock, const pthread_rwlockattr_t *restrict attr)
{
    static const pthread_rwlock_t fresh = PTHREAD_RWLOCK_INITIALIZER;
    (void)attr;
    *lock = fresh;
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    /* A thread that has ended may have left marks: at the gate if it wrote, among the readers if it waited to. */
    const bool is_free = (riposte_word_load(&lock->__gate) & RIPOSTE_LOCK_OWNER_MASK) == 0
        && riposte_word_load(&lock->__readers) < 2;
    return is_free ? 0 : EBUSY;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr)
{
    static const pthread_rwlockattr_t fresh;
    *attr = fresh;
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *restrict attr, int *restrict shared)
{
    *shared = attr->__shared;
    return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    /* One that lies in memory that processes share is theirs either way. */
    attr->__shared = (uint8_t)shared;
    return 0;
}
