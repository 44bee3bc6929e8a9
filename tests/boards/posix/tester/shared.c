/* What two processes share: it lies in a region that both have. */

#include "check.h"

#include "shared.h"

#include <fcntl.h>
#include <riposte.h>

static struct common *common;

/* Has the other process do something, and waits until it has. */
static void order(enum order what)
{
    common->order = what;
    CHECK(sem_post(&common->request) == 0);
    CHECK(sem_wait(&common->answer) == 0);
}

static void named(void)
{
    sem_t *one, *other;
    int value = -1;

    begin("sem_open: one of the name of a region is that of all processes that have it");
    errno = 0;
    CHECK(sem_open("/meeting", O_CREAT | O_EXCL, 0600, 3) != SEM_FAILED);
    errno = 0;
    CHECK(sem_open("/meeting", O_CREAT | O_EXCL, 0600, 3) == SEM_FAILED && errno == EEXIST);
    one = sem_open("/meeting", 0);
    other = sem_open("/met", O_CREAT, 0600, 0);
    CHECK(one != SEM_FAILED && other != SEM_FAILED);
    order(NAMES);
    /* The other process takes the three units, a fourth one for which it waits, and answers. */
    CHECK(sem_post(one) == 0 && sem_wait(other) == 0);
    CHECK(sem_getvalue(one, &value) == 0 && value == 0);
    CHECK(sem_close(one) == 0);
    end();

    begin("sem_unlink [EACCES]: the names of regions are the manifest's");
    errno = 0;
    CHECK(sem_unlink("/meeting") == -1 && errno == EACCES);
    end();
}

void shared(void)
{
    void *memory = NULL;
    size_t length = 0;
    pthread_mutexattr_t attr;

    begin("sem_init, sem_post, sem_wait: two processes meet at semaphores in a region");
    CHECK(riposte_region("common", &memory, &length, NULL) == RIPOSTE_OK && length >= sizeof *common);
    common = memory;
    CHECK(sem_init(&common->answer, 1, 0) == 0);
    order(COUNT);
    CHECK(common->done == 1);
    order(COUNT);
    CHECK(common->done == 2);
    end();

    begin("pthread_mutex_lock [EOWNERDEAD]: the owner's process has ended");
    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutex_init(&common->robust, &attr) == 0);
    order(LOCK_AND_DIE);
    CHECK(pthread_mutex_lock(&common->robust) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&common->robust) == 0 && pthread_mutex_unlock(&common->robust) == 0);
    end();

    begin("pthread_cond_signal, pthread_cond_wait: of two processes");
    CHECK(pthread_mutex_lock(&common->mutex) == 0);
    common->done = 0;
    order(WAIT_FOR_CHANGE);
    while (common->done == 0)
        CHECK(pthread_cond_wait(&common->changed, &common->mutex) == 0);
    common->done = 2;
    CHECK(pthread_cond_signal(&common->changed) == 0 && pthread_mutex_unlock(&common->mutex) == 0);
    CHECK(sem_wait(&common->answer) == 0 && common->done == 3);
    end();

    begin("pthread_barrier_wait: of two processes");
    CHECK(pthread_barrier_init(&common->barrier, NULL, 2) == 0);
    order(MEET);
    const int here = pthread_barrier_wait(&common->barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    CHECK(sem_wait(&common->answer) == 0);
    CHECK(here + (int)common->done == 1);
    end();
    named();
}
