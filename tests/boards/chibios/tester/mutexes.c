#include "check.h"

static mutex_t mutex, other;
static condition_variable_t condition;

static void locks(void *argument)
{
    chMtxLock(&mutex);
    note(*(const char *)argument);
    chMtxUnlock(&mutex);
}

static void locks_the_other(void *argument)
{
    chMtxLock(&other);
    note(*(const char *)argument);
    chMtxUnlock(&other);
}

static void marks(void *argument)
{
    note(*(const char *)argument);
}

/* Less urgent than the two others: it holds the mutex while they come. */
static void holds(void *argument)
{
    thread_t **started = argument;
    chMtxLock(&mutex);
    started[0] = start(2, NORMALPRIO + 3, locks, "h");
    started[1] = start(3, NORMALPRIO + 2, marks, "m");
    note('l');
    chMtxUnlock(&mutex);
}

void mutexes(void)
{
    thread_t *thread, *started[2];

    begin("who owns a mutex is as urgent as who waits for it");
    chMtxObjectInit(&mutex);
    thread = start(0, NORMALPRIO + 1, holds, started);
    chThdWait(thread);
    chThdWait(started[0]);
    chThdWait(started[1]);
    CHECK(noted("lhm"));
    end();

    begin("a thread tells the priority that who waits for its mutexes lends it, until it unlocks them");
    chMtxObjectInit(&other);
    chMtxLock(&mutex);
    chMtxLock(&other);
    CHECK(chThdGetPriorityX() == NORMALPRIO);
    started[0] = start(0, NORMALPRIO + 1, locks, "a");
    CHECK(chThdGetPriorityX() == NORMALPRIO + 1);
    started[1] = start(1, NORMALPRIO + 3, locks_the_other, "b");
    CHECK(chThdGetPriorityX() == NORMALPRIO + 3);
    CHECK(chThdSetPriority(NORMALPRIO + 2) == NORMALPRIO && chThdGetPriorityX() == NORMALPRIO + 3);
    CHECK(chThdSetPriority(NORMALPRIO) == NORMALPRIO + 2);
    chMtxUnlock(&other);
    CHECK(noted("b") && chThdGetPriorityX() == NORMALPRIO + 1);
    chMtxUnlock(&mutex);
    CHECK(noted("a") && chThdGetPriorityX() == NORMALPRIO);
    chThdWait(started[0]);
    chThdWait(started[1]);
    end();

    begin("a mutex is one thread's, and is unlocked in reverse order");
    chMtxObjectInit(&other);
    CHECK(chMtxTryLock(&mutex) && chMtxTryLock(&other) && !chMtxTryLock(&mutex));
    CHECK(chMtxGetNextMutexX() == &other);
    chMtxUnlock(&other);
    CHECK(chMtxGetNextMutexX() == &mutex);
    chMtxLock(&other);
    thread = start(0, NORMALPRIO + 1, locks, "w");
    note('.');
    chMtxUnlockAll();
    chThdWait(thread);
    CHECK(chMtxGetNextMutexX() == NULL && noted(".w"));
    end();
}

static void waits(void *argument)
{
    msg_t result;
    chMtxLock(&mutex);
    result = chCondWait(&condition);
    note(result == MSG_OK ? *(const char *)argument : 'b');
    chMtxUnlock(&mutex);
}

/* Signals as soon as it has the mutex: as who had it is on the way to wait. */
static void signals_once(void *argument)
{
    chMtxLock(&mutex);
    note(*(const char *)argument);
    chCondSignal(&condition);
    chMtxUnlock(&mutex);
}

void condition_variables(void)
{
    thread_t *low, *high;
    msg_t result;

    begin("a signal wakes the most urgent thread, a broadcast all");
    chCondObjectInit(&condition);
    low = start(0, NORMALPRIO + 1, waits, "l");
    high = start(1, NORMALPRIO + 2, waits, "h");
    chCondSignal(&condition);
    CHECK(noted("h"));
    chThdWait(high);
    high = start(1, NORMALPRIO + 2, waits, "h");
    chMtxLock(&mutex);
    chCondBroadcast(&condition);
    CHECK(noted(""));
    chMtxUnlock(&mutex);
    CHECK(noted("bb"));
    chThdWait(low);
    chThdWait(high);
    end();

    begin("a signal lets one thread go on, and none that is on its way to wait beside one that waits");
    low = start(0, NORMALPRIO + 1, waits, "w");
    chMtxLock(&mutex);
    high = start(1, NORMALPRIO + 2, signals_once, "s");
    result = chCondWaitTimeout(&condition, TIME_MS2I(20));
    CHECK(result == MSG_TIMEOUT && chMtxGetNextMutexX() == NULL);
    CHECK(noted("sw"));
    chThdWait(low);
    chThdWait(high);
    end();

    begin("who is alone on its way to wait is let go");
    chMtxLock(&mutex);
    high = start(1, NORMALPRIO + 2, signals_once, "s");
    CHECK(chCondWaitTimeout(&condition, TIME_MS2I(20)) == MSG_OK && noted("s"));
    chMtxUnlock(&mutex);
    chThdWait(high);
    end();

    begin("after a time the mutex of a condition variable is not locked");
    chMtxLock(&mutex);
    CHECK(chCondWaitTimeout(&condition, TIME_MS2I(1)) == MSG_TIMEOUT);
    CHECK(chMtxGetNextMutexX() == NULL && chMtxTryLock(&mutex));
    chMtxUnlock(&mutex);
    end();
}
