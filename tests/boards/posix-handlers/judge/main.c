/* What handlers of signals call in the midst of the library, against the text of IEEE 1003.1-2017, and what a signal does not
 * end. */

#include "check.h"
#include "thread.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include <riposte.h>

static volatile sig_atomic_t handled;
static void (*volatile in_handler)(void);
static void (*volatile asks)(void);
static volatile bool is_over;
static volatile long until_signal;
static sem_t wanted;

static void handle(int number)
{
    (void)number;
    if (in_handler)
        in_handler();
    handled++;
}

static void sleep_for(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

static void *signals_late(void *whom)
{
    while (sem_wait(&wanted) == 0 && !is_over) {
        sleep_for(until_signal);
        CHECK(pthread_kill(*(pthread_t *)whom, SIGUSR1) == 0);
    }
    return NULL;
}

static void *asks_always(void *argument)
{
    while (!is_over)
        asks();
    return argument;
}

static void prepare(void (*handler)(void), int flags)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
    in_handler = handler;
    is_over = false;
    handled = 0;
    CHECK(sem_init(&wanted, 0, 0) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
}

static void finish(pthread_t signaller)
{
    is_over = true;
    CHECK(sem_post(&wanted) == 0 && pthread_join(signaller, NULL) == 0);
}

void interrupted(int times, void (*does)(void), void (*handler)(void))
{
    pthread_t own = pthread_self(), signaller;
    prepare(handler, 0);
    signaller = thread_of(16, signals_late, &own);
    for (int turn = 0; turn < times; turn += STEP) {
        const int before = handled;
        until_signal = 100000 + turn * 1370;
        CHECK(sem_post(&wanted) == 0);
        while (handled == before)
            does();
    }
    finish(signaller);
}

void amid_requests(int times, void (*does)(void), void (*busy)(void), int flags)
{
    const struct sched_param urgent = {15}, usual = {10};
    pthread_t own = pthread_self(), asker, signaller;
    prepare(NULL, flags);
    asks = busy;
    CHECK(pthread_setschedparam(own, SCHED_FIFO, &urgent) == 0);
    asker = thread_of(9, asks_always, NULL);
    signaller = thread_of(16, signals_late, &own);
    for (int turn = 0; turn < times; turn += STEP) {
        const int before = handled;
        /* It comes while this thread waits for the server, which has the other one's request. */
        until_signal = 1000000 + turn * 3100;
        CHECK(sem_post(&wanted) == 0);
        sleep_for(until_signal - 60000 - turn % 20 * 15000);
        does();
        while (handled == before)
            sleep_for(100000);
    }
    finish(signaller);
    CHECK(pthread_join(asker, NULL) == 0 && pthread_setschedparam(own, SCHED_FIFO, &usual) == 0);
}

int main(void)
{
    typed();
    masked();
    names();
    sockets();
    objects();
    puts("@done");
    return (int)riposte_shutdown(0);
}
