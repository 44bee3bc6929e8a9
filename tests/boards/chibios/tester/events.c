#include "check.h"

static event_source_t source;
static eventmask_t handled;

static void waits_for_all(void *argument)
{
    (void)argument;
    note(chEvtWaitAll(5) == 5 ? 'a' : 'x');
    note(chEvtWaitAny(ALL_EVENTS) == 2 ? 'b' : 'x');
}

static void listens(void *argument)
{
    event_listener_t listener;
    (void)argument;
    chEvtRegisterMaskWithFlags(&source, &listener, EVENT_MASK(3), 6);
    note(chEvtWaitOne(ALL_EVENTS) == EVENT_MASK(3) ? 'l' : 'x');
    note(chEvtGetAndClearFlags(&listener) == 4 ? 'f' : 'x');
    note(chEvtGetAndClearFlags(&listener) == 0 ? 'n' : 'x');
    chEvtUnregister(&source, &listener);
}

static void listens_and_notes(void *argument)
{
    event_listener_t listener;
    chEvtRegisterMask(&source, &listener, 1);
    chEvtWaitAny(1);
    note(*(const char *)argument);
    chEvtUnregister(&source, &listener);
}

static void notes(void *argument)
{
    note(*(const char *)argument);
}

static void handle(eventid_t event)
{
    handled |= EVENT_MASK(event);
}

void events(void)
{
    static const evhandler_t handlers[3] = {handle, handle, handle};
    thread_t *thread, *threads[4];

    begin("a thread waits for one event, any, or all, and takes what it waited for");
    CHECK(chEvtAddEvents(7) == 7);
    CHECK(chEvtWaitOne(6) == 2 && chEvtWaitAny(6) == 4 && chEvtGetAndClearEvents(ALL_EVENTS) == 1);
    CHECK(chEvtWaitAnyTimeout(1, TIME_IMMEDIATE) == 0 && chEvtWaitOneTimeout(1, TIME_MS2I(1)) == 0);
    chEvtAddEvents(1);
    CHECK(chEvtWaitAllTimeout(3, TIME_MS2I(1)) == 0 && chEvtGetAndClearEvents(1) == 1);
    /* All of none are set. */
    CHECK(chEvtWaitAllTimeout(0, TIME_MS2I(1)) == 0 && chEvtWaitAll(0) == 0);
    thread = start(0, NORMALPRIO + 1, waits_for_all, NULL);
    chEvtSignal(thread, 3);
    note('.');
    chEvtSignal(thread, 4);
    chThdWait(thread);
    CHECK(noted(".ab"));
    chEvtDispatch(handlers, 5);
    CHECK(handled == 5);
    end();

    begin("a source tells those who listen, of the flags that they want");
    chEvtObjectInit(&source);
    chEvtBroadcastFlags(&source, 1);
    thread = start(0, NORMALPRIO + 1, listens, NULL);
    CHECK(chEvtIsListeningI(&source));
    chEvtBroadcastFlags(&source, 1);
    note('.');
    chEvtBroadcastFlags(&source, 4);
    chThdWait(thread);
    CHECK(noted(".lfn") && !chEvtIsListeningI(&source));
    end();

    begin("of those who listen the most urgent one goes on first, whoever came last");
    threads[0] = start(0, NORMALPRIO + 2, listens_and_notes, "b");
    threads[1] = start(1, NORMALPRIO + 3, listens_and_notes, "a");
    threads[2] = start(2, NORMALPRIO + 1, listens_and_notes, "c");
    threads[3] = start(3, NORMALPRIO, notes, "d");
    chEvtBroadcast(&source);
    chEvtBroadcast(&source);
    CHECK(noted("abc") && chThdGetPriorityX() == NORMALPRIO);
    for (int which = 0; which < 4; which++)
        chThdWait(threads[which]);
    CHECK(noted("d"));
    end();
}
