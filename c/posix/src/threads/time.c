/* Time in standard C: the time of day, and threads that let it pass. */

#include <sched.h>

#include "../posix.h"
#include "threads.h"

int timespec_get(struct timespec *time, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    switch (clock_nanosleep(CLOCK_MONOTONIC, 0, time, left)) {
    case 0:
        return 0;
    case EINTR:
        return -1;
    default:
        return -2;
    }
}

void thrd_yield(void)
{
    riposte_yield();
}
