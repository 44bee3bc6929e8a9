/* QNX 4's <sys/types.h>: the C library's, and the numbers of nodes. */

#ifndef QNX4_SYS_TYPES_H
#define QNX4_SYS_TYPES_H

#include_next <sys/types.h>

/** A node of the network; 0 is this one. */
typedef long nid_t;

#endif
