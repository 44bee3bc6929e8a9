/* Attribute objects: what was set is what one gets, and nothing else can be set. */

#include "check.h"

/* An attribute of a kind of object: values that it can have, and one that it cannot. */
#define ATTRIBUTE(object, attribute, good, bad, refused)                                             \
    do {                                                                                             \
        int value = -7;                                                                              \
        CHECK(pthread_##object##_set##attribute(&attr, good) == 0);                                  \
        CHECK(pthread_##object##_get##attribute(&attr, &value) == 0 && value == (good));             \
        CHECK(pthread_##object##_set##attribute(&attr, bad) == refused);                             \
        CHECK(pthread_##object##_get##attribute(&attr, &value) == 0 && value == (good));             \
    } while (0)

static void of_threads(void)
{
    struct sched_param param = {0};
    pthread_attr_t attr;
    size_t size = 0;
    int value;

    begin("pthread_attr_init, pthread_attr_destroy: the defaults are those of the page");
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_getdetachstate(&attr, &value) == 0 && value == PTHREAD_CREATE_JOINABLE);
    CHECK(pthread_attr_getinheritsched(&attr, &value) == 0 && value == PTHREAD_INHERIT_SCHED);
    CHECK(pthread_attr_getstacksize(&attr, &size) == 0 && size == PTHREAD_STACK_MIN);
    end();

    begin("pthread_attr_setdetachstate, pthread_attr_getdetachstate [EINVAL]: joinable or detached");
    ATTRIBUTE(attr, detachstate, PTHREAD_CREATE_DETACHED, 2, EINVAL);
    ATTRIBUTE(attr, detachstate, PTHREAD_CREATE_JOINABLE, -1, EINVAL);
    end();

    begin("pthread_attr_setinheritsched, pthread_attr_getinheritsched [EINVAL]: inherited or explicit");
    ATTRIBUTE(attr, inheritsched, PTHREAD_EXPLICIT_SCHED, 2, EINVAL);
    ATTRIBUTE(attr, inheritsched, PTHREAD_INHERIT_SCHED, -1, EINVAL);
    end();

    begin("pthread_attr_setschedpolicy, pthread_attr_getschedpolicy [EINVAL]: the three policies");
    ATTRIBUTE(attr, schedpolicy, SCHED_OTHER, 3, EINVAL);
    ATTRIBUTE(attr, schedpolicy, SCHED_RR, -1, EINVAL);
    ATTRIBUTE(attr, schedpolicy, SCHED_FIFO, 9, EINVAL);
    end();

    begin("pthread_attr_setscope, pthread_attr_getscope [ENOTSUP] [EINVAL]: all threads compete in the system");
    ATTRIBUTE(attr, scope, PTHREAD_SCOPE_SYSTEM, PTHREAD_SCOPE_PROCESS, ENOTSUP);
    ATTRIBUTE(attr, scope, PTHREAD_SCOPE_SYSTEM, 2, EINVAL);
    end();

    begin("pthread_attr_setschedparam, pthread_attr_getschedparam [EINVAL]: a priority between least and most");
    param.sched_priority = 7;
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    param.sched_priority = 0;
    CHECK(pthread_attr_setschedparam(&attr, &param) == EINVAL);
    param.sched_priority = sched_get_priority_max(SCHED_FIFO) + 1;
    CHECK(pthread_attr_setschedparam(&attr, &param) == EINVAL);
    CHECK(pthread_attr_getschedparam(&attr, &param) == 0 && param.sched_priority == 7);
    end();

    begin("pthread_attr_setstacksize, pthread_attr_getstacksize [EINVAL]: not below PTHREAD_STACK_MIN");
    CHECK(pthread_attr_setstacksize(&attr, 1024) == 0);
    CHECK(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN - 1) == EINVAL);
    CHECK(pthread_attr_getstacksize(&attr, &size) == 0 && size == 1024);
    end();

    begin("pthread_attr_setguardsize, pthread_attr_getguardsize: what was set is kept");
    CHECK(pthread_attr_setguardsize(&attr, 64) == 0);
    CHECK(pthread_attr_getguardsize(&attr, &size) == 0 && size == 64);
    CHECK(pthread_attr_destroy(&attr) == 0);
    end();
}

static void of_mutexes(void)
{
    pthread_mutexattr_t attr;
    int value;

    begin("pthread_mutexattr_init, pthread_mutexattr_destroy: the defaults are the standard's");
    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_gettype(&attr, &value) == 0 && value == PTHREAD_MUTEX_DEFAULT);
    CHECK(pthread_mutexattr_getprotocol(&attr, &value) == 0 && value == PTHREAD_PRIO_NONE);
    CHECK(pthread_mutexattr_getrobust(&attr, &value) == 0 && value == PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutexattr_getpshared(&attr, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
    end();

    begin("pthread_mutexattr_settype, pthread_mutexattr_gettype [EINVAL]: the four types");
    ATTRIBUTE(mutexattr, type, PTHREAD_MUTEX_NORMAL, 4, EINVAL);
    ATTRIBUTE(mutexattr, type, PTHREAD_MUTEX_RECURSIVE, -1, EINVAL);
    ATTRIBUTE(mutexattr, type, PTHREAD_MUTEX_ERRORCHECK, 99, EINVAL);
    ATTRIBUTE(mutexattr, type, PTHREAD_MUTEX_DEFAULT, 4, EINVAL);
    end();

    begin("pthread_mutexattr_setprotocol, pthread_mutexattr_getprotocol [ENOTSUP]: the three protocols");
    ATTRIBUTE(mutexattr, protocol, PTHREAD_PRIO_INHERIT, 3, ENOTSUP);
    ATTRIBUTE(mutexattr, protocol, PTHREAD_PRIO_PROTECT, -1, ENOTSUP);
    ATTRIBUTE(mutexattr, protocol, PTHREAD_PRIO_NONE, 3, ENOTSUP);
    end();

    begin("pthread_mutexattr_setrobust, pthread_mutexattr_getrobust [EINVAL]: robust or stalled");
    ATTRIBUTE(mutexattr, robust, PTHREAD_MUTEX_ROBUST, 2, EINVAL);
    ATTRIBUTE(mutexattr, robust, PTHREAD_MUTEX_STALLED, -1, EINVAL);
    end();

    begin("pthread_mutexattr_setpshared, pthread_mutexattr_getpshared [EINVAL]: private or shared");
    ATTRIBUTE(mutexattr, pshared, PTHREAD_PROCESS_SHARED, 2, EINVAL);
    end();

    begin("pthread_mutexattr_setprioceiling, pthread_mutexattr_getprioceiling [EINVAL]: a priority of SCHED_FIFO");
    ATTRIBUTE(mutexattr, prioceiling, 12, 0, EINVAL);
    ATTRIBUTE(mutexattr, prioceiling, 13, sched_get_priority_max(SCHED_FIFO) + 1, EINVAL);
    CHECK(pthread_mutexattr_destroy(&attr) == 0);
    end();
}

static void of_others(void)
{
    int value;

    begin("pthread_condattr_init, pthread_condattr_setclock, pthread_condattr_getclock [EINVAL]: both clocks");
    {
        pthread_condattr_t attr;
        clockid_t clock = 0;
        CHECK(pthread_condattr_init(&attr) == 0);
        CHECK(pthread_condattr_getclock(&attr, &clock) == 0 && clock == CLOCK_REALTIME);
        CHECK(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
        CHECK(pthread_condattr_setclock(&attr, (clockid_t)77) == EINVAL);
        CHECK(pthread_condattr_getclock(&attr, &clock) == 0 && clock == CLOCK_MONOTONIC);
    }
    end();
    begin("pthread_condattr_setpshared, pthread_condattr_getpshared, pthread_condattr_destroy [EINVAL]");
    {
        pthread_condattr_t attr;
        CHECK(pthread_condattr_init(&attr) == 0);
        CHECK(pthread_condattr_getpshared(&attr, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
        ATTRIBUTE(condattr, pshared, PTHREAD_PROCESS_SHARED, 2, EINVAL);
        CHECK(pthread_condattr_destroy(&attr) == 0);
    }
    end();
    begin("pthread_rwlockattr_init, pthread_rwlockattr_setpshared, pthread_rwlockattr_getpshared, "
          "pthread_rwlockattr_destroy [EINVAL]");
    {
        pthread_rwlockattr_t attr;
        CHECK(pthread_rwlockattr_init(&attr) == 0);
        CHECK(pthread_rwlockattr_getpshared(&attr, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
        ATTRIBUTE(rwlockattr, pshared, PTHREAD_PROCESS_SHARED, 2, EINVAL);
        CHECK(pthread_rwlockattr_destroy(&attr) == 0);
    }
    end();
    begin("pthread_barrierattr_init, pthread_barrierattr_setpshared, pthread_barrierattr_getpshared, "
          "pthread_barrierattr_destroy [EINVAL]");
    {
        pthread_barrierattr_t attr;
        CHECK(pthread_barrierattr_init(&attr) == 0);
        CHECK(pthread_barrierattr_getpshared(&attr, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
        ATTRIBUTE(barrierattr, pshared, PTHREAD_PROCESS_SHARED, 2, EINVAL);
        CHECK(pthread_barrierattr_destroy(&attr) == 0);
    }
    end();
}

void attributes(void)
{
    of_threads();
    of_mutexes();
    of_others();
}
