/* The tests, and what they share. */

#ifndef CHECK_H
#define CHECK_H

#include "verdict.h"

/* Where there are no atomic instructions, the board is simulated: of so many turns one is made, and who waits for what has
 * begun by then waits not as long, in nanoseconds. */
#if defined(__riscv) && !defined(__riscv_atomic)
#define STEP 19
#define A_WHILE 10000000
#else
#define STEP 1
#define A_WHILE 999999999
#endif

/* Does something again and again, and has a signal interrupt it so many times, a little later each time; the handler does
 * something else. */
void interrupted(int times, void (*does)(void), void (*handler)(void));

/* Does something so many times, while a server is busy with another thread, which asks it again and again, and has a signal
 * come meanwhile. Its handler is one with these flags, and does nothing. */
void amid_requests(int times, void (*does)(void), void (*asks)(void), int flags);

/* The tests. */
void typed(void);
void masked(void);
void names(void);
void sockets(void);
void objects(void);

#endif
