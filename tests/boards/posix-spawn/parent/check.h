/* Verdicts, for `./riposte test`. */

#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/* Whether something that the test under way asks for was wrong. */
extern bool wrong;

void begin(const char *name);
void end(void);
void complain(const char *file, int line, const char *condition);

/* Says what is wrong, once a test. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition) && !wrong) {                                                                                  \
            wrong = true;                                                                                              \
            complain(__FILE__, __LINE__, #condition);                                                                  \
        }                                                                                                              \
    } while (0)

/* Whether a call fails, and with this error. */
#define FAILS(call, error) (errno = 0, (call) == -1 && errno == (error))
#define IS_NULL(call, error) (errno = 0, !(call) && errno == (error))

#endif
