/* Mutexes: each type, what waits for one, and owners that die. */

#include "check.h"

#include <signal.h>

#include <riposte.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mutex;
static unsigned reached;

/* A mutex of this type, protocol and robustness. */
static void make(int type, int protocol, int robust)
{
    pthread_mutexattr_t attr;
    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_settype(&attr, type) == 0);
    CHECK(pthread_mutexattr_setprotocol(&attr, protocol) == 0);
    CHECK(pthread_mutexattr_setrobust(&attr, robust) == 0);
    CHECK(pthread_mutex_init(&mutex, &attr) == 0);
}

static void *takes(void *argument)
{
    reached = 1;
    const int error = pthread_mutex_lock(argument);
    reached = 2;
    pthread_mutex_unlock(argument);
    return (void *)(intptr_t)error;
}

static void *tries(void *argument)
{
    const int error = pthread_mutex_trylock(argument);
    if (error == 0)
        pthread_mutex_unlock(argument);
    return (void *)(intptr_t)error;
}

static void *unlocks(void *argument)
{
    return (void *)(intptr_t)pthread_mutex_unlock(argument);
}

static void *dies_with(void *argument)
{
    return (void *)(intptr_t)pthread_mutex_lock(argument);
}

static void *times(void *argument)
{
    const struct timespec soon = in(CLOCK_REALTIME, 1);
    return (void *)(intptr_t)pthread_mutex_timedlock(argument, &soon);
}

static void *times_wrongly(void *argument)
{
    const struct timespec none = {0, 1000000000};
    return (void *)(intptr_t)pthread_mutex_timedlock(argument, &none);
}

/* These have another one meanwhile. */
static void *times_with(void *argument)
{
    void *error;
    if (pthread_mutex_lock(argument))
        return argument;
    error = times(&plain);
    return pthread_mutex_unlock(argument) ? argument : error;
}

static void *takes_with(void *argument)
{
    void *error;
    if (pthread_mutex_lock(argument))
        return argument;
    error = takes(&plain);
    return pthread_mutex_unlock(argument) ? argument : error;
}

static pthread_mutex_t third = PTHREAD_MUTEX_INITIALIZER;

static void *times_with_third(void *argument)
{
    const struct timespec soon = in(CLOCK_REALTIME, 20);
    if (pthread_mutex_lock(&third))
        return argument;
    const int error = pthread_mutex_timedlock(argument, &soon);
    return pthread_mutex_unlock(&third) ? argument : (void *)(intptr_t)error;
}

static void *takes_third_with(void *argument)
{
    if (pthread_mutex_lock(argument))
        return argument;
    const int error = pthread_mutex_lock(&third);
    if (!error)
        pthread_mutex_unlock(&third);
    return pthread_mutex_unlock(argument) ? argument : (void *)(intptr_t)error;
}

static void ends_amid(int number)
{
    (void)number;
    pthread_exit(NULL);
}

static void *times_for_long(void *argument)
{
    const struct timespec late = in(CLOCK_REALTIME, 1000);
    return (void *)(intptr_t)pthread_mutex_timedlock(argument, &late);
}

static void statics(void)
{
    pthread_t thread;

    begin("pthread_mutex_lock, pthread_mutex_unlock: of a static mutex; who waits for it gets it");
    CHECK(pthread_mutex_lock(&plain) == 0);
    reached = 0;
    thread = start(MORE_URGENT, takes, &plain);
    CHECK(reached == 1);
    CHECK(pthread_mutex_unlock(&plain) == 0);
    CHECK(reached == 2);
    CHECK(finish(thread) == NULL);
    end();

    begin("pthread_mutex_trylock [EBUSY]: somebody holds it");
    CHECK(pthread_mutex_trylock(&plain) == 0);
    CHECK(finish(start(MORE_URGENT, tries, &plain)) == (void *)EBUSY);
    CHECK(pthread_mutex_trylock(&plain) == EBUSY);
    CHECK(pthread_mutex_unlock(&plain) == 0);
    CHECK(finish(start(MORE_URGENT, tries, &plain)) == NULL);
    end();

    begin("pthread_mutex_timedlock [ETIMEDOUT] [EINVAL]: only who would wait");
    const struct timespec none = {0, -1}, past = {0, 0};
    CHECK(pthread_mutex_timedlock(&plain, &none) == 0);
    CHECK(finish_later(start(MORE_URGENT, times, &plain)) == (void *)ETIMEDOUT);
    CHECK(finish(start(MORE_URGENT, times_wrongly, &plain)) == (void *)EINVAL);
    CHECK(pthread_mutex_timedlock(&plain, &none) == EINVAL);
    CHECK(pthread_mutex_unlock(&plain) == 0);
    CHECK(pthread_mutex_timedlock(&plain, &past) == 0);
    CHECK(pthread_mutex_unlock(&plain) == 0);
    end();

    begin("pthread_mutex_timedlock, pthread_join: a thread that waits until a moment for who waits for its end");
    CHECK(pthread_mutex_lock(&plain) == 0);
    /* It waits first; and its owner does. */
    CHECK(finish(start(MORE_URGENT, times, &plain)) == (void *)ETIMEDOUT);
    CHECK(finish(start(LESS_URGENT, times, &plain)) == (void *)ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&plain) == 0);
    end();

    begin("pthread_mutex_timedlock, pthread_mutex_lock: of two who wait for each other one does until a moment");
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutex_lock(&plain) == 0);
    thread = start(MORE_URGENT, times_with, &mutex);
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    CHECK(finish(thread) == (void *)ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&plain) == 0);
    end();

    begin("pthread_mutex_timedlock, pthread_mutex_lock: of three in a circle one waits until a moment, and for the caller");
    CHECK(pthread_mutex_lock(&plain) == 0);
    pthread_t timed = start(MORE_URGENT, times_with_third, &plain);
    thread = start(MORE_URGENT + 1, takes_third_with, &mutex);
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    CHECK(finish(timed) == (void *)ETIMEDOUT && finish(thread) == NULL && pthread_mutex_unlock(&plain) == 0);
    end();

    begin("pthread_mutex_lock [EDEADLK]: each of two for ever, also behind a thread that has ended while it waited until a moment");
    signal(SIGUSR1, ends_amid);
    CHECK(pthread_mutex_lock(&plain) == 0);
    thread = start(MORE_URGENT, times_for_long, &plain);
    CHECK(pthread_kill(thread, SIGUSR1) == 0);
    CHECK(finish(thread) == NULL);
    CHECK(pthread_mutex_unlock(&plain) == 0);
    signal(SIGUSR1, SIG_DFL);
    CHECK(pthread_mutex_lock(&plain) == 0);
    thread = start(MORE_URGENT, takes_with, &mutex);
    CHECK(pthread_mutex_lock(&mutex) == EDEADLK);
    CHECK(pthread_mutex_unlock(&plain) == 0 && finish(thread) == NULL);
    end();

    begin("pthread_mutex_lock: PTHREAD_PRIO_INHERIT, the owner runs at the priority of who waits");
    CHECK(pthread_setschedprio(pthread_self(), 5) == 0);
    make(PTHREAD_MUTEX_DEFAULT, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    reached = 0;
    thread = start(8, takes, &mutex);
    CHECK(reached == 1);
    /* One of priority 7 does not come between. */
    pthread_t middle = start(7, tries, &plain);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    CHECK(pthread_mutex_lock(&plain) == 0);
    CHECK(pthread_mutex_unlock(&plain) == 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK(reached == 1);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(reached == 2);
    CHECK(finish(middle) == NULL);
    CHECK(finish(thread) == NULL);
    CHECK(pthread_setschedprio(pthread_self(), OWN_PRIORITY) == 0);
    end();
}

static void types(void)
{
    const struct timespec soon = in(CLOCK_REALTIME, 1), no_moment = {0, -1};

    begin("pthread_mutex_init, pthread_mutex_destroy: an error-checking mutex");
    make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    end();

    begin("pthread_mutex_lock [EDEADLK]: the owner of an error-checking mutex locks it again");
    CHECK(pthread_mutex_lock(&mutex) == EDEADLK);
    CHECK(pthread_mutex_timedlock(&mutex, &soon) == EDEADLK);
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
    end();

    begin("pthread_mutex_timedlock [EDEADLK]: of an error-checking mutex its owner does not wait, whatever the moment is");
    CHECK(pthread_mutex_timedlock(&mutex, &no_moment) == EDEADLK);
    end();

    begin("pthread_mutex_destroy [EBUSY]: somebody holds it");
    CHECK(pthread_mutex_destroy(&mutex) == EBUSY);
    end();

    begin("pthread_mutex_unlock [EPERM]: only its owner");
    CHECK(finish(start(MORE_URGENT, unlocks, &mutex)) == (void *)EPERM);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == EPERM);
    CHECK(pthread_mutex_destroy(&mutex) == 0);
    end();

    begin("pthread_mutex_lock: a recursive mutex is the owner's until it is unlocked as often");
    make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_trylock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(finish(start(MORE_URGENT, tries, &mutex)) == (void *)EBUSY);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(finish(start(MORE_URGENT, tries, &mutex)) == NULL);
    CHECK(pthread_mutex_unlock(&mutex) == EPERM);
    end();

    begin("pthread_mutex_lock [EAGAIN]: a recursive mutex counts no further than it can");
    CHECK(pthread_mutex_lock(&mutex) == 0);
    mutex.__again = UINT32_MAX;
    CHECK(pthread_mutex_lock(&mutex) == EAGAIN);
    CHECK(pthread_mutex_trylock(&mutex) == EAGAIN);
    mutex.__again = 0;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    end();

    begin("pthread_mutex_timedlock [ETIMEDOUT]: the owner of a normal mutex waits for itself");
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    end();
}

static void robust(void)
{
    begin("pthread_mutex_lock [EOWNERDEAD]: who gets a robust mutex is told that its owner died");
    make(PTHREAD_MUTEX_DEFAULT, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
    CHECK(finish(start(MORE_URGENT, dies_with, &mutex)) == NULL);
    CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    end();

    begin("pthread_mutex_consistent [EINVAL]: of a robust mutex whose owner died, by who has got it");
    CHECK(pthread_mutex_consistent(&mutex) == 0);
    CHECK(pthread_mutex_consistent(&mutex) == EINVAL);
    CHECK(pthread_mutex_consistent(&plain) == EINVAL);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    end();

    begin("pthread_mutex_trylock [EOWNERDEAD]: so is who tries");
    CHECK(finish(start(MORE_URGENT, dies_with, &mutex)) == NULL);
    CHECK(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
    end();

    begin("pthread_mutex_lock [ENOTRECOVERABLE]: one that was unlocked and not made consistent is lost for all");
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    CHECK(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
    CHECK(finish(start(MORE_URGENT, takes, &mutex)) == (void *)ENOTRECOVERABLE);
    CHECK(pthread_mutex_unlock(&mutex) == EPERM);
    CHECK(pthread_mutex_destroy(&mutex) == 0);
    end();

    begin("pthread_mutex_lock: a recursive robust mutex forgets how often its dead owner had it");
    make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
    CHECK(finish(start(MORE_URGENT, dies_with, &mutex)) == NULL);
    CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(finish(start(MORE_URGENT, tries, &mutex)) == NULL);
    end();

    begin("pthread_mutex_lock: a stalled mutex passes on when its owner dies");
    make(PTHREAD_MUTEX_DEFAULT, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    CHECK(finish(start(MORE_URGENT, dies_with, &mutex)) == NULL);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    end();
}

void mutexes(void)
{
    statics();
    types();
    robust();
}
