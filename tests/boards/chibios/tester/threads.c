#include "check.h"

static void mark(void *argument)
{
    note(*(const char *)argument);
}

static void exits(void *argument)
{
    (void)argument;
    chThdExit(42);
}

static void turns(void *argument)
{
    for (int turn = 0; turn < 3; turn++) {
        note(*(const char *)argument);
        chThdYield();
    }
}

static void until_asked(void *argument)
{
    (void)argument;
    while (!chThdShouldTerminateX())
        chThdSleepMilliseconds(1);
    note('t');
}

static void who(void *argument)
{
    *(thread_t **)argument = chThdGetSelfX();
}

void threads(void)
{
    thread_t *thread, *other, *self = NULL;
    systime_t before;
    uint64_t moment;

    begin("threads run in the order of their priorities, and end with a message");
    thread = start(0, NORMALPRIO + 1, mark, "a");
    note('b');
    CHECK(chThdTerminatedX(thread) && chThdWait(thread) == MSG_OK);
    thread = start(0, NORMALPRIO - 1, mark, "d");
    note('c');
    CHECK(!chThdTerminatedX(thread) && chThdWait(thread) == MSG_OK);
    CHECK(noted("abcd"));
    CHECK(chThdWait(start(0, NORMALPRIO + 1, exits, NULL)) == 42);
    CHECK(chThdWait(start(0, NORMALPRIO - 1, exits, NULL)) == 42);
    end();

    begin("who waits for a thread changes no order: others that are more urgent run first");
    thread = start(0, NORMALPRIO - 3, mark, "c");
    other = start(1, NORMALPRIO - 2, mark, "b");
    self = start(2, NORMALPRIO - 1, mark, "a");
    chThdWait(thread);
    CHECK(noted("abc"));
    chThdWait(other);
    chThdWait(self);
    end();

    begin("threads of one priority take turns when they yield");
    thread = start(0, NORMALPRIO, turns, "a");
    other = start(1, NORMALPRIO, turns, "b");
    for (int turn = 0; turn < 4; turn++)
        chThdYield();
    CHECK(noted("ababab"));
    chThdWait(thread);
    chThdWait(other);
    end();

    begin("a thread's priority is what it was set to");
    CHECK(chThdGetPriorityX() == NORMALPRIO);
    thread = start(0, NORMALPRIO + 1, mark, "a");
    chThdWait(thread);
    CHECK(chThdSetPriority(NORMALPRIO + 3) == NORMALPRIO);
    thread = start(0, NORMALPRIO + 2, mark, "b");
    note('c');
    CHECK(chThdSetPriority(NORMALPRIO) == NORMALPRIO + 3);
    CHECK(noted("acb"));
    chThdWait(thread);
    CHECK(chThdCreateStatic(thread, sizeof *thread, NORMALPRIO + 8, mark, "x") == NULL);
    CHECK(chThdCreateStatic(thread, sizeof *thread, NOPRIO, mark, "x") == NULL);
    end();

    begin("a thread knows itself, and ends when it is asked to");
    thread = start(0, NORMALPRIO + 1, who, &self);
    CHECK(self == thread && chThdGetSelfX() != thread);
    chThdWait(thread);
    thread = start(0, NORMALPRIO + 1, until_asked, NULL);
    chThdTerminate(thread);
    chThdWait(thread);
    CHECK(noted("t"));
    end();

    begin("a sleep takes as long as it says, in ticks");
    CHECK(TIME_S2I(2) == 20000 && TIME_MS2I(1) == 10 && TIME_US2I(1) == 1 && TIME_US2I(101) == 2);
    CHECK(TIME_I2MS(15) == 2 && TIME_I2S(10000) == 1 && TIME_I2US(3) == 300);
    before = chVTGetSystemTimeX();
    chThdSleepMilliseconds(2);
    CHECK(chVTTimeElapsedSinceX(before) >= 20);
    before = chVTGetSystemTimeX();
    chThdSleepUntil(before + 15);
    CHECK(!chVTIsSystemTimeWithinX(before, before + 15));
    /* In the middle of a tick, it is not that much later. */
    chThdSleepUntil(before + 16);
    moment = riposte_clock();
    while (riposte_clock() - moment < 50000)
        ;
    before = chVTGetSystemTimeX();
    chThdSleepUntil(before + 20);
    CHECK(riposte_clock() % 100000 < 50000);
    CHECK(chThdSleepUntilWindowed(before, before + 15) == before + 15);
    CHECK(chTimeIsInRangeX(2, (systime_t)-3, 4) && !chTimeIsInRangeX(4, (systime_t)-3, 4));
    end();
}
