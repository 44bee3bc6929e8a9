/* Verdicts, for `./riposte test`. */

#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include <riposte.h>

/* Whether something that the test under way asks for was wrong. */
extern bool wrong;

void begin(const char *name);
void end(void);

/* Says what is wrong, once a test. */
#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition) && !wrong) {                                                                \
            wrong = true;                                                                            \
            complain(__FILE__, __LINE__, #condition);                                                \
        }                                                                                            \
    } while (0)

void complain(const char *file, int line, const char *condition);

/* Runs `body` in a spare thread, at a priority, and waits for its end. Returns its exit value. */
uint32_t run(uint32_t (*body)(void *), void *argument, uint32_t priority);

/* The tests. */
void storage(void);
void memory(void);
void library(void);

#endif
