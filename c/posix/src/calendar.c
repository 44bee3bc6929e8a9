/* The time of day in the C library's terms: CLOCK_REALTIME. */

#include <sys/time.h>

#include "posix.h"

time_t time(time_t *seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds)
        *seconds = now.tv_sec;
    return now.tv_sec;
}

/* There is one time zone. */
int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){now.tv_sec, (suseconds_t)(now.tv_nsec / 1000)};
    return 0;
}
