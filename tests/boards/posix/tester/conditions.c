/* Condition variables, barriers, and what is done once. */

#include "check.h"

#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static unsigned level, woken;

static void *waits(void *argument)
{
    const unsigned wanted = (unsigned)(uintptr_t)argument;
    int error = pthread_mutex_lock(&mutex);
    while (!error && level < wanted)
        error = pthread_cond_wait(&cond, &mutex);
    woken++;
    pthread_mutex_unlock(&mutex);
    return (void *)(intptr_t)error;
}

static void *comes(void *argument)
{
    (void)argument;
    return (void *)(intptr_t)(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned times_done;

static void work(void)
{
    sched_yield();
    times_done++;
}

static void *does(void *argument)
{
    (void)argument;
    const int error = pthread_once(&once, work);
    return (void *)(intptr_t)(error || times_done != 1);
}

static pthread_once_t timed = PTHREAD_ONCE_INIT;
static int timed_out;

static void work_until(void)
{
    const struct timespec soon = in(CLOCK_REALTIME, 3);
    timed_out = pthread_mutex_timedlock(&mutex, &soon);
}

static void *does_until(void *argument)
{
    (void)argument;
    return (void *)(intptr_t)pthread_once(&timed, work_until);
}

static void *waits_as_stranger(void *argument)
{
    return (void *)(intptr_t)pthread_cond_wait(&cond, argument);
}

static void *tries(void *argument)
{
    const int error = pthread_mutex_trylock(argument);
    if (!error)
        CHECK(pthread_mutex_unlock(argument) == 0);
    return (void *)(intptr_t)error;
}

static void signals(void)
{
    pthread_mutex_t recursive;
    pthread_mutexattr_t attr;
    pthread_t one, other;

    begin("pthread_cond_signal, pthread_cond_wait: one that waits is woken, and has the mutex");
    level = woken = 0;
    one = start(MORE_URGENT, waits, (void *)1);
    other = start(MORE_URGENT, waits, (void *)1);
    CHECK(woken == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    level = 1;
    CHECK(pthread_cond_signal(&cond) == 0 && woken == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0 && woken == 1);
    CHECK(pthread_cond_signal(&cond) == 0 && woken == 2);
    CHECK(finish(one) == NULL && finish(other) == NULL);
    end();

    begin("pthread_cond_wait [EPERM]: who does not own the mutex changes nothing of it");
    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) == 0);
    CHECK(pthread_mutex_init(&recursive, &attr) == 0);
    CHECK(finish(start(MORE_URGENT, waits_as_stranger, &recursive)) == (void *)EPERM);
    CHECK(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
    CHECK(finish(start(MORE_URGENT, waits_as_stranger, &recursive)) == (void *)EPERM);
    CHECK(pthread_mutex_unlock(&recursive) == 0);
    CHECK(finish(start(MORE_URGENT, tries, &recursive)) == (void *)EBUSY);
    CHECK(pthread_mutex_unlock(&recursive) == 0);
    CHECK(finish(start(MORE_URGENT, tries, &recursive)) == NULL);
    CHECK(pthread_cond_destroy(&cond) == 0);
    end();

    begin("pthread_cond_broadcast: all that wait are woken");
    level = woken = 0;
    one = start(MORE_URGENT, waits, (void *)1);
    other = start(MORE_URGENT, waits, (void *)1);
    level = 1;
    CHECK(pthread_cond_broadcast(&cond) == 0 && woken == 2);
    CHECK(finish(one) == NULL && finish(other) == NULL);
    end();

    begin("pthread_cond_destroy [EBUSY]: somebody waits");
    level = woken = 0;
    one = start(MORE_URGENT, waits, (void *)1);
    CHECK(pthread_cond_destroy(&cond) == EBUSY);
    level = 1;
    CHECK(pthread_cond_signal(&cond) == 0);
    CHECK(finish(one) == NULL);
    CHECK(pthread_cond_destroy(&cond) == 0);
    end();
}

/* What was freed and is used for something else. */
static void use_again(void *memory, size_t length)
{
    memset(memory, 0xA5, length);
}

static bool is_untouched(const void *memory, size_t length)
{
    const unsigned char *const bytes = memory;
    size_t at = 0;
    while (at < length && bytes[at] == 0xA5)
        at++;
    return at == length;
}

static void let_less_urgent_run(void)
{
    const struct timespec soon = in(CLOCK_MONOTONIC, 2);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &soon, NULL) == 0);
}

static void destroyed_at_once(void)
{
    pthread_t one, other;

    begin("pthread_cond_destroy: right behind a broadcast, whoever waited and has not run yet does not touch it afterwards");
    CHECK(pthread_cond_init(&cond, NULL) == 0);
    level = woken = 0;
    one = start(LESS_URGENT, waits, (void *)1);
    other = start(LESS_URGENT, waits, (void *)1);
    let_less_urgent_run();
    CHECK(pthread_mutex_lock(&mutex) == 0);
    level = 1;
    CHECK(pthread_cond_broadcast(&cond) == 0);
    CHECK(pthread_cond_destroy(&cond) == 0);
    use_again(&cond, sizeof cond);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(finish(one) == NULL && finish(other) == NULL && woken == 2);
    CHECK(is_untouched(&cond, sizeof cond));
    end();

    begin("pthread_barrier_destroy: by whom it serves, though others have not run yet, who do not touch it afterwards");
    CHECK(pthread_barrier_init(&barrier, NULL, 3) == 0);
    one = start(LESS_URGENT, comes, NULL);
    other = start(LESS_URGENT, comes, NULL);
    let_less_urgent_run();
    CHECK(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK(pthread_barrier_destroy(&barrier) == 0);
    use_again(&barrier, sizeof barrier);
    CHECK(finish(one) == NULL && finish(other) == NULL);
    CHECK(is_untouched(&barrier, sizeof barrier));
    end();
}

static void deadlines(void)
{
    pthread_condattr_t attr;
    struct timespec soon, late;
    const struct timespec none = {0, 1000000000};

    begin("pthread_cond_timedwait [ETIMEDOUT]: at the moment of CLOCK_REALTIME, and with the mutex");
    CHECK(pthread_cond_init(&cond, NULL) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    soon = in(CLOCK_REALTIME, 2);
    CHECK(pthread_cond_timedwait(&cond, &mutex, &soon) == ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &late);
    CHECK(late.tv_sec > soon.tv_sec || (late.tv_sec == soon.tv_sec && late.tv_nsec >= soon.tv_nsec));
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
    end();

    begin("pthread_cond_timedwait [EINVAL] [EPERM]: no such time; the mutex is not the caller's");
    CHECK(pthread_cond_timedwait(&cond, &mutex, &none) == EINVAL);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_cond_timedwait(&cond, &mutex, &soon) == EPERM);
    CHECK(pthread_cond_wait(&cond, &mutex) == EPERM);
    CHECK(pthread_cond_destroy(&cond) == 0);
    end();

    begin("pthread_cond_init, pthread_cond_timedwait: by CLOCK_MONOTONIC, whatever the time of day is");
    const struct timespec day = {1000000, 0};
    CHECK(clock_settime(CLOCK_REALTIME, &day) == 0);
    CHECK(pthread_condattr_init(&attr) == 0);
    CHECK(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&cond, &attr) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    soon = in(CLOCK_MONOTONIC, 2);
    CHECK(pthread_cond_timedwait(&cond, &mutex, &soon) == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &late);
    CHECK(late.tv_sec < 1000000);
    CHECK(late.tv_sec > soon.tv_sec || (late.tv_sec == soon.tv_sec && late.tv_nsec >= soon.tv_nsec));
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    end();

    begin("pthread_cond_wait: a recursive mutex is given up as a whole, and comes back as often taken");
    pthread_mutexattr_t recursive;
    pthread_mutex_t again;
    CHECK(pthread_mutexattr_init(&recursive) == 0);
    CHECK(pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE) == 0);
    CHECK(pthread_mutex_init(&again, &recursive) == 0);
    CHECK(pthread_mutex_lock(&again) == 0 && pthread_mutex_lock(&again) == 0);
    soon = in(CLOCK_MONOTONIC, 1);
    CHECK(pthread_cond_timedwait(&cond, &again, &soon) == ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&again) == 0 && pthread_mutex_unlock(&again) == 0);
    CHECK(pthread_mutex_unlock(&again) == EPERM);
    end();
}

static void barriers(void)
{
    pthread_t one, other;
    int serial;

    begin("pthread_barrier_init [EINVAL] [EAGAIN]: for somebody, and not for too many");
    CHECK(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    CHECK(pthread_barrier_init(&barrier, NULL, 65536) == EAGAIN);
    CHECK(pthread_barrier_init(&barrier, NULL, 3) == 0);
    end();

    begin("pthread_barrier_wait: all go on when the last has come, and one of them is told so");
    for (int round = 0; round < 2; round++) {
        one = start(MORE_URGENT, comes, NULL);
        other = start(MORE_URGENT, comes, NULL);
        serial = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
        serial += (int)(intptr_t)finish(one);
        serial += (int)(intptr_t)finish(other);
        CHECK(serial == 1);
    }
    end();

    begin("pthread_barrier_destroy [EBUSY]: somebody waits");
    CHECK(pthread_barrier_destroy(&barrier) == 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    one = start(MORE_URGENT, comes, NULL);
    CHECK(pthread_barrier_destroy(&barrier) == EBUSY);
    serial = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    CHECK(serial + (int)(intptr_t)finish(one) == 1);
    end();
}

static void done_once(void)
{
    begin("pthread_once: whoever comes first does it, and the others wait until it is done");
    pthread_t one = start(OWN_PRIORITY, does, NULL), other = start(OWN_PRIORITY, does, NULL);
    CHECK(finish(one) == NULL && finish(other) == NULL);
    CHECK(pthread_once(&once, work) == 0 && times_done == 1);
    end();
    begin("pthread_once: who does it waits until a moment for who waits until it is done");
    CHECK(pthread_mutex_lock(&mutex) == 0);
    one = start(MORE_URGENT, does_until, NULL);
    CHECK(pthread_once(&timed, work_until) == 0 && timed_out == ETIMEDOUT);
    CHECK(finish(one) == NULL && pthread_mutex_unlock(&mutex) == 0);
    end();
}

void conditions(void)
{
    signals();
    deadlines();
    barriers();
    destroyed_at_once();
    done_once();
}
