/* What cmrx.h promises. Its own further thread is the other side. */

#include <extra/queue_server/queue.h>
#include <rexis.h>
#include <stdio.h>

#include "service.h"

static const char ping, pong, never;
static futex_t futex = FUTEX_STATIC_INIT;
static STATIC_QUEUE(words, 12);
static struct BasicQueue bytes;
static uint32_t heard;

static void verdict(const char *name, bool good)
{
    printf("%s %s\n", good ? "@pass" : "@fail", name);
}

/* More urgent than the main thread: runs whenever it can. */
RIPOSTE_THREAD(other)
{
    uint32_t word;
    for (;;) {
        wait_for_object(&ping, 0);
        futex_lock(&futex);
        heard++;
        futex_unlock(&futex);
        notify_object(&pong);
        queue_receive(&words.q, &word);
        heard += word;
    }
}

static bool notifications(void)
{
    uint64_t before;
    /* Counted, also while nobody waits. */
    notify_object(&never);
    notify_object(&never);
    if (wait_for_object(&never, 0) != E_OK || wait_for_object(&never, 1000) != E_OK)
        return false;
    before = riposte_clock();
    return wait_for_object(&never, 3000) == E_TIMEOUT && riposte_clock() - before >= UINT64_C(3000000)
        && notify_object(NULL) == E_INVALID;
}

static bool other_side(void)
{
    const uint32_t word = 41;
    futex_lock(&futex);
    notify_object(&ping);
    /* It waits for the futex. */
    if (heard != 0 || futex_trylock(&futex) != FUTEX_FAILURE || futex_lock(&futex) != FUTEX_FAILURE)
        return false;
    futex_unlock(&futex);
    if (heard != 1 || wait_for_object(&pong, 0) != E_OK || futex_unlock(&futex) != FUTEX_FAILURE)
        return false;
    return queue_send(&words.q, &word) && heard == 42;
}

static int answers(void *data)
{
    *(int *)data += get_tid() == 0 ? 1000 : 1;
    return 3;
}

static int exits(void *data)
{
    *(int *)data += 10;
    thread_exit(3);
}

/* Takes turns with the main thread, at its priority. */
static int takes_turns(void *data)
{
    int *const turns = data;
    for (int turn = 0; turn < 3; turn++) {
        *turns = *turns * 10 + 2;
        sched_yield();
    }
    return 0;
}

static mutex_t mutex;

static int locks(void *data)
{
    *(int *)data = mutex_trylock(&mutex) == FUTEX_FAILURE && mutex_lock(&mutex) == FUTEX_SUCCESS ? 7 : 8;
    return mutex_unlock(&mutex);
}

/* Of the main thread, which is at level 10. */
#define OWN_PRIORITY (CMRX_PRIORITY_0 - 10)

static bool threads(void)
{
    int sum = 0, turns = 0, thread, another, third;
    thread = thread_create(answers, &sum, OWN_PRIORITY - 1);
    /* More urgent: it has run. */
    if (thread < 0 || thread == get_tid() || sum != 1 || thread_join(thread) != E_OK)
        return false;
    if (thread_join(thread) != E_INVALID || thread_join(get_tid()) == E_OK || thread_join(-1) != E_INVALID)
        return false;
    thread = thread_create(exits, &sum, OWN_PRIORITY + 1);
    if (sum != 1 || thread_join(thread) != E_OK || sum != 11)
        return false;
    thread = thread_create(takes_turns, &turns, OWN_PRIORITY);
    for (int turn = 0; turn < 3; turn++) {
        turns = turns * 10 + 1;
        sched_yield();
    }
    if (turns != 121212 || thread_join(thread) != E_OK)
        return false;
    /* There are two spare threads. */
    thread = thread_create(exits, &sum, OWN_PRIORITY + 1);
    another = thread_create(exits, &sum, OWN_PRIORITY + 1);
    third = thread_create(exits, &sum, OWN_PRIORITY + 1);
    return third == -E_OUT_OF_STACKS && thread_join(thread) == E_OK && thread_join(another) == E_OK
        && thread_create(exits, &sum, 0) == -E_INVALID && thread_create(exits, &sum, 255) == -E_INVALID
        && thread_create(exits, &sum, CMRX_PRIORITY_0) == -E_INVALID
        && thread_create(NULL, &sum, OWN_PRIORITY) == -E_INVALID_ADDRESS && sum == 31;
}

/* Up and back. */
static int goes_up_and_back(void *data)
{
    int sum = 0, thread;
    bool good = setpriority(OWN_PRIORITY - 2) == E_OK;
    thread = thread_create(answers, &sum, OWN_PRIORITY - 1);
    good = good && sum == 0 && setpriority(0) == E_INVALID && setpriority(255) == E_INVALID && sum == 0;
    good = good && setpriority(OWN_PRIORITY) == E_OK && sum == 1;
    *(bool *)data = thread_join(thread) == E_OK && good;
    return 0;
}

static bool priorities(void)
{
    bool good = false;
    return thread_join(thread_create(goes_up_and_back, &good, OWN_PRIORITY - 1)) == E_OK && good;
}

static bool sleeps(void)
{
    const uint64_t before = riposte_clock();
    return usleep(2000) == E_OK && riposte_clock() - before >= UINT64_C(2000000) && usleep(0) == E_OK;
}

static bool tells_time(void)
{
    const uint32_t before = getmicrotime();
    const uint64_t clock = riposte_clock();
    uint32_t passed;
    usleep(2000);
    passed = getmicrotime() - before;
    return passed >= 2000 && passed <= (riposte_clock() - clock) / 1000 + 1000 && get_cpu_freq() == 0;
}

static int leaves_it_locked(void *unused)
{
    (void)unused;
    return mutex_lock(&mutex);
}

static bool mutexes(void)
{
    int result = 0, thread;
    if (mutex_init(&mutex) != FUTEX_SUCCESS || mutex_unlock(&mutex) != FUTEX_FAILURE
        || mutex_lock(&mutex) != FUTEX_SUCCESS || mutex_destroy(&mutex) != FUTEX_FAILURE
        || mutex_lock(&mutex) != FUTEX_FAILURE)
        return false;
    thread = thread_create(locks, &result, OWN_PRIORITY - 1);
    if (result != 0 || mutex_unlock(&mutex) != FUTEX_SUCCESS || result != 7 || thread_join(thread) != E_OK)
        return false;
    /* It is free again with the end of whoever held it. */
    thread = thread_create(leaves_it_locked, NULL, OWN_PRIORITY - 1);
    return thread_join(thread) == E_OK && mutex_destroy(&mutex) == FUTEX_SUCCESS && mutex_lock(&mutex) == FUTEX_SUCCESS
        && mutex_unlock(&mutex) == FUTEX_SUCCESS && mutex_destroy(&mutex) == FUTEX_SUCCESS;
}

static bool queues(void)
{
    static const char text[3] = "abc";
    char byte, out[3];
    unsigned turn;
    if (queue_init(&words.q, 4, 4) || queue_init(&bytes.q, 255, 2) || !queue_init(&bytes.q, 85, 3))
        return false;
    for (turn = 0; turn < 85; turn++)
        if (queue_full(&bytes.q) || !queue_send(&bytes.q, text))
            return false;
    if (!queue_full(&bytes.q) || queue_send(&bytes.q, text))
        return false;
    for (turn = 0; turn < 85; turn++)
        if (queue_empty(&bytes.q) || !queue_receive(&bytes.q, out) || memcmp(out, text, 3) != 0)
            return false;
    byte = 'x';
    return queue_empty(&bytes.q) && queue_init(&bytes.q, 1, 1) && queue_send(&bytes.q, &byte)
        && !queue_send(&bytes.q, &byte);
}

static bool calls(void)
{
    const struct Counter *const counter = rpc_service("counter");
    const struct Wider *const wider = rpc_service("counter");
    const struct Counter *const none = rpc_service("nobody");
    if (!counter || none || rpc_call(none, total) != E_NOTAVAIL)
        return false;
    return rpc_call(counter, add, 1, 2, 3, 4) == 1234 && rpc_call(counter, add, 0, 0, 0, 1) == 1235
        && rpc_call(counter, total) == 1235 && rpc_call(wider, missing) == E_INVALID
        && rpc_call(counter, total) == 1235;
}

static volatile int handled;

static void handle(uint32_t signal, uint32_t word)
{
    (void)signal;
    (void)word;
    handled++;
}

static bool interrupt(int thread)
{
    const int before = handled;
    return riposte_signal_send_thread((riposte_thread_t){(uint32_t)thread}, 1, 0) == RIPOSTE_OK && handled == before + 1;
}

static int waits(void *data)
{
    *(int *)data = wait_for_object(&never, 0) == E_OK;
    *(int *)data += wait_for_object(&never, 1000000) == E_OK;
    return 0;
}

/* An item, and whether there was one. */
static int receives(void *data)
{
    char item = 0;
    const bool is_there = queue_receive(&bytes.q, &item);
    *(int *)data = is_there ? item : -1;
    return 0;
}

static int joins(void *thread)
{
    *(int *)thread = thread_join(*(int *)thread);
    return 0;
}

static bool interrupted(void)
{
    const struct Counter *const counter = rpc_service("counter");
    riposte_signal_target_t server;
    int count = 0, thread, joined, joiner, received = 0;
    bool good = riposte_signal_handle(1, handle) == RIPOSTE_OK && queue_init(&bytes.q, 1, 1);
    thread = thread_create(receives, &received, OWN_PRIORITY - 1);
    good = good && interrupt(thread) && received == 0 && queue_send(&bytes.q, "i") && received == 'i';
    good = thread_join(thread) == E_OK && good;
    joined = thread = thread_create(waits, &count, OWN_PRIORITY - 1);
    joiner = thread_create(joins, &joined, OWN_PRIORITY - 1);
    good = good && interrupt(joiner) && joined == thread;
    good = good && interrupt(thread) && count == 0 && notify_object(&never) == E_OK;
    good = good && interrupt(thread) && count == 1 && notify_object(&never) == E_OK;
    return good && count == 2 && joined == E_OK && thread_join(joiner) == E_OK
        && riposte_signal_target("counter", &server) == RIPOSTE_OK && riposte_signal_send(server, 1, 0) == RIPOSTE_OK
        && rpc_call(counter, total) == 1235;
}

static REXIS_MAILBOX letters;

/* Fetches a letter, fetches one within a second, and posts two, of which the second has to wait. */
static int fetches_and_posts(void *steps)
{
    void *letter;
    *(int *)steps += REXIS_MailboxFetch(&letters, &letter, 0) == 0;
    *(int *)steps += REXIS_MailboxFetch(&letters, &letter, 1000) == 0;
    *(int *)steps += REXIS_MailboxPost(&letters, &letters) == 0 && REXIS_MailboxPost(&letters, &letters) == 0;
    return 0;
}

static bool interrupted_at_mailbox(void)
{
    int steps = 0;
    void *letter;
    const int thread = thread_create(fetches_and_posts, &steps, OWN_PRIORITY - 1);
    bool good = true;
    for (int step = 0; good && step < 3; step++)
        good = interrupt(thread) && steps == step
            && (step < 2 ? REXIS_MailboxTryPost(&letters, &letters) : REXIS_MailboxTryFetch(&letters, &letter)) == 0
            && steps == step + 1;
    return good && thread_join(thread) == E_OK;
}

/* Last: no object is ever given back. */
static bool too_many_objects(void)
{
    static const char objects[CMRX_OBJECTS];
    unsigned turn;
    for (turn = 0; turn < CMRX_OBJECTS; turn++)
        if (notify_object(&objects[turn]) != E_OK)
            break;
    return turn == CMRX_OBJECTS - 3 && notify_object(&objects[turn]) == E_OUT_OF_NOTIFICATIONS
        && wait_for_object(&objects[turn], 1) == E_OUT_OF_NOTIFICATIONS && notify_object(&never) == E_OK;
}

/* Called by the judge, and answers how many promises were broken. */
static int judge(INSTANCE(instance))
{
    (void)instance;
    verdict("notifications of CMRX are counted, and waits end after their microseconds", notifications());
    verdict("CMRX's futex and queue work between threads", other_side());
    verdict("a thread of CMRX runs at its priority, and is joined once", threads());
    verdict("a thread of CMRX changes its own priority, within what its process may have", priorities());
    verdict("a thread of CMRX sleeps for its microseconds", sleeps());
    verdict("the time of CMRX goes by microseconds, and how fast the processor is clocked is unknown", tells_time());
    verdict("a mutex of CMRX is one thread's at a time", mutexes());
    verdict("CMRX's queues hold what they are made for, in order", queues());
    verdict("a call of CMRX reaches the method with its numbers", calls());
    verdict("who waits or serves as CMRX does goes on when a signal was handled", interrupted());
    verdict("who waits at a mailbox of REXIS waits on when a signal was handled", interrupted_at_mailbox());
    verdict("too many objects are an error of CMRX's", too_many_objects());
    return 0;
}

static VTABLE struct JudgeInterface interface = {.judge = judge};

int main(void)
{
    static struct Judge own = {.vtable = &interface};
    if (!queue_init(&words.q, 3, 4))
        riposte_panic("12 bytes hold three words");
    return (int)rpc_serve("cmrx", &own);
}
