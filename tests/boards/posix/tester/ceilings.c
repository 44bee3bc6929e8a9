/* PTHREAD_PRIO_PROTECT: mutexes with a ceiling. */

#include "check.h"

#include <riposte.h>
#include <semaphore.h>
#include <signal.h>

/* The highest priority that the manifest lets this process have. */
#define LIMIT 14
/* How many mutexes with a ceiling a thread holds at once. */
#define MOST 8

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

/* How a lock went, and at which priority the thread is then. */
static void *lock_tells(void *argument)
{
    const unsigned error = (unsigned)pthread_mutex_lock(argument);
    return (void *)(uintptr_t)(error << 8 | now());
}

static void *tells(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)now();
}

static void *dies_with(void *argument)
{
    CHECK(pthread_mutex_lock(argument) == 0);
    return NULL;
}

/* At which priority the kernel has a thread. */
static unsigned of(pthread_t thread)
{
    uint32_t priority = 0;
    riposte_thread_schedule((riposte_thread_t){thread}, &priority, NULL);
    return priority;
}

/* What a thread does that others give priorities: it takes a mutex, says so, and gives it back when it is told to. */
static sem_t taken, go_on;

static void *holds(void *argument)
{
    CHECK(pthread_mutex_lock(argument) == 0 && sem_post(&taken) == 0);
    CHECK(sem_wait(&go_on) == 0 && pthread_mutex_unlock(argument) == 0);
    return (void *)(uintptr_t)now();
}

/* What it has at the end if it had `first` at its beginning, and is given `then` while it holds the mutex. */
static unsigned given(int first, int then)
{
    struct sched_param param = {0};
    int policy;
    const pthread_t thread = start(first, holds, &high);
    CHECK(sem_wait(&taken) == 0 && of(thread) == 13);
    CHECK(pthread_setschedprio(thread, then) == 0);
    CHECK(of(thread) == (then > 13 ? (unsigned)then : 13));
    CHECK(pthread_getschedparam(thread, &policy, &param) == 0 && param.sched_priority == then);
    CHECK(sem_post(&go_on) == 0);
    return (unsigned)(uintptr_t)finish(thread);
}

/* Priorities that a thread is given by others. */
static void by_others(void)
{
    struct sched_param param = {LIMIT + 1};
    int policy;
    pthread_t thread;

    CHECK(sem_init(&taken, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
    begin("pthread_setschedprio: of another thread that holds a mutex with a ceiling, it lasts; until then the higher one counts");
    make(&high, 13, PTHREAD_MUTEX_STALLED);
    CHECK(given(LESS_URGENT, MORE_URGENT) == MORE_URGENT);
    CHECK(given(MORE_URGENT, LESS_URGENT) == LESS_URGENT);
    CHECK(given(LESS_URGENT, 13) == 13);
    CHECK(given(LESS_URGENT, LIMIT) == LIMIT);
    end();

    begin("pthread_setschedparam [EPERM]: of another thread that holds a mutex with a ceiling, nothing has changed");
    thread = start(LESS_URGENT, holds, &high);
    CHECK(sem_wait(&taken) == 0);
    CHECK(pthread_setschedparam(thread, SCHED_FIFO, &param) == EPERM && of(thread) == 13);
    CHECK(sem_post(&go_on) == 0 && finish(thread) == (void *)LESS_URGENT);
    CHECK(pthread_setschedprio(thread, MORE_URGENT) == ESRCH && pthread_setschedprio(0, MORE_URGENT) == ESRCH);
    CHECK(pthread_getschedparam(0, &policy, &param) == ESRCH && now() == OWN_PRIORITY);
    end();

    begin("pthread_setschedprio: of another thread that waits for a mutex with a ceiling");
    CHECK(pthread_mutex_lock(&high) == 0);
    thread = start(LESS_URGENT, holds, &high);
    CHECK(nanosleep(&(struct timespec){0, 1000000}, NULL) == 0 && of(thread) == 13);
    CHECK(pthread_setschedprio(thread, MORE_URGENT) == 0 && of(thread) == 13);
    CHECK(pthread_mutex_unlock(&high) == 0 && sem_wait(&taken) == 0 && of(thread) == 13);
    CHECK(sem_post(&go_on) == 0 && finish(thread) == (void *)MORE_URGENT);
    end();

    begin("pthread_setschedprio: of a thread in whose place another one ended with a mutex with a ceiling");
    make(&low, 11, PTHREAD_MUTEX_ROBUST);
    CHECK(finish(start(LESS_URGENT, dies_with, &low)) == NULL);
    CHECK(given(LESS_URGENT, MORE_URGENT) == MORE_URGENT);
    CHECK(pthread_mutex_lock(&low) == EOWNERDEAD && pthread_mutex_consistent(&low) == 0);
    CHECK(pthread_mutex_unlock(&low) == 0 && now() == OWN_PRIORITY);
    CHECK(pthread_mutex_destroy(&low) == 0 && pthread_mutex_destroy(&high) == 0);
    end();
    CHECK(sem_destroy(&taken) == 0 && sem_destroy(&go_on) == 0);
}

/* Gives the mutex that another thread waits for another ceiling. */
static void *sets(void *ceiling)
{
    int before;
    return (void *)(intptr_t)pthread_mutex_setprioceiling(&low, (int)(intptr_t)ceiling, &before);
}

/* A ceiling that is set while a thread waits, behind the one that sets it. */
static void set_meanwhile(void)
{
    const struct timespec moment = {0, 1000000};
    pthread_t setter, waiter;

    CHECK(sem_init(&taken, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
    make(&low, 11, PTHREAD_MUTEX_STALLED);

    begin("pthread_mutex_setprioceiling: who waited meanwhile has the mutex at the new ceiling");
    CHECK(pthread_mutex_lock(&low) == 0);
    setter = start(12, sets, (void *)13);
    waiter = start(LESS_URGENT, holds, &low);
    CHECK(nanosleep(&moment, NULL) == 0 && of(waiter) >= 11);
    CHECK(pthread_mutex_unlock(&low) == 0 && finish(setter) == NULL);
    CHECK(sem_wait(&taken) == 0 && of(waiter) == 13);
    CHECK(sem_post(&go_on) == 0 && finish(waiter) == (void *)LESS_URGENT);
    end();

    begin("pthread_mutex_lock [EINVAL]: the ceiling came to lie below who waited meanwhile, who does not keep the mutex");
    CHECK(pthread_mutex_lock(&low) == 0);
    setter = start(13, sets, (void *)(LESS_URGENT - 1));
    waiter = start(LESS_URGENT, lock_tells, &low);
    CHECK(nanosleep(&moment, NULL) == 0);
    CHECK(pthread_mutex_unlock(&low) == 0 && finish(setter) == NULL);
    CHECK(finish(waiter) == (void *)(EINVAL << 8 | LESS_URGENT));
    CHECK(pthread_mutex_setprioceiling(&low, 11, &(int){0}) == 0);
    CHECK(pthread_mutex_trylock(&low) == 0 && pthread_mutex_unlock(&low) == 0 && now() == OWN_PRIORITY);
    end();
    CHECK(pthread_mutex_destroy(&low) == 0 && sem_destroy(&taken) == 0 && sem_destroy(&go_on) == 0);
}

/* A handler that lets another thread have a mutex with a ceiling, and waits until it had it. */
static volatile sig_atomic_t handled, late, is_over;

static void lets_have(int number)
{
    const struct timespec until = in(CLOCK_REALTIME, 200);
    (void)number;
    handled++;
    if (sem_timedwait(&taken, &until) != 0 || pthread_kill(pthread_self(), 0) != 0)
        late++;
}

static void *interrupts(void *whom)
{
    for (long round = 0; round < 100 && !late; round++) {
        CHECK(nanosleep(&(struct timespec){0, 100000 + 777 * round}, NULL) == 0);
        CHECK(pthread_kill(*(pthread_t *)whom, SIGUSR1) == 0);
        CHECK(pthread_mutex_lock(&high) == 0 && pthread_mutex_unlock(&high) == 0 && sem_post(&taken) == 0);
    }
    is_over = 1;
    return NULL;
}

static void handlers(void)
{
    const struct sigaction action = {.sa_handler = lets_have};
    pthread_t own = pthread_self(), thread;

    begin("pthread_mutex_lock: PTHREAD_PRIO_PROTECT, a handler that interrupts it keeps nobody from another mutex");
    make(&low, 11, PTHREAD_MUTEX_STALLED);
    make(&high, 13, PTHREAD_MUTEX_STALLED);
    CHECK(sem_init(&taken, 0, 0) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    thread = start(12, interrupts, &own);
    while (!is_over)
        CHECK(pthread_mutex_lock(&low) == 0 && pthread_mutex_unlock(&low) == 0);
    finish(thread);
    CHECK(handled > 0 && late == 0 && now() == OWN_PRIORITY);
    CHECK(signal(SIGUSR1, SIG_DFL) != SIG_ERR && sem_destroy(&taken) == 0);
    CHECK(pthread_mutex_destroy(&low) == 0 && pthread_mutex_destroy(&high) == 0);
    end();
}

/* A handler that has a mutex with a ceiling itself meanwhile. */
static volatile sig_atomic_t below;

static void takes_high(int number)
{
    (void)number;
    handled++;
    if (pthread_mutex_lock(&high) != 0 || now() != 13 || pthread_mutex_unlock(&high) != 0)
        late++;
}

/* Interrupts a thread wherever it is. */
static void *sends(void *whom)
{
    for (long round = 0; round < 200; round++) {
        CHECK(nanosleep(&(struct timespec){0, 100000 + 777 * round}, NULL) == 0);
        CHECK(pthread_kill(*(pthread_t *)whom, SIGUSR1) == 0);
    }
    is_over = 1;
    return NULL;
}

/* Lowers the ceiling of the mutex that another thread waits for, and lets a third one go on. */
static void *lowers(void *unused)
{
    (void)unused;
    CHECK(pthread_mutex_setprioceiling(&low, 11, NULL) == 0 && sem_post(&go_on) == 0);
    return NULL;
}

/* Interrupts a thread as soon as it falls behind this one. */
static void *sends_once(void *whom)
{
    CHECK(sem_wait(&go_on) == 0 && pthread_kill(*(pthread_t *)whom, SIGUSR1) == 0);
    return NULL;
}

static void handlers_with_mutexes(void)
{
    const struct sigaction action = {.sa_handler = takes_high};
    pthread_t own = pthread_self(), thread, setter, waiter;

    CHECK(sem_init(&go_on, 0, 0) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    make(&low, 11, PTHREAD_MUTEX_STALLED);
    make(&high, 13, PTHREAD_MUTEX_STALLED);

    begin("pthread_mutex_lock: PTHREAD_PRIO_PROTECT, at its ceiling also if a handler interrupted it that had another mutex");
    handled = late = is_over = 0;
    thread = start(14, sends, &own);
    while (!is_over) {
        CHECK(pthread_mutex_lock(&low) == 0);
        if (now() < 11)
            below++;
        CHECK(pthread_mutex_unlock(&low) == 0);
    }
    finish(thread);
    CHECK(handled > 0 && late == 0 && now() == OWN_PRIORITY);
    CHECK(below == 0);
    end();

    begin("pthread_mutex_setprioceiling: who waited meanwhile is at the new ceiling also if a handler interrupted it");
    handled = late = 0;
    CHECK(pthread_mutex_setprioceiling(&low, 13, NULL) == 0 && pthread_mutex_lock(&low) == 0);
    setter = start(LIMIT, lowers, NULL);
    waiter = start(LESS_URGENT, lock_tells, &low);
    thread = start(12, sends_once, &waiter);
    CHECK(nanosleep(&(struct timespec){0, 1000000}, NULL) == 0 && of(waiter) == 13);
    CHECK(pthread_mutex_unlock(&low) == 0 && finish(setter) == NULL && finish(thread) == NULL);
    CHECK(finish(waiter) == (void *)11);
    CHECK(handled == 1 && late == 0 && now() == OWN_PRIORITY);
    end();

    begin("pthread_mutex_lock: PTHREAD_PRIO_PROTECT, in a handler before its thread's first instruction, in whose last life one ended");
    handled = late = 0;
    make(&low, LIMIT, PTHREAD_MUTEX_ROBUST);
    CHECK(finish(start(LESS_URGENT, dies_with, &low)) == NULL);
    thread = start(LESS_URGENT, tells, NULL);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && finish(thread) == (void *)LESS_URGENT);
    CHECK(handled == 1 && late == 0);
    end();
    CHECK(signal(SIGUSR1, SIG_DFL) != SIG_ERR && sem_destroy(&go_on) == 0 && pthread_mutex_destroy(&high) == 0);
}

/* What another process may write where a mutex lies. */
static void shared_memory(void)
{
    pthread_mutex_t *all[] = {&low, &high};
    begin("pthread_mutex_unlock: PTHREAD_PRIO_PROTECT, whatever others write where the mutex lies, who holds it takes no harm");
    make(&low, 11, PTHREAD_MUTEX_STALLED);
    make(&high, 13, PTHREAD_MUTEX_STALLED);
    for (size_t each = 0; each < 2; each++)
        CHECK(pthread_mutex_lock(all[each]) == 0);
    /* All but its lock, and what it is. */
    for (size_t each = 0; each < 2; each++)
        all[each]->__type = all[each]->__robust = all[each]->__ceiling = 0x55;
    CHECK(pthread_mutex_unlock(&high) == 0 && now() == 11);
    CHECK(pthread_mutex_unlock(&low) == 0 && now() == OWN_PRIORITY);
    end();
}

static void many(void)
{
    static pthread_mutex_t mutexes[MOST + 1];
    begin("pthread_mutex_lock, pthread_mutex_trylock [EAGAIN]: PTHREAD_PRIO_PROTECT, a thread holds eight at once");
    for (int each = 0; each <= MOST; each++)
        make(&mutexes[each], LIMIT, PTHREAD_MUTEX_STALLED);
    for (int each = 0; each < MOST; each++)
        CHECK(pthread_mutex_lock(&mutexes[each]) == 0);
    CHECK(pthread_mutex_lock(&mutexes[MOST]) == EAGAIN && pthread_mutex_trylock(&mutexes[MOST]) == EAGAIN);
    CHECK(pthread_mutex_unlock(&mutexes[3]) == 0 && pthread_mutex_lock(&mutexes[MOST]) == 0);
    CHECK(pthread_mutex_unlock(&mutexes[MOST]) == 0 && pthread_mutex_lock(&mutexes[3]) == 0);
    for (int each = 0; each < MOST; each++)
        CHECK(pthread_mutex_unlock(&mutexes[each]) == 0);
    CHECK(now() == OWN_PRIORITY);
    end();
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

    begin("pthread_create: a thread inherits what was set, whatever mutexes its creator holds");
    CHECK(pthread_mutex_lock(&high) == 0 && pthread_create(&thread, NULL, tells, NULL) == 0);
    CHECK(pthread_mutex_unlock(&high) == 0 && finish(thread) == (void *)OWN_PRIORITY);
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
    set_meanwhile();
    by_others();
    handlers();
    handlers_with_mutexes();
    many();
    shared_memory();
}
