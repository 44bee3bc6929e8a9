/* Semaphores and mutexes in objects: no thread waits there. */

#include "check.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void *lock(void *mutex)
{
    return (void *)(uintptr_t)(uint32_t)pthread_mutex_lock(mutex);
}

void locks(void)
{
    struct {
        sem_t sem;
        pthread_mutex_t mutex;
    } *shared;
    const struct timespec far = {0x7FFFFFFF, 0};
    pthread_t other;
    void *result = NULL;
    int made, units;

    begin("sem_wait, sem_timedwait, pthread_mutex_lock: in an object made at run time, EINVAL where they would wait");
    shared = make("/locks", sizeof *shared, &made);
    CHECK((void *)shared != MAP_FAILED && sem_init(&shared->sem, 1, 1) == 0);
    CHECK(sem_wait(&shared->sem) == 0 && FAILS(sem_wait(&shared->sem), EINVAL));
    CHECK(FAILS(sem_timedwait(&shared->sem, &far), EINVAL) && FAILS(sem_trywait(&shared->sem), EAGAIN));
    CHECK(sem_post(&shared->sem) == 0 && sem_getvalue(&shared->sem, &units) == 0 && units == 1);
    /* Of a word that says what it likes there is an end, too. */
    *(volatile uint32_t *)&shared->sem = 0x80000005;
    CHECK(sem_post(&shared->sem) == 0 && sem_getvalue(&shared->sem, &units) == 0 && units == 6);
    *(volatile uint32_t *)&shared->sem = 0xFFFFFFFF;
    CHECK(FAILS(sem_post(&shared->sem), EOVERFLOW));
    CHECK(sem_init(&shared->sem, 1, SEM_VALUE_MAX) == 0 && FAILS(sem_post(&shared->sem), EOVERFLOW));
    CHECK(pthread_mutex_init(&shared->mutex, NULL) == 0 && pthread_mutex_lock(&shared->mutex) == 0);
    CHECK(pthread_create(&other, NULL, lock, &shared->mutex) == 0 && pthread_join(other, &result) == 0);
    CHECK((uintptr_t)result == EINVAL && pthread_mutex_unlock(&shared->mutex) == 0);
    CHECK(pthread_mutex_trylock(&shared->mutex) == 0 && pthread_mutex_unlock(&shared->mutex) == 0);
    CHECK(munmap(shared, sizeof *shared) == 0 && close(made) == 0 && shm_unlink("/locks") == 0);
    end();
}
