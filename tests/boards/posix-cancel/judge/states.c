/* Whether a thread can be cancelled, and how; and what becomes of it. */

#include "check.h"

#include <errno.h>
#include <semaphore.h>
#include <string.h>

static sem_t never;
static pthread_key_t key;
static volatile unsigned long turns;

static void destroy(void *letter)
{
    const int at = cleaned + destroyed;
    destroyed++;
    if (at < 8)
        order[at] = *(const char *)letter;
}

/* Two handlers, one inside of the other, and a third that is taken away. */
static void *nests(void *argument)
{
    (void)argument;
    CHECK(pthread_setspecific(key, "k") == 0);
    pthread_cleanup_push(clean, (void *)"a");
    pthread_cleanup_push(clean, (void *)"b");
    pthread_cleanup_push(clean, (void *)"c");
    pthread_cleanup_pop(0);
    sem_wait(&never);
    has_passed = true;
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *leaves(void *argument)
{
    (void)argument;
    CHECK(pthread_setspecific(key, "k") == 0);
    pthread_cleanup_push(clean, (void *)"a");
    pthread_cleanup_push(clean, (void *)"b");
    pthread_cleanup_pop(1);
    pthread_exit((void *)5);
    pthread_cleanup_pop(0);
    return NULL;
}

/* Is cancelled at no point, and says so; then is. */
static void *refuses(void *argument)
{
    int before = -1;
    (void)argument;
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) == 0 && before == PTHREAD_CANCEL_ENABLE);
    has_come = true;
    sem_wait(&never);
    pthread_testcancel();
    has_passed = true;
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before) == 0 && before == PTHREAD_CANCEL_DISABLE);
    /* It is deferred: to enable it is no cancellation point. */
    cleaned = 7;
    pthread_testcancel();
    return NULL;
}

static void *tests(void *argument)
{
    has_come = true;
    while (!has_passed) {
        turns++;
        pthread_testcancel();
    }
    return argument;
}

/* Computes, and comes to no cancellation point. */
static void *computes(void *argument)
{
    int before = -1;
    (void)argument;
    pthread_cleanup_push(clean, (void *)"a");
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before) == 0 && before == PTHREAD_CANCEL_DEFERRED);
    has_come = true;
    for (;;)
        turns++;
    pthread_cleanup_pop(0);
    return NULL;
}

/* Is asked while it is deferred, and comes to no cancellation point but to this. */
static void *changes(void *argument)
{
    (void)argument;
    has_come = true;
    while (!has_passed)
        turns++;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    cleaned = 7;
    return NULL;
}

static void *returns(void *argument)
{
    return argument;
}

static void *cancels_itself(void *argument)
{
    (void)argument;
    CHECK(pthread_cancel(pthread_self()) == 0);
    has_come = true;
    pthread_testcancel();
    has_passed = true;
    return NULL;
}

static void ends_in_handler(void *argument)
{
    (void)argument;
    /* It ends already: neither a second cancellation nor a cancellation point changes that. */
    CHECK(pthread_cancel(pthread_self()) == 0);
    pthread_testcancel();
    cleaned++;
}

static void *waits_in_handler(void *argument)
{
    (void)argument;
    pthread_cleanup_push(ends_in_handler, NULL);
    sem_wait(&never);
    pthread_cleanup_pop(0);
    return NULL;
}

/* Gives the others a while. */
static void pause_shortly(void)
{
    const struct timespec little = {0, 2000000};
    nanosleep(&little, NULL);
}

void states(void)
{
    pthread_t thread;
    unsigned long seen;
    int before;

    CHECK(sem_init(&never, 0, 0) == 0 && pthread_key_create(&key, destroy) == 0);
    begin("pthread_cancel, pthread_cleanup_push, pthread_cleanup_pop: handlers run, the last one first, then destructors");
    thread = start(MORE_URGENT, nests, NULL);
    CHECK(!cleaned && pthread_cancel(thread) == 0);
    CHECK(finish(thread) == PTHREAD_CANCELED);
    CHECK(!has_passed && cleaned == 2 && destroyed == 1 && !memcmp((const char *)order, "bak", 3));
    end();

    begin("pthread_exit: calls the handlers, then the destructors");
    thread = start(MORE_URGENT, leaves, NULL);
    CHECK(finish(thread) == (void *)5);
    CHECK(cleaned == 2 && destroyed == 1 && !memcmp((const char *)order, "bak", 3));
    end();

    begin("pthread_setcancelstate: who has disabled it is cancelled when it has enabled it, at the next point");
    thread = start(MORE_URGENT, refuses, NULL);
    CHECK(has_come && pthread_cancel(thread) == 0 && !has_passed);
    CHECK(pthread_cancel(thread) == 0 && !has_passed);
    CHECK(sem_post(&never) == 0 && has_passed && cleaned == 7);
    CHECK(finish(thread) == PTHREAD_CANCELED);
    CHECK(sem_trywait(&never) == -1);
    end();

    begin("pthread_testcancel: is a cancellation point, and nothing else");
    pthread_testcancel();
    thread = start(LESS_URGENT, tests, NULL);
    pause_shortly();
    seen = turns;
    CHECK(has_come && seen && pthread_cancel(thread) == 0);
    CHECK(finish(thread) == PTHREAD_CANCELED);
    thread = start(MORE_URGENT, cancels_itself, NULL);
    CHECK(finish(thread) == PTHREAD_CANCELED && has_come && !has_passed);
    end();

    begin("pthread_setcanceltype: asynchronously a thread is cancelled between any two instructions");
    for (int turn = 0; turn < 20; turn++) {
        thread = start(LESS_URGENT, computes, NULL);
        pause_shortly();
        CHECK(has_come && pthread_cancel(thread) == 0);
        CHECK(finish(thread) == PTHREAD_CANCELED && cleaned == 1);
    }
    thread = start(LESS_URGENT, changes, NULL);
    pause_shortly();
    CHECK(has_come && pthread_cancel(thread) == 0);
    pause_shortly();
    CHECK(pthread_kill(thread, 0) == 0);
    has_passed = true;
    CHECK(finish(thread) == PTHREAD_CANCELED && cleaned == 0);
    end();

    begin("pthread_cancel: a thread that ends is cancelled no more");
    thread = start(MORE_URGENT, waits_in_handler, NULL);
    CHECK(pthread_cancel(thread) == 0 && finish(thread) == PTHREAD_CANCELED && cleaned == 1);
    end();

    begin("pthread_cancel [ESRCH]: no such thread");
    thread = start(MORE_URGENT, returns, NULL);
    CHECK(pthread_cancel(thread) == ESRCH && finish(thread) == NULL && pthread_cancel(thread) == ESRCH);
    end();

    begin("pthread_setcancelstate, pthread_setcanceltype [EINVAL]: no such state or type");
    CHECK(pthread_setcancelstate(2, &before) == EINVAL && pthread_setcanceltype(-1, &before) == EINVAL);
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before) == 0 && before == PTHREAD_CANCEL_ENABLE);
    end();

    begin("sigaction, pthread_kill, sigprocmask: no program uses the signal that cancels");
    {
        sigset_t all, is;
        CHECK(FAILS(sigaction(16, NULL, NULL), EINVAL) && pthread_kill(pthread_self(), 16) == EINVAL);
        CHECK(FAILS(raise(16), EINVAL));
        sigfillset(&all);
        CHECK(sigprocmask(SIG_SETMASK, &all, NULL) == 0 && sigprocmask(SIG_BLOCK, NULL, &is) == 0);
        CHECK(!(is >> 16 & 1));
        sigemptyset(&all);
        CHECK(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
    }
    end();
}
