/* The pin that the publication shows on an oscilloscope: set before a switch of threads, cleared after
 * it, in subroutines. On boards whose waveform shows it, it is a pin; elsewhere its two subroutines read
 * the board's counter of instructions, which is no time. */

#ifndef PIN_H
#define PIN_H

#include <riposte.h>

/* Finds the pin or the counter.
 *
 * @param cleared Where a board without a pin notes the counter when the pin is cleared: memory that is
 * common to all threads of a case. */
void pin_init(uint32_t *cleared);

/* Whether a waveform shows the pin. */
bool pin_is_shown(void);

void pin_set(void);
void pin_clear(void);

/* What the counter has counted between the last two; 0 of a pin. */
uint32_t pin_counted(void);

#endif
