/* Threads: their start, their end, and how they run. */

#include "check.h"

#include <semaphore.h>
#include <signal.h>

static sem_t go;
static volatile unsigned steps;

static void *twice(void *argument)
{
    return (void *)(2 * (uintptr_t)argument);
}

static void *leaves(void *argument)
{
    pthread_exit(argument);
}

static void *waits(void *argument)
{
    (void)argument;
    sem_wait(&go);
    steps++;
    return NULL;
}

static void *own(void *argument)
{
    (void)argument;
    return (void *)(uintptr_t)pthread_self();
}

static void *priority(void *argument)
{
    struct sched_param param = {0};
    int policy = -1;
    (void)argument;
    if (pthread_getschedparam(pthread_self(), &policy, &param))
        return NULL;
    return (void *)(uintptr_t)(param.sched_priority * 8 + policy);
}

static void *joins_main(void *argument)
{
    return (void *)(intptr_t)pthread_join(*(pthread_t *)argument, NULL);
}

static void lives(void)
{
    pthread_t thread, other;
    void *value = NULL;

    begin("pthread_create, pthread_join: a thread gets its argument, and its value is what it returns");
    CHECK(pthread_create(&thread, NULL, twice, (void *)21) == 0);
    CHECK(pthread_join(thread, &value) == 0 && value == (void *)42);
    end();

    begin("pthread_exit: its value is that of the thread");
    CHECK(pthread_create(&thread, NULL, leaves, (void *)7) == 0);
    CHECK(pthread_join(thread, &value) == 0 && value == (void *)7);
    end();

    begin("pthread_join [ESRCH] [EDEADLK]: a thread is joined once, and not by itself");
    CHECK(pthread_join(thread, NULL) == ESRCH);
    CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
    end();

    begin("pthread_join [EINVAL]: nobody joins a thread that is detached");
    CHECK(pthread_create(&thread, NULL, waits, NULL) == 0);
    CHECK(pthread_detach(thread) == 0);
    CHECK(pthread_join(thread, NULL) == EINVAL);
    end();

    begin("pthread_detach [EINVAL] [ESRCH]: once, and a thread that there is");
    CHECK(pthread_detach(thread) == EINVAL);
    steps = 0;
    CHECK(sem_post(&go) == 0);
    while (steps == 0)
        sched_yield();
    sched_yield();
    CHECK(pthread_detach(thread) == ESRCH);
    end();

    begin("pthread_join [EDEADLK]: two threads do not join each other");
    thread = pthread_self();
    other = start(LESS_URGENT, joins_main, &thread);
    CHECK(pthread_join(other, &value) == 0 && value == (void *)EDEADLK);
    end();

    begin("pthread_self, pthread_equal: each thread has an id of its own");
    CHECK(pthread_create(&thread, NULL, own, NULL) == 0);
    CHECK(pthread_join(thread, &value) == 0 && pthread_equal(thread, (pthread_t)(uintptr_t)value));
    CHECK(!pthread_equal(thread, pthread_self()) && pthread_equal(pthread_self(), pthread_self()));
    end();
}

static void limits(void)
{
    pthread_attr_t attr;
    pthread_t thread[5];
    int count = 0;

    begin("pthread_create [EAGAIN]: there are as many as the manifest says");
    while (count < 5 && pthread_create(&thread[count], NULL, waits, NULL) == 0)
        count++;
    CHECK(count == 4);
    CHECK(pthread_create(&thread[4], NULL, waits, NULL) == EAGAIN);
    for (int each = 0; each < count; each++)
        CHECK(sem_post(&go) == 0);
    for (int each = 0; each < count; each++)
        finish(thread[each]);
    end();

    begin("pthread_create [EAGAIN]: no stack is so large");
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_setstacksize(&attr, 1 << 20) == 0);
    CHECK(pthread_create(&thread[0], &attr, twice, NULL) == EAGAIN);
    end();

    begin("pthread_create: a thread that is detached leaves its place when it ends");
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
    for (int each = 0; each < 12; each++) {
        CHECK(pthread_create(&thread[0], &attr, twice, NULL) == 0);
        sched_yield();
    }
    CHECK(pthread_join(thread[0], NULL) == ESRCH);
    end();
}

static void schedules(void)
{
    struct sched_param param = {12};
    pthread_attr_t attr;
    pthread_t thread;
    int policy;

    begin("pthread_create: priority and policy are the creator's, or those of the attributes");
    CHECK(pthread_setschedparam(pthread_self(), SCHED_RR, &param) == 0);
    CHECK(pthread_create(&thread, NULL, priority, NULL) == 0);
    CHECK(finish(thread) == (void *)(12 * 8 + SCHED_RR));
    param.sched_priority = OWN_PRIORITY;
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0);
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_setschedpolicy(&attr, SCHED_OTHER) == 0);
    param.sched_priority = 8;
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    CHECK(pthread_create(&thread, &attr, priority, NULL) == 0);
    CHECK(finish(thread) == (void *)(OWN_PRIORITY * 8 + SCHED_FIFO));
    CHECK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
    CHECK(pthread_create(&thread, &attr, priority, NULL) == 0);
    CHECK(finish(thread) == (void *)(8 * 8 + SCHED_OTHER));
    end();

    begin("pthread_setschedparam, pthread_getschedparam [EINVAL] [EPERM] [ESRCH]: what was set is what one gets");
    param.sched_priority = 13;
    CHECK(pthread_setschedparam(pthread_self(), SCHED_OTHER, &param) == 0);
    CHECK(pthread_getschedparam(pthread_self(), &policy, &param) == 0);
    CHECK(policy == SCHED_OTHER && param.sched_priority == 13);
    CHECK(pthread_setschedparam(pthread_self(), 5, &param) == EINVAL);
    param.sched_priority = 0;
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == EINVAL);
    param.sched_priority = 15;
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == EPERM);
    param.sched_priority = 8;
    CHECK(pthread_setschedparam(thread, SCHED_FIFO, &param) == ESRCH);
    CHECK(pthread_getschedparam(thread, &policy, &param) == ESRCH);
    CHECK(pthread_getschedparam(pthread_self(), &policy, &param) == 0);
    CHECK(policy == SCHED_OTHER && param.sched_priority == 13);
    param.sched_priority = OWN_PRIORITY;
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0);
    end();

    begin("pthread_setschedprio [EINVAL] [EPERM] [ESRCH]: the policy stays");
    CHECK(pthread_setschedprio(pthread_self(), 11) == 0);
    CHECK(pthread_getschedparam(pthread_self(), &policy, &param) == 0);
    CHECK(policy == SCHED_FIFO && param.sched_priority == 11);
    CHECK(pthread_setschedprio(pthread_self(), 0) == EINVAL);
    CHECK(pthread_setschedprio(pthread_self(), 15) == EPERM);
    CHECK(pthread_setschedprio(thread, 5) == ESRCH);
    CHECK(pthread_setschedprio(pthread_self(), OWN_PRIORITY) == 0);
    end();

    begin("pthread_setschedprio: a thread that becomes more urgent than the caller runs at once");
    steps = 0;
    thread = start(LESS_URGENT, waits, NULL);
    CHECK(sem_post(&go) == 0 && steps == 0);
    CHECK(pthread_setschedprio(thread, MORE_URGENT) == 0 && steps == 1);
    finish(thread);
    end();

    begin("sched_get_priority_min, sched_get_priority_max [EINVAL]: at least 32 levels less those that are not permitted");
    CHECK(sched_get_priority_min(SCHED_FIFO) == 1 && sched_get_priority_min(SCHED_RR) == 1);
    CHECK(sched_get_priority_max(SCHED_FIFO) == 14 && sched_get_priority_max(SCHED_OTHER) == 14);
    errno = 0;
    CHECK(sched_get_priority_max(9) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(sched_get_priority_min(9) == -1 && errno == EINVAL);
    end();
}

static void processes(void)
{
    struct sched_param param = {0};

    begin("sched_setparam, sched_getparam [ESRCH] [EINVAL]: of the calling thread, in the range that is told");
    param.sched_priority = 12;
    CHECK(sched_setparam(0, &param) == 0);
    param.sched_priority = 0;
    CHECK(sched_getparam(0, &param) == 0 && param.sched_priority == 12);
    errno = 0;
    CHECK(sched_getparam(4711, &param) == -1 && errno == ESRCH);
    errno = 0;
    CHECK(sched_setparam(4711, &param) == -1 && errno == ESRCH);
    param.sched_priority = 0;
    errno = 0;
    CHECK(sched_setparam(0, &param) == -1 && errno == EINVAL);
    param.sched_priority = sched_get_priority_max(SCHED_FIFO) + 1;
    errno = 0;
    CHECK(sched_setparam(0, &param) == -1 && errno == EINVAL);
    CHECK(sched_getparam(0, &param) == 0 && param.sched_priority == 12);
    end();

    begin("sched_setscheduler, sched_getscheduler [ESRCH] [EINVAL]: returns the policy of before");
    param.sched_priority = OWN_PRIORITY;
    CHECK(sched_setscheduler(0, SCHED_RR, &param) == SCHED_FIFO);
    CHECK(sched_getscheduler(0) == SCHED_RR);
    errno = 0;
    CHECK(sched_setscheduler(0, 9, &param) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(sched_setscheduler(4711, SCHED_RR, &param) == -1 && errno == ESRCH);
    errno = 0;
    CHECK(sched_getscheduler(4711) == -1 && errno == ESRCH);
    param.sched_priority = sched_get_priority_max(SCHED_RR) + 1;
    errno = 0;
    CHECK(sched_setscheduler(0, SCHED_FIFO, &param) == -1 && errno == EINVAL);
    CHECK(sched_getscheduler(0) == SCHED_RR && sched_getparam(0, &param) == 0 && param.sched_priority == OWN_PRIORITY);
    param.sched_priority = OWN_PRIORITY;
    CHECK(sched_setscheduler(0, SCHED_FIFO, &param) == SCHED_RR);
    end();
}

static unsigned order;

static void *notes(void *argument)
{
    order = order * 10 + (unsigned)(uintptr_t)argument;
    sched_yield();
    order = order * 10 + (unsigned)(uintptr_t)argument;
    return NULL;
}

static void yields(void)
{
    pthread_t one, other;
    begin("sched_yield: the next thread of the same priority runs");
    order = 0;
    one = start(LESS_URGENT, notes, (void *)1);
    other = start(LESS_URGENT, notes, (void *)2);
    /* Who waits for one of them makes that more urgent. */
    finish_later(one);
    finish(other);
    CHECK(order == 1212);
    end();
}

static void *steps_once(void *argument)
{
    (void)argument;
    steps++;
    return NULL;
}

/* A thread that is ready and as urgent as the caller will be. */
static pthread_t start_equal(void)
{
    steps = 0;
    return start(OWN_PRIORITY, steps_once, NULL);
}

static void places(void)
{
    const struct sched_param own = {OWN_PRIORITY};
    pthread_t thread;

    begin("pthread_setschedparam, sched_setparam, sched_setscheduler: the caller goes behind its equals");
    thread = start_equal();
    CHECK(steps == 0 && pthread_setschedparam(pthread_self(), SCHED_FIFO, &own) == 0 && steps == 1);
    finish(thread);
    CHECK(pthread_setschedprio(pthread_self(), MORE_URGENT) == 0);
    thread = start_equal();
    CHECK(steps == 0 && pthread_setschedparam(pthread_self(), SCHED_FIFO, &own) == 0 && steps == 1);
    finish(thread);
    thread = start_equal();
    CHECK(steps == 0 && sched_setparam(0, &own) == 0 && steps == 1);
    finish(thread);
    thread = start_equal();
    CHECK(steps == 0 && sched_setscheduler(0, SCHED_FIFO, &own) == SCHED_FIFO && steps == 1);
    finish(thread);
    end();

    begin("pthread_setschedprio: the caller stays in front of its equals, whether it is as urgent as before or less");
    thread = start_equal();
    CHECK(pthread_setschedprio(pthread_self(), OWN_PRIORITY) == 0 && steps == 0);
    finish(thread);
    CHECK(pthread_setschedprio(pthread_self(), MORE_URGENT) == 0);
    thread = start_equal();
    CHECK(pthread_setschedprio(pthread_self(), OWN_PRIORITY) == 0 && steps == 0);
    finish(thread);
    end();
}

static pthread_key_t key, other_key;
static unsigned destroyed, rounds;

static void destroy(void *value)
{
    destroyed += (unsigned)(uintptr_t)value;
    /* Its value is nothing by now, and one that is set again is destroyed again. */
    if (pthread_getspecific(key) == NULL && ++rounds < 9 && value == (void *)7)
        pthread_setspecific(key, value);
}

static void *sets(void *argument)
{
    const bool is_fresh = pthread_getspecific(key) == NULL;
    const int error = pthread_setspecific(key, argument);
    return (void *)(uintptr_t)(!is_fresh || error || pthread_getspecific(key) != argument);
}

static void *sets_and_exits(void *argument)
{
    pthread_setspecific(key, argument);
    pthread_exit(NULL);
}

static pthread_key_t all[PTHREAD_KEYS_MAX];
static int all_made, strangers;
static volatile bool has_set;
static volatile int made_anew;

static void own_destructor(void *value)
{
    (void)value;
}

static void strange_destructor(void *value)
{
    (void)value;
    strangers++;
}

static void make_all(void (*destructor)(void *))
{
    all_made = 0;
    while (all_made < PTHREAD_KEYS_MAX && pthread_key_create(&all[all_made], destructor) == 0)
        all_made++;
}

static void delete_all(void)
{
    while (all_made > 0)
        CHECK(pthread_key_delete(all[--all_made]) == 0);
}

/* A handler that finds a value of an earlier life of a key. */
static void *volatile newest;
static volatile bool is_over;
static volatile int stale, looks;
static pthread_t looked_at;

static void look(int number)
{
    (void)number;
    for (int each = 0; each < PTHREAD_KEYS_MAX; each++) {
        void *const value = pthread_getspecific(all[each]);
        stale += value != NULL && value != newest;
    }
    looks++;
}

static void wait_for(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

/* Where there are no atomic instructions, the board is simulated. */
#if defined(__riscv) && !defined(__riscv_atomic)
#define STRIKES 20
#else
#define STRIKES 1000
#endif

static void *strikes(void *unused)
{
    (void)unused;
    for (long each = 0; each < STRIKES; each++) {
        wait_for(200000 + each * 1037 % 99733);
        pthread_kill(looked_at, SIGUSR1);
    }
    is_over = true;
    return NULL;
}

static void sets_under_signals(void)
{
    uintptr_t each = 0;
    struct sigaction before;
    const struct sigaction handler = {.sa_handler = look};
    begin("pthread_setspecific: a handler finds no value of a key that was deleted, whenever it comes");
    looked_at = pthread_self();
    CHECK(sigaction(SIGUSR1, &handler, &before) == 0);
    const pthread_t striker = start(MORE_URGENT, strikes, NULL);
    while (!is_over) {
        newest = (void *)++each;
        make_all(NULL);
        for (int one = 0; one < all_made; one++)
            CHECK(pthread_setspecific(all[one], newest) == 0);
        delete_all();
    }
    finish(striker);
    CHECK(stale == 0 && each > 1 && looks > 1);
    CHECK(sigaction(SIGUSR1, &before, NULL) == 0);
    end();
}

static void *sets_all(void *unused)
{
    (void)unused;
    for (int each = 0; each < all_made; each++)
        pthread_setspecific(all[each], &strangers);
    has_set = true;
    return NULL;
}

static void *makes_anew(void *later)
{
    wait_for((long)(intptr_t)later);
    if (has_set) {
        made_anew++;
        delete_all();
        make_all(strange_destructor);
    }
    return NULL;
}

static void ends_under_deletes(void)
{
    begin("pthread_key_delete: no value is given to the destructor of a key that was made since, whenever that was");
    for (long each = 0; each < STRIKES; each++) {
        has_set = false;
        make_all(own_destructor);
        const pthread_t maker = start(MORE_URGENT, makes_anew, (void *)(intptr_t)(20000 + each * (480000 / STRIKES)));
        finish(start(OWN_PRIORITY, sets_all, NULL));
        finish(maker);
        delete_all();
    }
    CHECK(strangers == 0 && made_anew > 0);
    end();
}

static void keys(void)
{
    static pthread_key_t many[PTHREAD_KEYS_MAX + 1];
    int made = 0;

    begin("pthread_key_create, pthread_setspecific, pthread_getspecific: each thread has a value of its own");
    CHECK(pthread_key_create(&key, destroy) == 0 && pthread_key_create(&other_key, NULL) == 0);
    CHECK(pthread_getspecific(key) == NULL && pthread_getspecific(other_key) == NULL);
    CHECK(pthread_setspecific(key, &made) == 0 && pthread_setspecific(other_key, &key) == 0);
    CHECK(finish(start(MORE_URGENT, sets, (void *)3)) == NULL);
    CHECK(finish(start(MORE_URGENT, sets, (void *)4)) == NULL);
    CHECK(pthread_getspecific(key) == &made && pthread_getspecific(other_key) == &key);
    end();

    begin("pthread_key_create, pthread_exit: at a thread's end the destructors are called with its values");
    CHECK(destroyed == 7);
    finish(start(MORE_URGENT, sets_and_exits, (void *)5));
    CHECK(destroyed == 12);
    finish(start(MORE_URGENT, sets, NULL));
    CHECK(destroyed == 12);
    end();

    begin("pthread_exit: a destructor that sets a value again is called PTHREAD_DESTRUCTOR_ITERATIONS times");
    destroyed = rounds = 0;
    finish(start(MORE_URGENT, sets, (void *)7));
    CHECK(rounds == PTHREAD_DESTRUCTOR_ITERATIONS && destroyed == 7 * PTHREAD_DESTRUCTOR_ITERATIONS);
    end();

    begin("pthread_key_delete [EINVAL]: a key that there is; its values are no other key's");
    CHECK(pthread_key_delete(key) == 0 && pthread_key_delete(key) == EINVAL);
    CHECK(pthread_key_delete(PTHREAD_KEYS_MAX) == EINVAL);
    const pthread_key_t before = key;
    CHECK(pthread_key_create(&key, NULL) == 0 && key == before && pthread_getspecific(key) == NULL);
    end();

    begin("pthread_setspecific [EINVAL]: no such key");
    CHECK(pthread_key_delete(key) == 0 && pthread_setspecific(key, &made) == EINVAL);
    CHECK(pthread_setspecific(PTHREAD_KEYS_MAX, &made) == EINVAL);
    CHECK(pthread_getspecific(key) == NULL && pthread_getspecific(PTHREAD_KEYS_MAX) == NULL);
    end();

    begin("pthread_key_create [EAGAIN]: PTHREAD_KEYS_MAX are all");
    while (made <= PTHREAD_KEYS_MAX && pthread_key_create(&many[made], NULL) == 0)
        made++;
    CHECK(made == PTHREAD_KEYS_MAX - 1 && pthread_key_create(&key, NULL) == EAGAIN);
    while (made > 0)
        CHECK(pthread_key_delete(many[--made]) == 0);
    CHECK(pthread_key_delete(other_key) == 0);
    end();
}

void threads(void)
{
    sem_init(&go, 0, 0);
    lives();
    limits();
    schedules();
    processes();
    keys();
    sets_under_signals();
    ends_under_deletes();
    yields();
    places();
}
