/* Barriers: those of riposte.h, by another name. */

#include <pthread.h>

#include "users.h"

_Static_assert(offsetof(pthread_barrier_t, __inside) == sizeof(riposte_barrier_t), "the same words");

/* Those who have come since all had, in the word that counts them. */
#define COME UINT32_C(0xFFFF)

static riposte_barrier_t *as_barrier(pthread_barrier_t *barrier)
{
    return (riposte_barrier_t *)(void *)barrier;
}

int pthread_barrier_init(pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attr,
                         unsigned count)
{
    static const pthread_barrier_t fresh;
    if (count == 0)
        return EINVAL;
    if (count > UINT16_MAX)
        return EAGAIN;
    *barrier = fresh;
    if (attr)
        barrier->__shared = attr->__shared;
    riposte_barrier_set(as_barrier(barrier), (uint16_t)count);
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    struct riposte_private_event *complete = &as_barrier(barrier)->complete;
    if ((riposte_word_load(&barrier->__come) & COME) != 0)
        return EBUSY;
    if (!barrier->__shared) {
        posix_users_await(&barrier->__inside, &barrier->__left);
    } else if (riposte_private_event_is_awaited(complete)) {
        /* Who is still counted may have died: it is so no more, or comes back before the next try. */
        riposte_private_event_wake(complete, UINT32_MAX);
        return EBUSY;
    }
    return 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    const bool is_own = !barrier->__shared;
    bool last = false;
    if (is_own)
        riposte_word_add(&barrier->__inside, 1);
    /* Who was interrupted has not come: it comes again when its signal is handled. */
    while (riposte_barrier_wait(as_barrier(barrier), &last) != RIPOSTE_OK)
        ;
    if (is_own)
        posix_users_leave(&barrier->__inside, &barrier->__left);
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
