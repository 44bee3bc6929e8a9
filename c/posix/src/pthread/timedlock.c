/* Waiting for a mutex until a moment. */

#include "circle.h"
#include "mutex.h"

/* A moment that is none is an error only of who would wait. */
static COLD int lock_at_once(pthread_mutex_t *mutex)
{
    const int error = posix_mutex_lock_until(mutex, RIPOSTE_IMMEDIATE);
    if (error != EBUSY)
        return error;
    return mutex->__type == PTHREAD_MUTEX_ERRORCHECK && posix_mutex_is_own(mutex) ? EDEADLK : EINVAL;
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
    riposte_deadline_t deadline;
    int error;
    if (LIKELY(riposte_private_word_take(&mutex->__word, riposte_private_own_id())))
        return 0;
    if (!posix_deadline(CLOCK_REALTIME, until, &deadline))
        return lock_at_once(mutex);
    posix_circle_enter();
    error = posix_mutex_lock_until(mutex, deadline);
    posix_circle_leave();
    return error;
}
