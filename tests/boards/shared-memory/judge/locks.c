/* Semaphores, mutexes and condition variables in objects, where threads of several processes meet. */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* As peer/src/main.rs has it, as far as it goes. */
struct meeting {
    sem_t ready, go;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    uint32_t count, word;
};
_Static_assert(sizeof(sem_t) == 4 && offsetof(pthread_mutex_t, __word) == 0, "the peer's layout");

static struct meeting *shared;

/* The peer has the mutex: tries it, lets the peer go on, and waits for it. */
static void *meet(void *unused)
{
    if (sem_wait(&shared->ready))
        return (void *)1;
    if (pthread_mutex_trylock(&shared->mutex) != EBUSY || sem_post(&shared->go))
        return (void *)2;
    if (pthread_mutex_lock(&shared->mutex))
        return (void *)3;
    return pthread_mutex_unlock(&shared->mutex) ? (void *)4 : unused;
}

static void *lock(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)(uint32_t)pthread_mutex_lock(&shared->mutex);
}

/* Counts, and says so. */
static void *count(void *unused)
{
    pthread_mutex_lock(&shared->mutex);
    shared->count++;
    pthread_cond_signal(&shared->cond);
    pthread_mutex_unlock(&shared->mutex);
    return unused;
}

static void *wait_at_word(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)riposte_word_wait(&shared->word, 0);
}

static uintptr_t result_of(pthread_t thread)
{
    void *result = (void *)UINTPTR_MAX;
    return pthread_join(thread, &result) == 0 ? (uintptr_t)result : UINTPTR_MAX;
}

static void semaphores(void)
{
    const struct timespec past = {0, 1};
    int units;

    begin("semaphores in an object made at run time: what they do elsewhere, and words that say what they like");
    CHECK(sem_init(&shared->ready, 1, 1) == 0 && sem_wait(&shared->ready) == 0);
    CHECK(FAILS(sem_timedwait(&shared->ready, &past), ETIMEDOUT) && FAILS(sem_trywait(&shared->ready), EAGAIN));
    CHECK(sem_post(&shared->ready) == 0 && sem_getvalue(&shared->ready, &units) == 0 && units == 1);
    *(volatile uint32_t *)&shared->ready = 0x80000005;
    CHECK(sem_post(&shared->ready) == 0 && sem_getvalue(&shared->ready, &units) == 0 && units == 6);
    *(volatile uint32_t *)&shared->ready = 0xFFFFFFFF;
    CHECK(FAILS(sem_post(&shared->ready), EOVERFLOW));
    CHECK(sem_init(&shared->ready, 1, SEM_VALUE_MAX) == 0 && FAILS(sem_post(&shared->ready), EOVERFLOW));
    end();
}

static void mutexes(void)
{
    pthread_mutexattr_t attributes;
    pthread_t other;

    begin("a thread of one process waits in an object for a semaphore and a mutex of another one's");
    CHECK(sem_init(&shared->ready, 1, 0) == 0 && sem_init(&shared->go, 1, 0) == 0);
    CHECK(pthread_mutexattr_init(&attributes) == 0 && pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutex_init(&shared->mutex, &attributes) == 0);
    CHECK(tell("peer", OPEN_TO_WRITE, 0, "locks") == 0 && tell("peer", MAP, 0, "") == 0);
    CHECK(pthread_create(&other, NULL, meet, NULL) == 0 && tell("peer", MEET, 0, "") == 0);
    CHECK(result_of(other) == 0);
    end();

    begin("a mutex in an object whose owner dies goes to who waits for it, who is told");
    CHECK(tell("peer", KEEP, 0, "") == 0);
    CHECK(pthread_create(&other, NULL, lock, NULL) == 0);
    for (int turn = 0; turn < 8; turn++)
        sched_yield();
    CHECK(tell("peer", DIE, 0, "") == DEAD && result_of(other) == EOWNERDEAD);
    /* That thread has ended with it, too. */
    CHECK(pthread_mutex_lock(&shared->mutex) == EOWNERDEAD && pthread_mutex_consistent(&shared->mutex) == 0);
    CHECK(pthread_mutex_unlock(&shared->mutex) == 0 && pthread_mutex_lock(&shared->mutex) == 0);
    CHECK(pthread_mutex_unlock(&shared->mutex) == 0);
    end();
}

static void conditions(void)
{
    pthread_condattr_t attributes;
    pthread_t other;

    begin("a thread waits for a condition in an object");
    CHECK(pthread_condattr_init(&attributes) == 0 && pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_cond_init(&shared->cond, &attributes) == 0 && pthread_mutex_lock(&shared->mutex) == 0);
    CHECK(pthread_create(&other, NULL, count, NULL) == 0);
    while (shared->count == 0)
        CHECK(pthread_cond_wait(&shared->cond, &shared->mutex) == 0);
    CHECK(pthread_mutex_unlock(&shared->mutex) == 0 && result_of(other) == 0);
    end();
}

void locks(void)
{
    pthread_t other;
    int made;

    shared = make("/locks", sizeof *shared, &made);
    semaphores();
    mutexes();
    conditions();

    begin("who waits at a word of an object that is unmapped waits no more");
    CHECK(pthread_create(&other, NULL, wait_at_word, NULL) == 0);
    for (int turn = 0; turn < 8; turn++)
        sched_yield();
    CHECK(munmap(shared, sizeof *shared) == 0 && result_of(other) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(close(made) == 0 && shm_unlink("/locks") == 0);
    end();
}
