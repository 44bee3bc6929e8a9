/* The tests, and what they share. The name of a test begins with the function that it is about, which is also the
 * clause of the standard's volume of interfaces; where it is about one error, that follows in brackets. */

#ifndef CHECK_H
#define CHECK_H

#include "verdict.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

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
void queues(void);
void clocks(void);
void signal_tests(void);
void timers(void);
void standard(void);
void notifications(void);
void shared(void);

#endif
