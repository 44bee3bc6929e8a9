/* Barriers: those of riposte.h, by another name. */

#include <pthread.h>

#include "../posix.h"

_Static_assert(sizeof(pthread_barrier_t) == sizeof(riposte_barrier_t), "the same words");

static riposte_barrier_t *as_barrier(pthread_barrier_t *barrier)
{
    return (riposte_barrier_t *)(void *)barrier;
}

int pthread_barrier_init(pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attr,
                         unsigned count)
{
    static const pthread_barrier_t fresh;
    (void)attr;
    if (count == 0)
        return EINVAL;
    if (count > UINT16_MAX)
        return EAGAIN;
    *barrier = fresh;
    riposte_barrier_set(as_barrier(barrier), (uint16_t)count);
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    return riposte_word_load(&barrier->__waiting) ? EBUSY : 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    bool last = false;
    /* Who was interrupted has not come: it comes again when its signal is handled. */
    while (riposte_barrier_wait(as_barrier(barrier), &last) != RIPOSTE_OK)
        ;
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attr)
{
    static const pthread_barrierattr_t fresh;
    *attr = fresh;
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *restrict attr, int *restrict shared)
{
    *shared = attr->__shared;
    return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    /* One that lies in memory that processes share is theirs either way. */
    attr->__shared = (uint8_t)shared;
    return 0;
}
