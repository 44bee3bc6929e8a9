/* What the board counts: instructions, or cycles where it is a processor's own logic. */

#ifndef COUNTER_H
#define COUNTER_H

#include <stdint.h>

/* Finds the counter: the device `timer1`, if it is one, or the processor's. */
void counter_init(void);

/* What it has counted, modulo 2^32. */
uint32_t counter_read(void);

#endif
