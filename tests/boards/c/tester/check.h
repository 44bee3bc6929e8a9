/* The tests, and what they share. */

#ifndef CHECK_H
#define CHECK_H

#include "verdict.h"

#include <riposte.h>

/* A moment that a test waits for and nobody notices, in nanoseconds. */
uint64_t soon(void);

/* The tests. */
void names(void);
void sending(void);
void receiving(void);
void memory(void);
void words(void);
void objects(void);
void queues(void);
void threads(void);
void events(void);
void signals(void);
void ends(void);

extern riposte_connection_t server;

#endif
