/* PTHREAD_PRIO_PROTECT: mutexes with a ceiling. */

#include "check.h"

#include <riposte.h>

/* The highest priority that the manifest lets this process have. */
#define LIMIT 14

static pthread_mutex_t low, high;

static void make(pthread_mutex_t *mutex, int ceiling, int robust)
{
    pthread_mutexattr_t attr;
    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
    CHECK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT) == 0);
    CHECK(pthread_mutexattr_setprioceiling(&attr, ceiling) == 0);
    CHECK(pthread_mutexattr_setrobust(&attr, robust) == 0);
    CHECK(pthread_mutex_init(mutex, &attr) == 0);
}

/* At which priority the kernel has the caller. */
static unsigned now(void)
{
    uint32_t priority = 0;
    riposte_thread_schedule(riposte_thread_current(), &priority, NULL);
    return priority;
}

static void *runs(void *argument)
{
    *(unsigned *)argument = 1;
    return NULL;
}

static void *tries(void *argument)
{
    return (void *)(intptr_t)pthread_mutex_trylock(argument);
}

static void *dies_with(void *argument)
{
    CHECK(pthread_mutex_lock(argument) == 0);
    return NULL;
}

void ceilings(void)
{
    struct sched_param param = {0};
    unsigned ran = 0;
    int value = 0, policy;
    pthread_t thread;

    begin("pthread_mutex_lock: PTHREAD_PRIO_PROTECT, the owner runs at the ceiling");
    make(&low, 11, PTHREAD_MUTEX_STALLED);
    make(&high, 13, PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutex_lock(&low) == 0 && now() == 11);
    thread = start(11, runs, &ran);
    CHECK(ran == 0);
    CHECK(pthread_mutex_lock(&low) == EDEADLK);
    CHECK(pthread_mutex_trylock(&low) == EBUSY && now() == 11);
    CHECK(pthread_mutex_unlock(&low) == 0 && now() == OWN_PRIORITY && ran == 1);
    finish(thread);
    end();

    begin("pthread_mutex_unlock: PTHREAD_PRIO_PROTECT, at the highest ceiling of those that it still holds");
    CHECK(pthread_mutex_lock(&low) == 0);
    CHECK(pthread_mutex_lock(&high) == 0 && now() == 13);
    CHECK(pthread_mutex_unlock(&low) == 0 && now() == 13);
    CHECK(pthread_mutex_lock(&low) == 0 && now() == 13);
    CHECK(pthread_mutex_unlock(&high) == 0 && now() == 11);
    CHECK(pthread_mutex_unlock(&low) == 0 && now() == OWN_PRIORITY);
    CHECK(pthread_mutex_unlock(&low) == EPERM);
    end();

    begin("pthread_mutex_trylock [EBUSY]: PTHREAD_PRIO_PROTECT, who does not get it is not raised");
    CHECK(pthread_mutex_lock(&low) == 0);
    CHECK(finish(start(LESS_URGENT, tries, &low)) == (void *)EBUSY);
    CHECK(pthread_mutex_unlock(&low) == 0 && now() == OWN_PRIORITY);
    end();

    begin("pthread_mutex_lock [EINVAL]: PTHREAD_PRIO_PROTECT, nobody above the ceiling");
    CHECK(pthread_setschedprio(pthread_self(), 12) == 0);
    CHECK(pthread_mutex_lock(&low) == EINVAL && now() == 12);
    CHECK(pthread_mutex_lock(&high) == 0 && now() == 13);
    CHECK(pthread_mutex_lock(&low) == EINVAL && now() == 13);
    CHECK(pthread_mutex_unlock(&high) == 0 && now() == 12);
    end();

    begin("pthread_getschedparam, pthread_setschedprio: what was set, whatever mutexes the thread holds");
    CHECK(pthread_mutex_lock(&high) == 0 && now() == 13);
    CHECK(pthread_getschedparam(pthread_self(), &policy, &param) == 0 && param.sched_priority == 12);
    CHECK(pthread_setschedprio(pthread_self(), OWN_PRIORITY) == 0 && now() == 13);
    CHECK(pthread_mutex_unlock(&high) == 0 && now() == OWN_PRIORITY);
    end();

    begin("pthread_setschedprio, pthread_setschedparam [EPERM]: whose mutex has a ceiling may have no higher priority");
    CHECK(pthread_mutex_lock(&high) == 0 && now() == 13);
    param.sched_priority = LIMIT + 1;
    CHECK(pthread_setschedprio(pthread_self(), LIMIT + 1) == EPERM && now() == 13);
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == EPERM && now() == 13);
    CHECK(pthread_getschedparam(pthread_self(), &policy, &param) == 0 && param.sched_priority == OWN_PRIORITY);
    CHECK(pthread_mutex_unlock(&high) == 0 && now() == OWN_PRIORITY);
    end();

    begin("pthread_mutex_getprioceiling, pthread_mutex_setprioceiling [EINVAL] [EDEADLK]");
    CHECK(pthread_mutex_getprioceiling(&low, &value) == 0 && value == 11);
    CHECK(pthread_mutex_setprioceiling(&low, 12, &value) == 0 && value == 11);
    CHECK(pthread_mutex_getprioceiling(&low, &value) == 0 && value == 12);
    CHECK(pthread_mutex_setprioceiling(&low, 0, &value) == EINVAL);
    CHECK(pthread_mutex_setprioceiling(&low, sched_get_priority_max(SCHED_FIFO) + 1, &value) == EINVAL);
    CHECK(pthread_mutex_lock(&low) == 0 && now() == 12);
    CHECK(pthread_mutex_setprioceiling(&low, 13, &value) == EDEADLK);
    CHECK(pthread_mutex_unlock(&low) == 0 && now() == OWN_PRIORITY);
    CHECK(pthread_mutex_getprioceiling(&(pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER, &value) == EINVAL);
    CHECK(pthread_mutex_destroy(&low) == 0 && pthread_mutex_destroy(&high) == 0);
    end();

    begin("pthread_mutex_setprioceiling [EOWNERDEAD]: the mutex is the caller's, at its new ceiling");
    make(&low, 11, PTHREAD_MUTEX_ROBUST);
    CHECK(finish(start(OWN_PRIORITY, dies_with, &low)) == NULL);
    CHECK(pthread_mutex_setprioceiling(&low, 12, &value) == EOWNERDEAD && value == 11 && now() == 12);
    CHECK(pthread_mutex_consistent(&low) == 0);
    CHECK(pthread_mutex_unlock(&low) == 0 && now() == OWN_PRIORITY);
    CHECK(pthread_mutex_lock(&low) == 0 && now() == 12);
    CHECK(pthread_mutex_unlock(&low) == 0 && now() == OWN_PRIORITY);
    CHECK(pthread_mutex_destroy(&low) == 0);
    end();
}
