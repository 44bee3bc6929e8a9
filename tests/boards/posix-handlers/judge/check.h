/* The tests, and what they share. */

#ifndef CHECK_H
#define CHECK_H

#include "verdict.h"

/* Does something again and again, and has a signal interrupt it so many times, a little later each time; the handler does
 * something else. */
void interrupted(int times, void (*does)(void), void (*handler)(void));

/* The tests. */
void sockets(void);
void objects(void);

#endif
