/* QNX 4's <sys/types.h>: the C library's, and the numbers of nodes. */

#ifndef QNX4_SYS_TYPES_H
#define QNX4_SYS_TYPES_H

/* To include the next is no standard C, which -Wpedantic would say of the program. */
#pragma GCC system_header
#include_next <sys/types.h>

/** A node of the network; 0 is this one. */
typedef long nid_t;

#endif
