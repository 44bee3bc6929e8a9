/* The tests, and what they share. */

#ifndef CHECK_H
#define CHECK_H

#include "verdict.h"

/* Does something again and again, and has a signal interrupt it so many times, a little later each time; the handler does
 * something else. */
void interrupted(int times, void (*does)(void), void (*handler)(void));

/* Does something so many times, while a server is busy with another thread, which asks it again and again, and has a signal
 * come meanwhile. Its handler is one with these flags, and does nothing. */
void amid_requests(int times, void (*does)(void), void (*asks)(void), int flags);

/* The tests. */
void typed(void);
void names(void);
void sockets(void);
void objects(void);

#endif
