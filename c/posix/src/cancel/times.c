/* Cancellation points of <time.h>, and of <unistd.h> those that sleep. */

#include <time.h>
#include <unistd.h>

#include "point.h"

POINT(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
      (clock, flags, time, left), result != 0)
POINT(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left), result != 0)
POINT(unsigned, sleep, (unsigned seconds), (seconds), result != 0)
