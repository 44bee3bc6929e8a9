/* QNX 4's <errno.h>: the C library's, and the number of none. */

#ifndef QNX4_ERRNO_H
#define QNX4_ERRNO_H

/* To include the next is no standard C, which -Wpedantic would say of the program. */
#pragma GCC system_header
#include_next <errno.h>

/** No error. */
#define EOK 0

#endif
