/* Watcom's <i86.h>, as far as programs for QNX 4 need it where there are no segments. */

#ifndef QNX4_I86_H
#define QNX4_I86_H

#define far
#define __far
#define FP_SEG(pointer) ((void)(pointer), 0U)

#endif
