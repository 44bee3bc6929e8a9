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

static void takes_turns(void *argument)
{
    for (int turn = 0; turn < 3; turn++) {
        chBSemWait(&binary);
        note(*(const char *)argument);
        chBSemSignal(&binary);
    }
}

static void waits_again(void *argument)
{
    waits(argument);
    waits(argument);
}

/* It resets while another thread waits again. */
static void resets(void *argument)
{
    (void)argument;
    chSemReset(&semaphore, 0);
    note('.');
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

    begin("a unit goes to who waits for it, and nobody who comes later takes it");
    chSemObjectInit(&semaphore, 0);
    low = start(0, NORMALPRIO - 1, waits, "l");
    chThdSleepMilliseconds(1);
    CHECK(chSemGetCounterI(&semaphore) == -1);
    chSemSignal(&semaphore);
    CHECK(chSemGetCounterI(&semaphore) == 0);
    CHECK(chSemWaitTimeout(&semaphore, TIME_IMMEDIATE) == MSG_TIMEOUT && noted(""));
    chThdWait(low);
    CHECK(noted("l"));
    chBSemObjectInit(&binary, true);
    low = start(0, NORMALPRIO, takes_turns, "a");
    high = start(1, NORMALPRIO, takes_turns, "b");
    chThdYield();
    chBSemSignal(&binary);
    chThdWait(low);
    chThdWait(high);
    CHECK(noted("ababab"));
    end();

    begin("a thread that a reset lets go on can wait again, for a unit that is signalled after it");
    chSemObjectInit(&semaphore, 0);
    low = start(0, NORMALPRIO + 1, waits, "l");
    high = start(1, NORMALPRIO + 2, resets, NULL);
    CHECK(noted(".r"));
    chThdWait(low);
    chThdWait(high);
    /* It waits again before the reset has returned. */
    low = start(0, NORMALPRIO + 1, waits_again, "l");
    chSemReset(&semaphore, 0);
    CHECK(noted("r") && chSemGetCounterI(&semaphore) == -1);
    chSemSignal(&semaphore);
    chThdWait(low);
    CHECK(noted("l") && chSemGetCounterI(&semaphore) == 0);
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
