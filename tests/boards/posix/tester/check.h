/* Verdicts, for `./riposte test`. The name of a test begins with the function that it is about, which is also the
 * clause of the standard's volume of interfaces; where it is about one error, that follows in brackets. */

#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

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

/* A moment so many milliseconds from now. */
struct timespec in(clockid_t clock, long milliseconds);

/* Starts a thread of this priority; the main thread's is 10. */
pthread_t start(int priority, void *(*body)(void *), void *argument);
/* Waits for its end; what it returned. */
void *finish(pthread_t thread);
/* As that, of a thread that waits for the caller until a deadline: to wait for it meanwhile were a circle. */
void *finish_later(pthread_t thread);

#define OWN_PRIORITY 10
#define LESS_URGENT 9
#define MORE_URGENT 11

void attributes(void);
void threads(void);
void mutexes(void);
void ceilings(void);
void conditions(void);
void locks(void);
void semaphores(void);
void clocks(void);
void shared(void);

#endif
