/* Objects whose life ends with a wait at them, as of one on the waiting thread's stack: who was woken uses the memory
 * for something else at once. */

#include "check.h"

#define WORDS 64
/* What the memory holds next: of a binary semaphore it would be a unit too many. */
#define NEXT 2
#define SIZE 4

struct post {
    mailbox_t mailbox;
    msg_t letters[1];
};

struct broadcast {
    event_source_t source;
    event_listener_t listener;
};

static union {
    semaphore_t semaphore;
    binary_semaphore_t binary;
    struct post post;
    guarded_memory_pool_t pool;
    pipe_t pipe;
    struct broadcast broadcast;
    threads_queue_t queue;
    thread_reference_t reference;
    uint32_t words[WORDS];
} place;

static void *object[SIZE];
static uint8_t stream[SIZE];

static void use_again(bool is_over)
{
    for (unsigned word = 0; word < WORDS; word++)
        ((volatile uint32_t *)place.words)[word] = NEXT;
    note(is_over ? 'w' : '-');
}

static bool is_untouched(void)
{
    for (unsigned word = 0; word < WORDS; word++)
        if (((volatile uint32_t *)place.words)[word] != NEXT)
            return false;
    return noted("w");
}

static void waits(void *argument)
{
    (void)argument;
    use_again(chSemWait(&place.semaphore) == MSG_OK);
}

static void waits_for_a_time(void *argument)
{
    (void)argument;
    use_again(chSemWaitTimeout(&place.semaphore, TIME_MS2I(1000)) == MSG_OK);
}

static void waits_within_lock(void *argument)
{
    (void)argument;
    chSysLock();
    const msg_t message = chSemWaitS(&place.semaphore);
    chSysUnlock();
    use_again(message == MSG_OK);
}

static void is_let_go(void *argument)
{
    (void)argument;
    use_again(chSemWait(&place.semaphore) == MSG_RESET);
}

static void binary_waits(void *argument)
{
    (void)argument;
    use_again(chBSemWait(&place.binary) == MSG_OK);
}

static void fetches(void *argument)
{
    msg_t message = 0;
    (void)argument;
    use_again(chMBFetchTimeout(&place.post.mailbox, &message, TIME_INFINITE) == MSG_OK && message == 7);
}

static void posts(void *argument)
{
    (void)argument;
    use_again(chMBPostTimeout(&place.post.mailbox, 8, TIME_INFINITE) == MSG_OK);
}

static void post_is_reset(void *argument)
{
    msg_t message = 0;
    (void)argument;
    use_again(chMBFetchTimeout(&place.post.mailbox, &message, TIME_INFINITE) == MSG_RESET);
}

static void allocates(void *argument)
{
    (void)argument;
    use_again(chGuardedPoolAllocTimeout(&place.pool, TIME_INFINITE) == object);
}

static void reads(void *argument)
{
    uint8_t bytes[SIZE];
    (void)argument;
    use_again(chPipeReadTimeout(&place.pipe, bytes, SIZE, TIME_INFINITE) == SIZE);
}

static void writes(void *argument)
{
    uint8_t byte = 1;
    (void)argument;
    use_again(chPipeWriteTimeout(&place.pipe, &byte, 1, TIME_INFINITE) == 1);
}

static void listens(void *argument)
{
    (void)argument;
    chEvtRegisterMask(&place.broadcast.source, &place.broadcast.listener, 1);
    use_again(chEvtWaitAny(1) == 1);
}

/* Starts a thread that waits at once, since it is more urgent. */
static thread_t *begins(tfunc_t function)
{
    return start(0, NORMALPRIO + 1, function, NULL);
}

static void of_semaphores(void)
{
    static const tfunc_t functions[] = {waits, waits_for_a_time, waits_within_lock};

    begin("who gets a unit may end its semaphore: who signals it touches it no more");
    for (unsigned function = 0; function < sizeof functions / sizeof functions[0]; function++) {
        thread_t *thread;
        chSemObjectInit(&place.semaphore, 0);
        thread = begins(functions[function]);
        chSemSignal(&place.semaphore);
        CHECK(is_untouched());
        chThdWait(thread);
    }
    chBSemObjectInit(&place.binary, true);
    thread_t *thread = begins(binary_waits);
    chBSemSignal(&place.binary);
    CHECK(is_untouched());
    chThdWait(thread);
    chSemObjectInit(&place.semaphore, 0);
    thread = begins(is_let_go);
    chSemReset(&place.semaphore, 1);
    CHECK(is_untouched());
    chThdWait(thread);
    end();
}

static void of_others(void)
{
    thread_t *thread;
    msg_t message = 0;
    uint8_t bytes[SIZE];

    begin("who gets what it waits for may end a mailbox, a guarded pool or a pipe: who gave it touches that no more");
    chMBObjectInit(&place.post.mailbox, place.post.letters, 1);
    thread = begins(fetches);
    CHECK(chMBPostTimeout(&place.post.mailbox, 7, TIME_INFINITE) == MSG_OK && is_untouched());
    chThdWait(thread);
    chMBObjectInit(&place.post.mailbox, place.post.letters, 1);
    CHECK(chMBPostTimeout(&place.post.mailbox, 7, TIME_INFINITE) == MSG_OK);
    thread = begins(posts);
    CHECK(chMBFetchTimeout(&place.post.mailbox, &message, TIME_INFINITE) == MSG_OK && message == 7 && is_untouched());
    chThdWait(thread);
    chMBObjectInit(&place.post.mailbox, place.post.letters, 1);
    thread = begins(post_is_reset);
    chMBReset(&place.post.mailbox);
    CHECK(is_untouched());
    chThdWait(thread);
    chGuardedPoolObjectInit(&place.pool, sizeof object);
    thread = begins(allocates);
    chGuardedPoolFree(&place.pool, object);
    CHECK(is_untouched());
    chThdWait(thread);
    chPipeObjectInit(&place.pipe, stream, SIZE);
    thread = begins(reads);
    CHECK(chPipeWriteTimeout(&place.pipe, (const uint8_t *)"abcd", SIZE, TIME_INFINITE) == SIZE && is_untouched());
    chThdWait(thread);
    chPipeObjectInit(&place.pipe, stream, SIZE);
    CHECK(chPipeWriteTimeout(&place.pipe, (const uint8_t *)"abcd", SIZE, TIME_INFINITE) == SIZE);
    thread = begins(writes);
    CHECK(chPipeReadTimeout(&place.pipe, bytes, SIZE, TIME_INFINITE) == SIZE && is_untouched());
    chThdWait(thread);
    end();

    begin("who hears of an event may end its source: who broadcasts touches that no more");
    chEvtObjectInit(&place.broadcast.source);
    thread = begins(listens);
    chEvtBroadcast(&place.broadcast.source);
    CHECK(is_untouched());
    chThdWait(thread);
    end();
}

static semaphore_t semaphore;

static void takes(void *argument)
{
    (void)argument;
    note(chSemWait(&semaphore) == MSG_OK ? 'u' : 'r');
}

static void takes_in_time(void *argument)
{
    (void)argument;
    note(chSemWaitTimeout(&semaphore, TIME_MS2I(1)) == MSG_RESET ? 'r' : '-');
}

/* A reset as far as it has come when another thread goes on in the middle of it. */
static void begin_reset(cnt_t units)
{
    CHECK(riposte_mutex_lock(&semaphore.lock) == RIPOSTE_OK);
    semaphore.resets |= 1;
    semaphore.cnt = (uint32_t)units;
}

static void end_reset(void)
{
    semaphore.resets++;
    CHECK(riposte_mutex_unlock(&semaphore.lock) == RIPOSTE_OK);
}

static void of_resets(void)
{
    thread_t *thread;

    begin("who goes on by a reset, let go or with a unit, goes on when it is over");
    chSemObjectInit(&semaphore, 0);
    thread = begins(takes_in_time);
    begin_reset(0);
    chThdSleepMilliseconds(2);
    CHECK(noted(""));
    end_reset();
    CHECK(noted("r"));
    chThdWait(thread);
    chSemObjectInit(&semaphore, 0);
    begin_reset(1);
    thread = begins(takes);
    CHECK(noted(""));
    end_reset();
    CHECK(noted("u"));
    chThdWait(thread);
    end();
}

static void of_counts(void)
{
    binary_semaphore_t *const binary = (binary_semaphore_t *)&semaphore;
    thread_t *low, *high;

    begin("a semaphore tells who waits, also after a unit that nobody waited for");
    chSemObjectInit(&semaphore, 0);
    for (int turn = 0; turn < 3; turn++) {
        low = start(0, NORMALPRIO + 1, takes, NULL);
        CHECK(chSemGetCounterI(&semaphore) == -1 && queue_notempty(&semaphore.queue));
        high = start(1, NORMALPRIO + 2, takes, NULL);
        CHECK(chSemGetCounterI(&semaphore) == -2);
        chSemSignal(&semaphore);
        CHECK(chSemGetCounterI(&semaphore) == -1);
        chSemSignal(&semaphore);
        CHECK(chSemGetCounterI(&semaphore) == 0 && queue_isempty(&semaphore.queue) && noted("uu"));
        chThdWait(low);
        chThdWait(high);
        chSemSignal(&semaphore);
        CHECK(chSemGetCounterI(&semaphore) == 1 && queue_isempty(&semaphore.queue));
        CHECK(chSemWait(&semaphore) == MSG_OK && chSemGetCounterI(&semaphore) == 0);
    }
    end();

    begin("a binary semaphore that two threads have given a unit at once has one");
    chSemReset(&semaphore, 2);
    CHECK(!chBSemGetStateI(binary) && chBSemWait(binary) == MSG_OK && chBSemGetStateI(binary));
    chSemReset(&semaphore, 2);
    CHECK(chBSemWaitTimeout(binary, TIME_MS2I(1)) == MSG_OK && chBSemGetStateI(binary));
    chSemReset(&semaphore, 2);
    chSysLock();
    CHECK(chBSemWaitS(binary) == MSG_OK && chBSemGetStateI(binary));
    chSysUnlock();
    end();
}

static void enqueues(void *argument)
{
    (void)argument;
    chSysLock();
    note(chThdEnqueueTimeoutS(&place.queue, TIME_INFINITE) == 3 ? 'q' : '-');
    chSysUnlock();
}

static void suspends(void *argument)
{
    (void)argument;
    chSysLock();
    note(chThdSuspendS(&place.reference) == 4 ? 's' : '-');
    chSysUnlock();
}

/* Here who wakes uses the memory for something else, in which the thread stands by chance. */
static void of_threads(void)
{
    thread_t *thread;

    begin("who was let go of a queue or a reference looks at it no more");
    chThdQueueObjectInit(&place.queue);
    thread = start(0, NORMALPRIO - 1, enqueues, NULL);
    chThdSleepMilliseconds(1);
    chSysLock();
    chThdDequeueAllI(&place.queue, 3);
    place.queue.first = place.queue.last = thread;
    chSysUnlock();
    chThdWait(thread);
    CHECK(noted("q") && place.queue.first == thread && place.queue.last == thread);
    place.reference = NULL;
    thread = start(0, NORMALPRIO - 1, suspends, NULL);
    chThdSleepMilliseconds(1);
    chSysLock();
    chThdResumeI(&place.reference, 4);
    place.reference = thread;
    chSysUnlock();
    chThdWait(thread);
    CHECK(noted("s") && place.reference == thread);
    end();
}

void lifetimes(void)
{
    of_semaphores();
    of_resets();
    of_counts();
    of_others();
    of_threads();
}
