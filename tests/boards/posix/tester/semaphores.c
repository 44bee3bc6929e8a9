/* Semaphores. */

#include "check.h"

#include <fcntl.h>
#include <semaphore.h>

static sem_t sem;
static unsigned taken;

static void *takes(void *argument)
{
    const int result = sem_wait(&sem);
    taken = taken * 10 + (unsigned)(uintptr_t)argument;
    return (void *)(intptr_t)result;
}

static void named(void)
{
    sem_t *one, *other, *many[17];
    int value = -1, count = 0;

    begin("sem_open: by the same name one opens the same semaphore");
    one = sem_open("/one", O_CREAT, 0600, 2);
    CHECK(one != SEM_FAILED && sem_getvalue(one, &value) == 0 && value == 2);
    other = sem_open("/one", O_CREAT, 0600, 9);
    CHECK(other == one && sem_getvalue(other, &value) == 0 && value == 2);
    CHECK(sem_open("/one", 0) == one);
    end();

    begin("sem_open [EEXIST] [ENOENT] [EINVAL] [ENAMETOOLONG]");
    errno = 0;
    CHECK(sem_open("/one", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    errno = 0;
    CHECK(sem_open("/none", 0) == SEM_FAILED && errno == ENOENT);
    errno = 0;
    CHECK(sem_open("/two", O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1) == SEM_FAILED && errno == EINVAL);
    errno = 0;
    CHECK(sem_open("/", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
    errno = 0;
    CHECK(sem_open("/a/b", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
    errno = 0;
    CHECK(sem_open("/12345678901234567890123456789012", O_CREAT, 0600, 1) == SEM_FAILED && errno == ENAMETOOLONG);
    end();

    begin("sem_unlink [ENOENT]: the name is gone at once, the semaphore when nobody has it open");
    CHECK(sem_unlink("/one") == 0);
    errno = 0;
    CHECK(sem_unlink("/one") == -1 && errno == ENOENT);
    errno = 0;
    CHECK(sem_open("/one", 0) == SEM_FAILED && errno == ENOENT);
    CHECK(sem_wait(one) == 0 && sem_getvalue(one, &value) == 0 && value == 1);
    other = sem_open("/one", O_CREAT | O_EXCL, 0600, 5);
    CHECK(other != SEM_FAILED && other != one);
    end();

    begin("sem_close [EINVAL]: as often as it was opened");
    CHECK(sem_close(one) == 0 && sem_close(one) == 0 && sem_close(one) == 0);
    errno = 0;
    CHECK(sem_close(one) == -1 && errno == EINVAL);
    CHECK(sem_close(other) == 0 && sem_unlink("/one") == 0);
    end();

    begin("sem_open [ENOSPC]: a process has sixteen of its own");
    while (count < 17) {
        char name[] = {'/', (char)('a' + count), 0};
        many[count] = sem_open(name, O_CREAT, 0600, 0);
        if (many[count] == SEM_FAILED)
            break;
        count++;
    }
    CHECK(count == 16 && errno == ENOSPC);
    while (count > 0) {
        char name[] = {'/', (char)('a' + --count), 0};
        CHECK(sem_close(many[count]) == 0 && sem_unlink(name) == 0);
    }
    end();
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
    named();
}
