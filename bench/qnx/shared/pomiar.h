/* Measuring as the publication does: times() before and after a loop, and
 * time of a transfer = (measured - 2 * loop) / (2 * iterations). Here times() counts the board's instructions or
 * cycles instead of hundredths of a second. */

#ifndef POMIAR_H
#define POMIAR_H

#include <stdbool.h>
#include <sys/times.h>

#include <riposte.h>

/* Opens the board's counter. */
void pomiar_init(void);

/* Marks where a loop that is measured begins and ends: the emulator counts exceptions between them. */
void pomiar_begin(void);
void pomiar_end(void);

/* What an empty loop of as many iterations takes. */
clock_t pomiar_loop(unsigned iterations);

/* Prints a result: ticks of a loop of so many iterations, each of so many operations; `loop` is what as many iterations
 * of an empty loop take, times what the formula says. */
void pomiar_result(const char *name, bool is_protected, unsigned bytes, unsigned iterations, unsigned operations,
                   clock_t measured, clock_t loop);

/* The same, of a point of a series: the size is a part of the case's name. */
void pomiar_series(const char *name, bool is_protected, unsigned bytes, unsigned iterations, unsigned operations,
                   clock_t measured, clock_t loop);

#endif
