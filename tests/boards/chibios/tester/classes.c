#include "check.h"

static semaphore_t semaphore;
static binary_semaphore_t binary;
static mutex_t mutex;
static condition_variable_t condition;
static mailbox_t mailbox;
static msg_t letters[2];
static thread_t *receiver;

/* Whether the calling thread is out of chSysLock, and nobody else is in it. */
static bool is_unlocked(void)
{
    const bool is = chSysGetStatusAndLockX() == 0;
    chSysUnlock();
    return is;
}

/* What a thread does within chSysLock, and what that returns. */
#define WITHIN(call) (chSysLock(), result = (call), chSysUnlock(), result)

static void waits(void *argument)
{
    msg_t result;
    (void)argument;
    note(WITHIN(chSemWaitS(&semaphore)) == MSG_OK ? 's' : 'r');
}

static void waits_for_the_binary(void *argument)
{
    msg_t result;
    (void)argument;
    note(WITHIN(chBSemWaitS(&binary)) == MSG_OK ? 'b' : 'r');
}

static void locks(void *argument)
{
    (void)argument;
    chSysLock();
    chMtxLockS(&mutex);
    note('l');
    chMtxUnlockS(&mutex);
    chSysUnlock();
}

static void waits_for_the_condition(void *argument)
{
    msg_t message;
    (void)argument;
    chSysLock();
    chMtxLockS(&mutex);
    message = chCondWaitS(&condition);
    note(message == MSG_OK ? 'o' : message == MSG_RESET ? 'r' : 'x');
    CHECK(chMtxGetNextMutexX() == &mutex);
    chMtxUnlockAllS();
    chSysUnlock();
}

static void fetches(void *argument)
{
    msg_t result, message = 0;
    (void)argument;
    note(WITHIN(chMBFetchTimeoutS(&mailbox, &message, TIME_INFINITE)) == MSG_OK ? (char)message : 'r');
}

static void posts(void *argument)
{
    msg_t result;
    note(WITHIN(chMBPostTimeoutS(&mailbox, *(const char *)argument, TIME_INFINITE)) == MSG_OK ? 'p' : 'r');
}

static void receives(void *argument)
{
    thread_t *sender;
    (void)argument;
    for (int turn = 0; turn < 2; turn++) {
        chSysLock();
        sender = chMsgWaitS();
        note((char)chMsgGet(sender));
        chMsgReleaseS(sender, 9);
        chSysUnlock();
    }
}

/* They wait for the lock that the main thread gives up as it begins to wait. */
static void resets_within_the_lock(void *argument)
{
    (void)argument;
    chSysLock();
    chSemResetI(&semaphore, 0);
    chSysUnlock();
}

static void broadcasts_within_the_lock(void *argument)
{
    (void)argument;
    chSysLock();
    chCondBroadcastI(&condition);
    chSysUnlock();
}

static void resets_the_mailbox(void *argument)
{
    (void)argument;
    chSysLock();
    chMBResetI(&mailbox);
    chSysUnlock();
}

static void between_unlock_and_sleep(void)
{
    thread_t *thread;
    systime_t before;
    msg_t message;

    begin("who begins to wait within the system's lock misses nothing that the next in it does");
    chSemObjectInit(&semaphore, 0);
    chSysLock();
    thread = start(0, NORMALPRIO + 1, resets_within_the_lock, NULL);
    before = chVTGetSystemTimeX();
    CHECK(chSemWaitTimeoutS(&semaphore, TIME_MS2I(20)) == MSG_RESET && chSemGetCounterI(&semaphore) == 0);
    chSysUnlock();
    chThdWait(thread);
    chSysLock();
    thread = start(0, NORMALPRIO + 1, broadcasts_within_the_lock, NULL);
    chMtxLockS(&mutex);
    CHECK(chCondWaitTimeoutS(&condition, TIME_MS2I(20)) == MSG_RESET);
    chMtxUnlockS(&mutex);
    chSysUnlock();
    chThdWait(thread);
    chMBObjectInit(&mailbox, letters, 2);
    chSysLock();
    thread = start(0, NORMALPRIO + 1, resets_the_mailbox, NULL);
    CHECK(chMBFetchTimeoutS(&mailbox, &message, TIME_MS2I(20)) == MSG_RESET);
    /* And it is told at once. */
    CHECK(chVTTimeElapsedSinceX(before) < TIME_MS2I(20));
    chSysUnlock();
    chThdWait(thread);
    end();
}

static void semaphores_of_class_s(void)
{
    thread_t *threads[2];
    systime_t before;
    msg_t result;

    begin("who waits at a semaphore within the system's lock is out of it meanwhile, and in it afterwards");
    chSemObjectInit(&semaphore, 0);
    threads[0] = start(0, NORMALPRIO + 1, waits, NULL);
    threads[1] = start(1, NORMALPRIO + 2, waits, NULL);
    CHECK(is_unlocked() && chSemGetCounterI(&semaphore) == -2);
    chSysLock();
    chSemSignalI(&semaphore);
    CHECK(noted(""));
    chSysUnlock();
    CHECK(noted("s"));
    chSysLock();
    chSemResetI(&semaphore, 1);
    chSysUnlock();
    CHECK(noted("r") && WITHIN(chSemWaitTimeoutS(&semaphore, TIME_IMMEDIATE)) == MSG_OK);
    before = chVTGetSystemTimeX();
    CHECK(WITHIN(chSemWaitTimeoutS(&semaphore, TIME_IMMEDIATE)) == MSG_TIMEOUT);
    CHECK(WITHIN(chSemWaitTimeoutS(&semaphore, TIME_MS2I(1))) == MSG_TIMEOUT);
    CHECK(chVTTimeElapsedSinceX(before) >= 10 && chSemGetCounterI(&semaphore) == 0);
    chThdWait(threads[0]);
    chThdWait(threads[1]);
    chSysLock();
    chSemAddCounterI(&semaphore, 2);
    chSemFastSignalI(&semaphore);
    chSemFastWaitI(&semaphore);
    chSysUnlock();
    CHECK(chSemGetCounterI(&semaphore) == 2 && chSemWait(&semaphore) == MSG_OK);
    chBSemObjectInit(&binary, true);
    threads[0] = start(0, NORMALPRIO + 1, waits_for_the_binary, NULL);
    chSysLock();
    chBSemSignalI(&binary);
    chSysUnlock();
    CHECK(noted("b") && WITHIN(chBSemWaitTimeoutS(&binary, TIME_MS2I(1))) == MSG_TIMEOUT);
    chThdWait(threads[0]);
    end();
}

static void mutexes_of_class_s(void)
{
    thread_t *threads[2];

    begin("who waits for a mutex or a condition within the system's lock is out of it meanwhile");
    chMtxObjectInit(&mutex);
    chCondObjectInit(&condition);
    chMtxLock(&mutex);
    CHECK(!chMtxQueueNotEmptyS(&mutex));
    threads[0] = start(0, NORMALPRIO + 1, locks, NULL);
    CHECK(is_unlocked() && noted("") && chMtxQueueNotEmptyS(&mutex) && chThdGetPriorityX() == NORMALPRIO + 1);
    chSysLock();
    CHECK(!chMtxTryLockS(&mutex));
    chMtxUnlockS(&mutex);
    chSysUnlock();
    CHECK(noted("l"));
    chThdWait(threads[0]);
    CHECK(chMtxTryLock(&mutex));
    chMtxUnlock(&mutex);
    threads[0] = start(0, NORMALPRIO + 1, waits_for_the_condition, NULL);
    threads[1] = start(1, NORMALPRIO + 2, waits_for_the_condition, NULL);
    CHECK(is_unlocked() && noted("") && chMtxTryLock(&mutex));
    chMtxUnlock(&mutex);
    chSysLock();
    chCondSignalI(&condition);
    CHECK(noted(""));
    chSysUnlock();
    CHECK(noted("o"));
    chSysLock();
    chCondBroadcastI(&condition);
    chSysUnlock();
    CHECK(noted("r"));
    chThdWait(threads[0]);
    chThdWait(threads[1]);
    chSysLock();
    chMtxLockS(&mutex);
    CHECK(chCondWaitTimeoutS(&condition, TIME_MS2I(1)) == MSG_TIMEOUT && chMtxGetNextMutexX() == NULL);
    CHECK(chMtxTryLockS(&mutex));
    chMtxUnlockAllS();
    chSysUnlock();
    end();
}

static void mailboxes_of_class_s(void)
{
    thread_t *threads[2];
    msg_t result, message = 0;

    begin("who waits at a mailbox within the system's lock is out of it meanwhile, and only then");
    chMBObjectInit(&mailbox, letters, 2);
    threads[0] = start(0, NORMALPRIO + 1, fetches, NULL);
    CHECK(is_unlocked());
    chSysLock();
    CHECK(chMBPostI(&mailbox, 'a') == MSG_OK);
    chSysUnlock();
    CHECK(noted("a"));
    chThdWait(threads[0]);
    chSysLock();
    /* Nobody else is in the lock, who does not have to wait does not leave it: a more urgent thread waits. */
    threads[0] = start(0, NORMALPRIO + 1, locks, NULL);
    CHECK(chMBPostTimeoutS(&mailbox, 'b', TIME_INFINITE) == MSG_OK);
    CHECK(chMBPostAheadTimeoutS(&mailbox, 'c', TIME_INFINITE) == MSG_OK);
    CHECK(chMBPostTimeoutS(&mailbox, 'd', TIME_IMMEDIATE) == MSG_TIMEOUT);
    CHECK(chMBFetchTimeoutS(&mailbox, &message, TIME_INFINITE) == MSG_OK && message == 'c' && noted(""));
    chSysUnlock();
    CHECK(noted("l"));
    chThdWait(threads[0]);
    CHECK(chMBPostTimeout(&mailbox, 'e', TIME_IMMEDIATE) == MSG_OK);
    CHECK(WITHIN(chMBPostTimeoutS(&mailbox, 'd', TIME_MS2I(1))) == MSG_TIMEOUT);
    CHECK(WITHIN(chMBPostAheadTimeoutS(&mailbox, 'd', TIME_MS2I(1))) == MSG_TIMEOUT);
    threads[0] = start(0, NORMALPRIO + 1, posts, "f");
    CHECK(WITHIN(chMBFetchI(&mailbox, &message)) == MSG_OK && message == 'b' && noted("p"));
    chThdWait(threads[0]);
    threads[0] = start(0, NORMALPRIO + 1, posts, "g");
    chMBReset(&mailbox);
    CHECK(noted("r") && WITHIN(chMBFetchTimeoutS(&mailbox, &message, TIME_INFINITE)) == MSG_RESET);
    chThdWait(threads[0]);
    end();
}

static void messages_of_class_s(void)
{
    begin("who waits for a message within the system's lock is out of it meanwhile");
    receiver = start(0, NORMALPRIO + 1, receives, NULL);
    CHECK(is_unlocked() && chMsgSend(receiver, 'm') == 9 && noted("m"));
    CHECK(chMsgSend(receiver, 'n') == 9 && noted("n"));
    chThdWait(receiver);
    chSysLock();
    CHECK(chMsgPollS() == NULL && chMsgWaitTimeoutS(TIME_MS2I(1)) == NULL);
    chSysUnlock();
    end();
}

static void leaves(void *argument)
{
    (void)argument;
    chSysLock();
    note('a');
    chSchDoYieldS();
    note('c');
    chThdSleepS(TIME_MS2I(1));
    note('d');
    chThdExitS(4);
}

static void stands_in(void *argument)
{
    (void)argument;
    chSysLock();
    note('b');
    chSysUnlock();
}

void classes(void)
{
    thread_t *threads[2];

    semaphores_of_class_s();
    mutexes_of_class_s();
    mailboxes_of_class_s();
    messages_of_class_s();
    between_unlock_and_sleep();

    begin("a thread that sleeps, yields or ends within the system's lock leaves it");
    threads[0] = start(0, NORMALPRIO - 1, leaves, NULL);
    threads[1] = start(1, NORMALPRIO - 1, stands_in, NULL);
    chThdSleepMilliseconds(5);
    CHECK(chThdWait(threads[0]) == 4 && chThdWait(threads[1]) == MSG_OK);
    CHECK(noted("abcd") && is_unlocked());
    end();

    begin("events of class I are those of the calling thread");
    chSysLock();
    CHECK(chEvtAddEventsI(5) == 5 && chEvtGetEventsX() == 5 && chEvtGetAndClearEventsI(4) == 4);
    chSysUnlock();
    CHECK(chEvtGetAndClearEvents(ALL_EVENTS) == 1 && chEvtGetEventsX() == 0);
    end();
}
