#include "check.h"

static virtual_timer_t first, second;
static semaphore_t due;

static void tell(void *argument)
{
    note(*(const char *)argument);
    chSysLockFromISR();
    chSemSignalI(&due);
    chSysUnlockFromISR();
}

void timers(void)
{
    const systime_t before = chVTGetSystemTimeX();

    begin("virtual timers call their functions in the order of their times");
    chSemObjectInit(&due, 0);
    chVTObjectInit(&first);
    chVTObjectInit(&second);
    chVTSet(&second, TIME_MS2I(4), tell, "b");
    chVTSet(&first, TIME_MS2I(2), tell, "a");
    CHECK(chVTIsArmed(&first) && chVTIsArmed(&second));
    CHECK(chSemWait(&due) == MSG_OK);
    CHECK(chVTTimeElapsedSinceX(before) >= 20);
    CHECK(!chVTIsArmed(&first));
    CHECK(chSemWait(&due) == MSG_OK && chVTTimeElapsedSinceX(before) >= 40);
    CHECK(noted("ab"));
    end();

    begin("a virtual timer that is reset calls nothing, one that is continuous calls again");
    chVTSet(&first, TIME_MS2I(1), tell, "x");
    chVTReset(&first);
    chVTReset(&first);
    CHECK(!chVTIsArmed(&first) && chSemWaitTimeout(&due, TIME_MS2I(3)) == MSG_TIMEOUT);
    chVTSetContinuous(&second, TIME_MS2I(1), tell, "c");
    CHECK(chSemWait(&due) == MSG_OK && chSemWait(&due) == MSG_OK);
    chVTReset(&second);
    CHECK(noted("cc"));
    end();
}
