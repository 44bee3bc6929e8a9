#include "check.h"

static thread_reference_t reference;
static threads_queue_t queue;

/* Waits at the reference, and notes why it goes on. */
static void suspends(void *argument)
{
    (void)argument;
    chSysLock();
    note(chThdSuspendS(&reference) == 7 ? 's' : 'x');
    chSysUnlock();
}

static void resumes(void *argument)
{
    (void)argument;
    note('r');
    chThdResume(&reference, 5);
    note('e');
}

static void waits_in_line(void *argument)
{
    msg_t message;
    chSysLock();
    message = chThdEnqueueTimeoutS(&queue, TIME_INFINITE);
    chSysUnlock();
    note(message == 3 ? *(const char *)argument : 'x');
}

static void waits_in_line_for_a_while(void *argument)
{
    msg_t message;
    chSysLock();
    message = chThdEnqueueTimeoutS(&queue, TIME_MS2I(1));
    chSysUnlock();
    note(message == MSG_TIMEOUT ? *(const char *)argument : 'x');
}

static msg_t suspended(sysinterval_t timeout)
{
    msg_t message;
    chSysLock();
    message = chThdSuspendTimeoutS(&reference, timeout);
    chSysUnlock();
    return message;
}

void references(void)
{
    thread_t *threads[4];
    systime_t before;

    begin("a thread that waits at a reference goes on with the message that it is resumed with");
    threads[0] = start(0, NORMALPRIO + 1, suspends, NULL);
    CHECK(reference == threads[0]);
    note('.');
    chThdResume(&reference, 7);
    CHECK(noted(".s") && reference == NULL);
    chThdWait(threads[0]);
    /* A more urgent one goes on once the lock is given up. */
    threads[0] = start(0, NORMALPRIO + 1, suspends, NULL);
    chSysLock();
    chThdResumeI(&reference, 7);
    chSchRescheduleS();
    CHECK(reference == NULL && noted(""));
    chSysUnlock();
    CHECK(noted("s"));
    chThdWait(threads[0]);
    /* And a less urgent one can resume who is more urgent. */
    threads[0] = start(0, NORMALPRIO - 1, resumes, NULL);
    CHECK(suspended(TIME_INFINITE) == 5 && noted("r"));
    chThdWait(threads[0]);
    CHECK(noted("e"));
    end();

    begin("to resume a reference at which nobody waits does nothing, and leaves nothing");
    chThdResume(&reference, 7);
    CHECK(reference == NULL && suspended(TIME_MS2I(1)) == MSG_TIMEOUT && reference == NULL);
    end();

    begin("who waits at a reference goes on when its time is over");
    before = chVTGetSystemTimeX();
    CHECK(suspended(TIME_IMMEDIATE) == MSG_TIMEOUT && reference == NULL);
    CHECK(suspended(TIME_MS2I(2)) == MSG_TIMEOUT && reference == NULL);
    CHECK(chVTTimeElapsedSinceX(before) >= 20);
    chThdResume(&reference, 7);
    CHECK(suspended(TIME_MS2I(1)) == MSG_TIMEOUT);
    end();

    begin("a queue of threads lets them go on in the order in which they came");
    chThdQueueObjectInit(&queue);
    CHECK(chThdQueueIsEmptyI(&queue));
    threads[0] = start(0, NORMALPRIO + 1, waits_in_line, "a");
    threads[1] = start(1, NORMALPRIO + 2, waits_in_line, "b");
    threads[2] = start(2, NORMALPRIO + 3, waits_in_line, "c");
    chSysLock();
    CHECK(!chThdQueueIsEmptyI(&queue));
    chThdDequeueNextI(&queue, 3);
    chSysUnlock();
    CHECK(noted("a"));
    chSysLock();
    chThdDequeueAllI(&queue, 3);
    chThdDequeueNextI(&queue, 3);
    CHECK(chThdQueueIsEmptyI(&queue));
    chSysUnlock();
    for (int place = 0; place < 3; place++)
        chThdWait(threads[place]);
    /* By then they waited for the lock. */
    CHECK(noted("cb"));
    end();

    begin("who waits in a queue of threads leaves it when its time is over, wherever it stands");
    threads[0] = start(0, NORMALPRIO + 1, waits_in_line_for_a_while, "a");
    threads[1] = start(1, NORMALPRIO + 1, waits_in_line, "b");
    threads[2] = start(2, NORMALPRIO + 1, waits_in_line_for_a_while, "c");
    threads[3] = start(3, NORMALPRIO + 1, waits_in_line_for_a_while, "d");
    chThdWait(threads[0]);
    chThdWait(threads[2]);
    chThdWait(threads[3]);
    CHECK(noted("acd"));
    threads[2] = start(2, NORMALPRIO + 1, waits_in_line, "e");
    chSysLock();
    chThdDequeueNextI(&queue, 3);
    chSysUnlock();
    CHECK(noted("b"));
    chSysLock();
    chThdDequeueNextI(&queue, 3);
    CHECK(chThdQueueIsEmptyI(&queue));
    chSysUnlock();
    CHECK(noted("e"));
    chThdWait(threads[1]);
    chThdWait(threads[2]);
    CHECK(chThdQueueIsEmptyI(&queue));
    end();

    begin("the system's lock can be taken whether it is held or not, and is left as it was");
    {
        const syssts_t outside = chSysGetStatusAndLockX();
        const syssts_t inside = chSysGetStatusAndLockX();
        chSysRestoreStatusX(inside);
        /* It would stop the process if it were not held. */
        chThdResumeI(&reference, 7);
        chSysRestoreStatusX(outside);
        chSysUnconditionalUnlock();
        chSysUnconditionalLock();
        chSysUnconditionalLock();
        chSysUnlock();
        chSysLock();
        chSysUnlock();
    }
    end();
}
