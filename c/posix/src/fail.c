/* How a function that has an errno fails. */

#include "posix.h"

COLD int posix_fail(int error)
{
    errno = error;
    return -1;
}
