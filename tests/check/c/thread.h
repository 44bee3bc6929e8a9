/* Threads of tests of POSIX. */

#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>

#include "verdict.h"

/* Starts a thread with this priority. */
static inline pthread_t thread_of(int priority, void *(*body)(void *), void *argument)
{
    const struct sched_param param = {priority};
    pthread_attr_t attr;
    pthread_t thread = 0;
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
    CHECK(pthread_attr_setschedparam(&attr, &param) == 0);
    CHECK(pthread_create(&thread, &attr, body, argument) == 0);
    CHECK(pthread_attr_destroy(&attr) == 0);
    return thread;
}

#endif
