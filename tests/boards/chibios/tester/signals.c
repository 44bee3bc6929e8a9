/* Signals, of which ch.h knows nothing: whoever waits when one is handled waits on. */

#include "check.h"

static semaphore_t semaphore;
static mutex_t mutex;
static condition_variable_t condition;
static thread_reference_t reference;

static void handle(uint32_t signal, uint32_t word)
{
    (void)signal;
    (void)word;
    note('s');
}

static void takes(void *argument)
{
    (void)argument;
    note(chSemWait(&semaphore) == MSG_OK ? 'u' : '-');
    note(chSemWaitTimeout(&semaphore, TIME_MS2I(1000)) == MSG_OK ? 'u' : '-');
}

static void is_told(void *argument)
{
    (void)argument;
    note(chEvtWaitAny(1) == 1 ? 'e' : '-');
    note(chEvtWaitAnyTimeout(1, TIME_MS2I(1000)) == 1 ? 'e' : '-');
}

static void receives(void *argument)
{
    (void)argument;
    chMsgRelease(chMsgWait(), 7);
    note('m');
}

static void sends(void *argument)
{
    note(chMsgSend(argument, 1) == 7 ? 'a' : '-');
}

static void takes_its_turn(void *argument)
{
    (void)argument;
    chMtxLock(&mutex);
    note(chCondWait(&condition) == MSG_OK ? 'c' : '-');
    chMtxUnlock(&mutex);
}

static void suspends(void *argument)
{
    (void)argument;
    chSysLock();
    note(chThdSuspendS(&reference) == 5 ? 'r' : '-');
    chSysUnlock();
}

static void joins(void *argument)
{
    chThdWait(argument);
    note('j');
}

static void interrupt(thread_t *thread)
{
    const riposte_thread_t id = {thread->id};
    CHECK(riposte_signal_send_thread(id, 1, 0) == RIPOSTE_OK);
}

static void of_objects(void)
{
    thread_t *thread;

    begin("who waits for a unit or a turn waits on when a signal was handled");
    chSemObjectInit(&semaphore, 0);
    thread = start(0, NORMALPRIO + 1, takes, NULL);
    for (int wait = 0; wait < 2; wait++) {
        interrupt(thread);
        CHECK(noted("s") && chSemGetCounterI(&semaphore) == -1);
        chSemSignal(&semaphore);
        CHECK(noted("u"));
    }
    chThdWait(thread);
    chMtxObjectInit(&mutex);
    chCondObjectInit(&condition);
    thread = start(0, NORMALPRIO + 1, takes_its_turn, NULL);
    interrupt(thread);
    CHECK(noted("s"));
    chCondSignal(&condition);
    CHECK(noted("c"));
    chThdWait(thread);
    end();
}

static void of_threads(void)
{
    thread_t *thread, *other;

    begin("who waits for an event, a message or an answer waits on when a signal was handled");
    thread = start(0, NORMALPRIO + 1, is_told, NULL);
    for (int wait = 0; wait < 2; wait++) {
        interrupt(thread);
        CHECK(noted("s"));
        chEvtSignal(thread, 1);
        CHECK(noted("e"));
    }
    chThdWait(thread);
    thread = start(0, NORMALPRIO - 1, receives, NULL);
    other = start(1, NORMALPRIO + 1, sends, thread);
    interrupt(other);
    CHECK(noted("s"));
    chThdWait(thread);
    chThdWait(other);
    CHECK(noted("am") || noted("ma"));
    thread = start(0, NORMALPRIO + 1, receives, NULL);
    interrupt(thread);
    CHECK(noted("s") && chMsgSend(thread, 1) == 7 && noted("m"));
    chThdWait(thread);
    end();

    begin("who waits to be resumed, or for a thread's end, waits on when a signal was handled");
    thread = start(0, NORMALPRIO + 1, suspends, NULL);
    other = start(1, NORMALPRIO + 1, joins, thread);
    interrupt(thread);
    interrupt(other);
    CHECK(noted("ss"));
    chThdResume(&reference, 5);
    CHECK(noted("rj"));
    chThdWait(other);
    end();
}

void signals(void)
{
    CHECK(riposte_signal_handle(1, handle) == RIPOSTE_OK);
    of_objects();
    of_threads();
}
