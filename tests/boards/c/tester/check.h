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

/* A moment that a test waits for and nobody notices, in nanoseconds. */
uint64_t soon(void);

/* Says what is wrong, once a test. */
#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition) && !wrong) {                                                                \
            wrong = true;                                                                            \
            complain(__FILE__, __LINE__, #condition);                                                \
        }                                                                                            \
    } while (0)

void complain(const char *file, int line, const char *condition);

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
void ends(void);

extern riposte_connection_t server;

#endif
