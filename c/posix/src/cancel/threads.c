/* Cancellation points of <pthread.h>. */

#include "../pthread/cond.h"
#include "../pthread/thread.h"
#include "point.h"

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int __wrap_pthread_join(pthread_t thread, void **value);

/* A signal that has come for whoever is cancelled goes to another. The mutex is the thread's again. */
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
    bool has_turn;
    int error;
    posix_cancel_enter();
    error = posix_cond_wait(cond, mutex, until, &has_turn);
    posix_cancel_leave(!has_turn && (error == 0 || error == ETIMEDOUT || error == EOWNERDEAD));
    return error;
}

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    return __wrap_pthread_cond_timedwait(cond, mutex, NULL);
}

/* A thread that is waited for can be joined by another one if the one that waits is cancelled. */
int __wrap_pthread_join(pthread_t thread, void **value)
{
    riposte_error_t error;
    uint32_t registers[8];
    const uint32_t extra[5] = {0, 0, 0, 0, 0};
    posix_cancel_enter();
    do {
        registers[0] = RIPOSTE_NUMBER_THREAD_JOIN;
        registers[1] = (uint32_t)thread;
        registers[2] = registers[3] = registers[4] = registers[5] = registers[6] = registers[7] = 0;
        posix_cancel_call(registers, extra);
        error = registers[2] & RIPOSTE_INFO_ERROR ? (riposte_error_t)registers[0] : RIPOSTE_OK;
    } while (error != RIPOSTE_OK && posix_joins_again(thread, error) && !posix_cancel_is_due());
    posix_cancel_leave(error == RIPOSTE_ERROR_INTERRUPTED || error == RIPOSTE_ERROR_DEADLOCK);
    if (error != RIPOSTE_OK)
        return posix_join_failed(error);
    if (value)
        *value = (void *)(uintptr_t)registers[1];
    return 0;
}
