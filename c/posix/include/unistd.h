/* <unistd.h>: the C library's, and which of POSIX's options there are. */

#ifndef RIPOSTE_POSIX_UNISTD_H
#define RIPOSTE_POSIX_UNISTD_H

/* What follows is no standard C, and is not warned of. */
#pragma GCC system_header
#include_next <unistd.h>

#include <riposte/posix_options.h>

/* Of confstr. */
#define _CS_PATH 0

#endif
