#include "check.h"

static semaphore_t semaphore;
static binary_semaphore_t binary;

static void waits(void *argument)
{
    if (chSemWait(&semaphore) == MSG_OK)
        note(*(const char *)argument);
    else
        note('r');
}

static void binary_waits(void *argument)
{
    (void)argument;
    note(chBSemWait(&binary) == MSG_OK ? 'w' : 'r');
}

void semaphores(void)
{
    thread_t *low, *high;
    systime_t before;

    begin("a semaphore counts, and wakes the most urgent thread first");
    chSemObjectInit(&semaphore, 2);
    CHECK(chSemWait(&semaphore) == MSG_OK && chSemWaitTimeout(&semaphore, TIME_IMMEDIATE) == MSG_OK);
    CHECK(chSemWaitTimeout(&semaphore, TIME_IMMEDIATE) == MSG_TIMEOUT);
    low = start(0, NORMALPRIO + 1, waits, "l");
    high = start(1, NORMALPRIO + 2, waits, "h");
    CHECK(chSemGetCounterI(&semaphore) == -2);
    chSemSignal(&semaphore);
    note('.');
    chSemSignal(&semaphore);
    CHECK(noted("h.l") && chSemGetCounterI(&semaphore) == 0);
    chThdWait(low);
    chThdWait(high);
    chSemAddCounterI(&semaphore, 3);
    CHECK(chSemGetCounterI(&semaphore) == 3);
    end();

    begin("who waits at a semaphore goes on at its time, or when it is reset");
    chSemReset(&semaphore, 0);
    before = chVTGetSystemTimeX();
    CHECK(chSemWaitTimeout(&semaphore, TIME_MS2I(1)) == MSG_TIMEOUT);
    CHECK(chVTTimeElapsedSinceX(before) >= 10 && chSemGetCounterI(&semaphore) == 0);
    low = start(0, NORMALPRIO + 1, waits, "l");
    chSemReset(&semaphore, 1);
    chThdWait(low);
    CHECK(noted("r") && chSemGetCounterI(&semaphore) == 1);
    end();

    begin("a binary semaphore holds one unit at most");
    chBSemObjectInit(&binary, true);
    CHECK(chBSemGetStateI(&binary) && chBSemWaitTimeout(&binary, TIME_IMMEDIATE) == MSG_TIMEOUT);
    low = start(0, NORMALPRIO + 1, binary_waits, NULL);
    chBSemSignal(&binary);
    chThdWait(low);
    chBSemSignal(&binary);
    chBSemSignal(&binary);
    CHECK(chBSemWait(&binary) == MSG_OK && chBSemGetStateI(&binary));
    low = start(0, NORMALPRIO + 1, binary_waits, NULL);
    chBSemReset(&binary, false);
    chThdWait(low);
    CHECK(noted("wr") && !chBSemGetStateI(&binary));
    end();
}
