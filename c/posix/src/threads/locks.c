/* Mutexes and conditions, whose moments are of the time of day. */

#include "threads.h"

int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutexattr_t how;
    if (type & ~(mtx_recursive | mtx_timed) || pthread_mutexattr_init(&how))
        return thrd_error;
    if (type & mtx_recursive && pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE))
        return thrd_error;
    return posix_thrd_result(pthread_mutex_init(mutex, &how));
}

void mtx_destroy(mtx_t *mutex)
{
    pthread_mutex_destroy(mutex);
}

int mtx_lock(mtx_t *mutex)
{
    return pthread_mutex_lock(mutex) ? thrd_error : thrd_success;
}

int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict moment)
{
    const int result = posix_thrd_result(pthread_mutex_timedlock(mutex, moment));
    return result == thrd_timedout || result == thrd_success ? result : thrd_error;
}

int mtx_trylock(mtx_t *mutex)
{
    const int result = posix_thrd_result(pthread_mutex_trylock(mutex));
    return result == thrd_busy || result == thrd_success ? result : thrd_error;
}

int mtx_unlock(mtx_t *mutex)
{
    return pthread_mutex_unlock(mutex) ? thrd_error : thrd_success;
}

int cnd_init(cnd_t *condition)
{
    return posix_thrd_result(pthread_cond_init(condition, NULL));
}

void cnd_destroy(cnd_t *condition)
{
    pthread_cond_destroy(condition);
}

int cnd_signal(cnd_t *condition)
{
    return pthread_cond_signal(condition) ? thrd_error : thrd_success;
}

int cnd_broadcast(cnd_t *condition)
{
    return pthread_cond_broadcast(condition) ? thrd_error : thrd_success;
}

int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return pthread_cond_wait(condition, mutex) ? thrd_error : thrd_success;
}

int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict moment)
{
    const int result = posix_thrd_result(pthread_cond_timedwait(condition, mutex, moment));
    return result == thrd_timedout || result == thrd_success ? result : thrd_error;
}
