/* Keeping memory where it is: all of it always is. */

#include <sys/mman.h>

#include "../posix.h"

int mlock(const void *address, size_t length)
{
    (void)address, (void)length;
    return 0;
}

int munlock(const void *address, size_t length)
{
    (void)address, (void)length;
    return 0;
}

int mlockall(int flags)
{
    if (flags == 0 || flags & ~(MCL_CURRENT | MCL_FUTURE))
        return posix_fail(EINVAL);
    return 0;
}

int munlockall(void)
{
    return 0;
}
