/* Seconds, which may be shorter than the clock's. */

#include "objects.h"

#define MICROSECOND 1000
#define READINGS 110

/* Nanoseconds of a second: `second` in the manifest's settings says how many microseconds it has. Without
 * it, a second is one; 0 is as long as it takes to read the clock READINGS times, so that a window holds
 * as much work on a machine that takes long for it. */
static uint64_t second(void)
{
    uint32_t microseconds = 1000000;
    riposte_setting("second", &microseconds);
    if (microseconds != 0)
        return (uint64_t)microseconds * MICROSECOND;
    const uint64_t start = riposte_clock();
    for (int reading = 1; reading < READINGS; ++reading)
        (void)riposte_clock();
    return riposte_clock() - start;
}

void tm_thread_sleep(int seconds)
{
    static uint64_t length;
    if (length == 0)
        length = second();
    if (seconds > 0)
        riposte_sleep((uint64_t)seconds * length);
}
