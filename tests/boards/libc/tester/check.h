/* The tests, and what they share. */

#ifndef CHECK_H
#define CHECK_H

#include "verdict.h"

#include <riposte.h>

/* Runs `body` in a spare thread, at a priority, and waits for its end. Returns its exit value. */
uint32_t run(uint32_t (*body)(void *), void *argument, uint32_t priority);

/* The tests. */
void storage(void);
void memory(void);
void library(void);

#endif
