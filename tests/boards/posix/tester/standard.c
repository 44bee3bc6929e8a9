/* Standard C's threads. */

#include "check.h"

#include <signal.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t condition;
static int turn, called, destroyed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;

static int minus(void *argument)
{
    return -*(int *)argument;
}

static int leaves(void *argument)
{
    thrd_exit(*(int *)argument);
}

static struct timespec soon(void)
{
    return in(CLOCK_REALTIME, 5);
}

static int waits_for_its_turn(void *argument)
{
    int good = mtx_lock(&mutex) == thrd_success;
    (void)argument;
    while (good && turn == 0)
        good = cnd_wait(&condition, &mutex) == thrd_success;
    turn--;
    return good && mtx_unlock(&mutex) == thrd_success;
}

static int tries(void *argument)
{
    const struct timespec moment = soon();
    (void)argument;
    return mtx_trylock(&mutex) == thrd_busy && mtx_timedlock(&mutex, &moment) == thrd_timedout;
}

static int has_its_own(void *argument)
{
    return tss_get(key) == NULL && tss_set(key, argument) == thrd_success && tss_get(key) == argument;
}

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static void call(void)
{
    called++;
}

static void ignore(int number)
{
    (void)number;
}

static int interrupts(void *thread)
{
    return pthread_kill(*(thrd_t *)thread, SIGUSR1);
}

static void ends(void)
{
    thrd_t thread, others[8];
    int value = 7, result = 0, made;
    begin("thrd_create, thrd_join, thrd_exit, thrd_current, thrd_equal, thrd_detach, thrd_yield: a thread's result is a number");
    CHECK(thrd_create(&thread, minus, &value) == thrd_success && thrd_join(thread, &result) == thrd_success && result == -7);
    CHECK(thrd_create(&thread, leaves, &value) == thrd_success && !thrd_equal(thread, thrd_current()));
    CHECK(thrd_join(thread, &result) == thrd_success && result == 7 && thrd_equal(thrd_current(), pthread_self()));
    CHECK(thrd_join(thread, NULL) == thrd_error && thrd_detach(thread) == thrd_error);
    CHECK(thrd_create(&thread, minus, &value) == thrd_success && thrd_detach(thread) == thrd_success);
    thrd_yield();
    CHECK(thrd_join(thread, NULL) == thrd_error);
    end();
    begin("thrd_create: thrd_nomem where no thread is spare");
    for (made = 0; made < 8 && (result = thrd_create(&others[made], minus, &value)) == thrd_success; made++)
        continue;
    CHECK(made > 0 && made < 8 && result == thrd_nomem);
    while (made-- > 0)
        CHECK(thrd_join(others[made], &result) == thrd_success && result == -7);
    end();
}

static void locked(void)
{
    thrd_t threads[2];
    struct timespec moment;
    int result;
    begin("mtx_init, mtx_lock, mtx_trylock, mtx_timedlock, mtx_unlock, mtx_destroy: plain, or taken again by its owner");
    CHECK(mtx_init(&mutex, mtx_plain) == thrd_success && mtx_lock(&mutex) == thrd_success);
    CHECK(thrd_create(&threads[0], tries, NULL) == thrd_success && thrd_sleep(&(struct timespec){0, 9000000}, NULL) == 0);
    CHECK(thrd_join(threads[0], &result) == thrd_success && result == 1 && mtx_unlock(&mutex) == thrd_success);
    CHECK(mtx_trylock(&mutex) == thrd_success && mtx_unlock(&mutex) == thrd_success);
    mtx_destroy(&mutex);
    CHECK(mtx_init(&mutex, mtx_timed | mtx_recursive) == thrd_success && mtx_init(&mutex, 8) == thrd_error);
    moment = soon();
    CHECK(mtx_lock(&mutex) == thrd_success && mtx_timedlock(&mutex, &moment) == thrd_success);
    CHECK(mtx_unlock(&mutex) == thrd_success && mtx_unlock(&mutex) == thrd_success && mtx_unlock(&mutex) == thrd_error);
    mtx_destroy(&mutex);
    end();
    begin("cnd_init, cnd_wait, cnd_timedwait, cnd_signal, cnd_broadcast, cnd_destroy: with a mutex");
    CHECK(mtx_init(&mutex, mtx_plain) == thrd_success && cnd_init(&condition) == thrd_success);
    for (int n = 0; n < 2; n++)
        CHECK(thrd_create(&threads[n], waits_for_its_turn, NULL) == thrd_success);
    moment = soon();
    CHECK(mtx_lock(&mutex) == thrd_success && cnd_timedwait(&condition, &mutex, &moment) == thrd_timedout);
    turn = 2;
    CHECK(cnd_signal(&condition) == thrd_success && mtx_unlock(&mutex) == thrd_success);
    thrd_yield();
    CHECK(cnd_broadcast(&condition) == thrd_success);
    for (int n = 0; n < 2; n++)
        CHECK(thrd_join(threads[n], &result) == thrd_success && result == 1);
    CHECK(turn == 0);
    cnd_destroy(&condition);
    mtx_destroy(&mutex);
    end();
}

static void of_each(void)
{
    thrd_t thread;
    int value = 3, result = 0;
    begin("tss_create, tss_set, tss_get, tss_delete: each thread has its own, which is destroyed with it");
    CHECK(tss_create(&key, destroy) == thrd_success && tss_set(key, &result) == thrd_success);
    CHECK(thrd_create(&thread, has_its_own, &value) == thrd_success && thrd_join(thread, &result) == thrd_success);
    CHECK(result == 1 && destroyed == 3 && tss_get(key) == &result);
    tss_delete(key);
    end();
    begin("call_once: once");
    for (int n = 0; n < 3; n++)
        call_once(&once, call);
    CHECK(called == 1);
    end();
}

static void sleeps(void)
{
    struct sigaction action = {.sa_handler = ignore};
    struct timespec now, before, left = {0, 0};
    thrd_t thread, own = thrd_current();
    begin("timespec_get, thrd_sleep: the time of day; what is left where a handler has ended the sleep");
    CHECK(timespec_get(&before, TIME_UTC) == TIME_UTC && timespec_get(&now, TIME_UTC + 1) == 0);
    CHECK(thrd_sleep(&(struct timespec){0, 3000000}, NULL) == 0 && timespec_get(&now, TIME_UTC) == TIME_UTC);
    CHECK((now.tv_sec - before.tv_sec) * 1000000000LL + now.tv_nsec - before.tv_nsec >= 3000000);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && thrd_create(&thread, interrupts, &own) == thrd_success);
    CHECK(thrd_sleep(&(struct timespec){3, 0}, &left) == -1 && left.tv_sec == 2 && left.tv_nsec > 0);
    CHECK(thrd_join(thread, NULL) == thrd_success && thrd_sleep(&(struct timespec){0, -1}, NULL) < -1);
    CHECK(signal(SIGUSR1, SIG_DFL) == ignore);
    end();
}

void standard(void)
{
    ends();
    locked();
    of_each();
    sleeps();
}
