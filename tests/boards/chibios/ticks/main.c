/* System time where a tick is no whole number of nanoseconds. */

#include <stdio.h>

#include <ch.h>

/* Ticks at a moment, which is less than a minute after the start. */
static uint64_t ticks(uint64_t nanoseconds)
{
    return nanoseconds * 3 / 100;
}

int main(void)
{
    uint64_t before, after;
    systime_t now, until;
    bool is_right;

    chSysInit();
    riposte_sleep(1000000);
    before = riposte_clock();
    now = chVTGetSystemTimeX();
    after = riposte_clock();
    is_right = ticks(before) <= now && now <= ticks(after);
    until = chVTGetSystemTimeX() + 10000;
    chThdSleepUntil(until);
    is_right = is_right && chTimeDiffX(until, chVTGetSystemTimeX()) < UINT32_MAX / 2;
    printf("@%s system time is exact where a tick is no whole number of nanoseconds\n",
           is_right ? "pass" : "fail");
    return 0;
}
