/* The two calls of <semaphore.h> that the publication's loops make, for semaphores in a region that both processes have. */

#ifndef BENCH_QNX_SEMAPHORE_H
#define BENCH_QNX_SEMAPHORE_H

#include <riposte.h>

typedef riposte_semaphore_t sem_t;

static inline int sem_wait(sem_t *sem)
{
    return riposte_semaphore_take(sem) == RIPOSTE_OK ? 0 : -1;
}

static inline int sem_post(sem_t *sem)
{
    return riposte_semaphore_give(sem) == RIPOSTE_OK ? 0 : -1;
}

#endif
