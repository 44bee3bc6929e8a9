/* A cancellation that comes between any two instructions of a cancellation point: before it looks, between its look and its
 * wait, in its wait. */

#include "check.h"

#include <semaphore.h>

static sem_t never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ends[2];
static struct timespec volatile when;
static pthread_t volatile victim;
static int64_t volatile begun;
static unsigned volatile later;
static int volatile brought_by;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void *takes(void *argument)
{
    (void)argument;
    begun = now();
    sem_wait(&never);
    has_passed = true;
    return NULL;
}

/* Comes to its wait so many times two instructions later. */
static void *takes_later(void *argument)
{
    (void)argument;
    begun = now();
    for (unsigned left = later; left; left--)
        __asm__ volatile("");
    sem_wait(&never);
    has_passed = true;
    return NULL;
}

static void cancels(int number)
{
    (void)number;
    CHECK(pthread_cancel(pthread_self()) == 0);
}

static void gives_back(void *argument)
{
    (void)argument;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static void *waits(void *argument)
{
    (void)argument;
    begun = now();
    CHECK(pthread_mutex_lock(&mutex) == 0);
    pthread_cleanup_push(gives_back, NULL);
    pthread_cond_wait(&cond, &mutex);
    pthread_cond_wait(&cond, &mutex);
    has_passed = true;
    pthread_cleanup_pop(1);
    return NULL;
}

static void *reads(void *argument)
{
    char letter;
    (void)argument;
    begun = now();
    (void)!read(ends[0], &letter, 1);
    has_passed = true;
    return NULL;
}

static void *sleeps(void *argument)
{
    const struct timespec long_time = {1000, 0};
    (void)argument;
    begun = now();
    nanosleep(&long_time, NULL);
    has_passed = true;
    return NULL;
}

static void *suspends(void *argument)
{
    sigset_t none;
    (void)argument;
    begun = now();
    sigemptyset(&none);
    sigsuspend(&none);
    has_passed = true;
    return NULL;
}

/* Cancels the other one at a moment, or has a handler of it do so. */
static void *strikes(void *argument)
{
    const struct timespec moment = when;
    (void)argument;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
    CHECK((brought_by ? pthread_kill(victim, brought_by) : pthread_cancel(victim)) == 0);
    return NULL;
}

/* A cancellation comes so many nanoseconds after the thread has begun, at last, and so many later each time. Where there are
 * no atomic instructions, the board is simulated. */
#define LAST 60000
#if defined(__riscv) && !defined(__riscv_atomic)
#define STEP 2000
#else
#define STEP 150
#endif

/* A thread begins, and is cancelled so many nanoseconds from now; how many it took to begin. */
static int64_t cancel_after(void *(*body)(void *), int64_t after)
{
    const int64_t from = now(), moment = from + after;
    pthread_t striker;
    when = (struct timespec){moment / 1000000000, moment % 1000000000};
    striker = start(MORE_URGENT, strikes, NULL);
    victim = start(LESS_URGENT, body, NULL);
    CHECK(finish(victim) == PTHREAD_CANCELED);
    CHECK(!has_passed);
    CHECK(pthread_join(striker, NULL) == 0);
    return begun - from;
}

static void sweep(void *(*body)(void *))
{
    const int64_t begins = cancel_after(body, 5000000);
    for (int64_t after = 0; after < LAST && !wrong; after += STEP)
        cancel_after(body, begins + after);
}

/* Between its look and its wait there are so few instructions that no moment may hit them. */
#define LAST_HIT 6000
#define LATER 12

static void sweep_handler(void)
{
    const struct sigaction action = {.sa_handler = cancels, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    brought_by = SIGUSR1;
    later = 0;
    const int64_t begins = cancel_after(takes_later, 5000000);
    for (int64_t after = 0; after < LAST_HIT && !wrong; after += STEP)
        for (later = 0; later < LATER && !wrong; later++)
            cancel_after(takes_later, begins + after);
    brought_by = 0;
}

void windows(void)
{
    CHECK(sem_init(&never, 0, 0) == 0 && pipe(ends) == 0);
    begin("pthread_cancel: none is lost, whenever it comes: sem_wait, pthread_cond_wait, read, nanosleep, sigsuspend");
    sweep(takes);
    sweep(waits);
    sweep(reads);
    sweep(sleeps);
    sweep(suspends);
    /* The mutex is nobody's. */
    CHECK(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    end();
    begin("pthread_cancel: none is lost by a handler that interrupts a cancellation point between its look and its wait");
    sweep_handler();
    end();
}
