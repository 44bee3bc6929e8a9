/* What standard C's names for POSIX's have in common. */

#ifndef RIPOSTE_POSIX_THREADS_H
#define RIPOSTE_POSIX_THREADS_H

#include <errno.h>
#include <pthread.h>
#include <threads.h>

/* What they say of an error of POSIX's. */
static inline int posix_thrd_result(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case EAGAIN:
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

#endif
