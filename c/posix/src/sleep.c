/* Sleeping for seconds, and for microseconds: apart from the clocks, whose programs may have a `sleep` of their own. */

#include <unistd.h>

#include "posix.h"

unsigned sleep(unsigned seconds)
{
    const struct timespec time = {(time_t)seconds, 0};
    struct timespec left;
    if (!clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &left))
        return 0;
    /* A part of a second counts as one: who sleeps on for what is left does so for long enough. */
    return (unsigned)left.tv_sec + (left.tv_nsec > 0);
}

/* The standard has it no more, and many programs do. */
int usleep(useconds_t microseconds)
{
    const struct timespec time = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
    return nanosleep(&time, NULL);
}
