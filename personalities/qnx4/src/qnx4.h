/* What the sources of the personality share. */

#ifndef QNX4_H
#define QNX4_H

#include <sys/kernel.h>

/* Sets errno; -1. */
int qnx4_fail(int number);

/* Finds the channel at which this process receives. */
bool qnx4_find_channel(void);

#endif
