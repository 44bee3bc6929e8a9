/* <semaphore.h>: the kernel's semaphores, which threads and processes share alike. */

#include <semaphore.h>

#include "posix.h"

static riposte_semaphore_t *as_semaphore(sem_t *sem)
{
    return (riposte_semaphore_t *)(void *)sem;
}

int sem_init(sem_t *sem, int shared, unsigned value)
{
    /* One that lies in memory that processes share is theirs. */
    (void)shared;
    if (value > SEM_VALUE_MAX)
        return posix_fail(EINVAL);
    sem->__word = value;
    return 0;
}

int sem_destroy(sem_t *sem)
{
    (void)sem;
    return 0;
}

int sem_getvalue(sem_t *restrict sem, int *restrict value)
{
    *value = (int)riposte_semaphore_units(as_semaphore(sem));
    return 0;
}

int sem_post(sem_t *sem)
{
    const riposte_error_t error = riposte_semaphore_give(as_semaphore(sem));
    if (LIKELY(error == RIPOSTE_OK))
        return 0;
    switch (error) {
    case RIPOSTE_ERROR_WOULD_BLOCK:
    /* Where nobody waits for anybody the kernel has no such call, and it was made for want of room. */
    case RIPOSTE_ERROR_BAD_CALL:
        return posix_fail(EOVERFLOW);
    default:
        return posix_fail(EINVAL);
    }
}

int sem_trywait(sem_t *sem)
{
    if (LIKELY(riposte_semaphore_try_take(as_semaphore(sem)) == RIPOSTE_OK))
        return 0;
    return posix_fail(EAGAIN);
}

static COLD int wait_until(sem_t *sem, riposte_deadline_t deadline)
{
    riposte_error_t error;
    begin_wait();
    do
        error = riposte_semaphore_take_until(as_semaphore(sem), deadline);
    while (error == RIPOSTE_ERROR_INTERRUPTED && AGAIN(true));
    switch (error) {
    case RIPOSTE_OK:
        return 0;
    case RIPOSTE_ERROR_TIMED_OUT:
        return posix_fail(ETIMEDOUT);
    case RIPOSTE_ERROR_INTERRUPTED:
        return posix_fail(EINTR);
    default:
        return posix_fail(EINVAL);
    }
}

int sem_wait(sem_t *sem)
{
    if (LIKELY(riposte_semaphore_try_take(as_semaphore(sem)) == RIPOSTE_OK))
        return 0;
    return wait_until(sem, RIPOSTE_FOREVER);
}

int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until)
{
    riposte_deadline_t deadline;
    if (LIKELY(riposte_semaphore_try_take(as_semaphore(sem)) == RIPOSTE_OK))
        return 0;
    /* A moment that is none is an error only of who would wait. */
    if (!posix_deadline(CLOCK_REALTIME, until, &deadline))
        return posix_fail(EINVAL);
    return wait_until(sem, deadline);
}
