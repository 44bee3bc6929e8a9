/* Sleeping for milliseconds. */

#include <time.h>
#include <unistd.h>

unsigned delay(unsigned duration)
{
    const struct timespec time = {(time_t)(duration / 1000), (long)(duration % 1000) * 1000000};
    struct timespec left;
    if (nanosleep(&time, &left) == 0)
        return 0;
    return (unsigned)left.tv_sec * 1000 + (unsigned)((left.tv_nsec + 999999) / 1000000);
}
