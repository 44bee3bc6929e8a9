/* <sys/types.h>: the C library's types, and those of threads. */

/* What follows is no standard C, and is not warned of. */
#pragma GCC system_header
#include_next <sys/types.h>

#ifndef RIPOSTE_POSIX_SYS_TYPES_H
#define RIPOSTE_POSIX_SYS_TYPES_H

/* Headers of standard C include this one, too, in a program that may use these names itself. */
#if __POSIX_VISIBLE
#include <riposte/pthread_types.h>
#endif

#endif
