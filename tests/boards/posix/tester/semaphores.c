/* Semaphores. */

#include "check.h"

#include <semaphore.h>

static sem_t sem;
static unsigned taken;

static void *takes(void *argument)
{
    const int result = sem_wait(&sem);
    taken = taken * 10 + (unsigned)(uintptr_t)argument;
    return (void *)(intptr_t)result;
}

void semaphores(void)
{
    struct timespec soon;
    const struct timespec none = {0, 1000000000};
    pthread_t one, other;
    int value = -1;

    begin("sem_init [EINVAL], sem_getvalue: so many units, and no more than SEM_VALUE_MAX");
    errno = 0;
    CHECK(sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
    CHECK(sem_init(&sem, 0, 2) == 0);
    CHECK(sem_getvalue(&sem, &value) == 0 && value == 2);
    end();

    begin("sem_wait, sem_trywait [EAGAIN]: each takes a unit, and there is none without");
    CHECK(sem_wait(&sem) == 0 && sem_trywait(&sem) == 0);
    errno = 0;
    CHECK(sem_trywait(&sem) == -1 && errno == EAGAIN);
    CHECK(sem_getvalue(&sem, &value) == 0 && value == 0);
    end();

    begin("sem_post: the most urgent that waits gets the unit");
    taken = 0;
    one = start(11, takes, (void *)1);
    other = start(12, takes, (void *)2);
    CHECK(taken == 0);
    CHECK(sem_getvalue(&sem, &value) == 0 && value == 0);
    CHECK(sem_post(&sem) == 0 && taken == 2);
    CHECK(sem_post(&sem) == 0 && taken == 21);
    CHECK(finish(one) == NULL && finish(other) == NULL);
    end();

    begin("sem_timedwait [ETIMEDOUT] [EINVAL]: only who would wait");
    soon = in(CLOCK_REALTIME, 1);
    errno = 0;
    CHECK(sem_timedwait(&sem, &soon) == -1 && errno == ETIMEDOUT);
    errno = 0;
    CHECK(sem_timedwait(&sem, &none) == -1 && errno == EINVAL);
    CHECK(sem_post(&sem) == 0 && sem_timedwait(&sem, &none) == 0);
    end();

    begin("sem_post [EOVERFLOW]: SEM_VALUE_MAX units are all");
    CHECK(sem_destroy(&sem) == 0 && sem_init(&sem, 0, SEM_VALUE_MAX) == 0);
    errno = 0;
    CHECK(sem_post(&sem) == -1 && errno == EOVERFLOW);
    CHECK(sem_getvalue(&sem, &value) == 0 && value == SEM_VALUE_MAX);
    end();

    begin("sem_destroy: nothing is left of it");
    CHECK(sem_destroy(&sem) == 0);
    end();
}
