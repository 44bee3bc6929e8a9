/* The tests, and what they share. */

#ifndef CHECK_H
#define CHECK_H

#include "verdict.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#define OWN_PRIORITY 10
#define LESS_URGENT 9
#define MORE_URGENT 11

/* Starts a thread of this priority; the main thread's is 10. */
pthread_t start(int priority, void *(*body)(void *), void *argument);

/* Waits for its end, which is to come soon: what it returned; the caller's own id if it has not ended. */
void *finish(pthread_t thread);

/* What a thread does at its end: how often its handlers and its key's destructor ran, and in which order. */
extern volatile int cleaned, destroyed;
extern volatile char order[8];
void clean(void *letter);

/* Whether a thread went on behind its cancellation point, and has come to it. */
extern volatile bool has_passed, has_come;

void states(void);
void points(void);
void windows(void);
void statics(void);
void leftovers(void);

#endif
