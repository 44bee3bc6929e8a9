/* Calls every function of POSIX that is there, one clause after another. */

#include "check.h"
#include "thread.h"

#include <stdlib.h>

#include <riposte.h>

struct timespec in(clockid_t clock, long milliseconds)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += milliseconds * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

pthread_t start(int priority, void *(*body)(void *), void *argument)
{
    return thread_of(priority, body, argument);
}

void *finish(pthread_t thread)
{
    void *value = NULL;
    CHECK(pthread_join(thread, &value) == 0);
    return value;
}

void *finish_later(pthread_t thread)
{
    const struct timespec until = in(CLOCK_MONOTONIC, 3);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
    return finish(thread);
}

int main(void)
{
    attributes();
    threads();
    mutexes();
    ceilings();
    conditions();
    locks();
    semaphores();
    queues();
    clocks();
    signal_tests();
    timers();
    standard();
    notifications();
    shared();
    puts("@done");
    return (int)riposte_shutdown(0);
}
