/* Verdicts of a test in C, for `./riposte test`: begin, a CHECK for each thing that is asked for, end. */

#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stdio.h>

#ifdef VERDICT_ERRNO
#include <errno.h>
#endif

/* Whether something that the test under way asks for was wrong. */
extern bool wrong;

void begin(const char *name);
void end(void);
void complain(const char *file, int line, const char *condition);

/* Says what is wrong, once a test. */
#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition) && !wrong) {                                                                \
            wrong = true;                                                                            \
            complain(__FILE__, __LINE__, #condition);                                                \
        }                                                                                            \
    } while (0)

#ifdef VERDICT_ERRNO
/* Whether a call fails, and with this error. */
#define FAILS(call, error) (errno = 0, (call) == -1 && errno == (error))
#define IS_NULL(call, error) (errno = 0, !(call) && errno == (error))
#endif

#endif
