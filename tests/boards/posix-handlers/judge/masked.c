/* pselect, which lets signals come while it waits alone. */

#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND 1000000

static volatile sig_atomic_t handled;

static void handle(int number)
{
    (void)number;
    handled++;
}

/* Has it wait for the console, or nothing, so many nanoseconds at most. */
static int selects(bool console, long long nanoseconds, const sigset_t *mask)
{
    const struct timespec timeout = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    fd_set reads;
    FD_ZERO(&reads);
    if (console)
        FD_SET(STDIN_FILENO, &reads);
    return pselect(1, &reads, NULL, NULL, &timeout, mask);
}

static bool is_masked(void)
{
    sigset_t now;
    return pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGALRM) == 1;
}

static bool has_ended(timer_t timer, bool console, long after, const sigset_t *mask)
{
    const struct itimerspec soon = {.it_value = {0, after}};
    handled = 0;
    return timer_settime(timer, 0, &soon, NULL) == 0 && FAILS(selects(console, 5000LL * MILLISECOND, mask), EINTR)
           && handled == 1 && is_masked();
}

void masked(void)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct timespec before, after, none = {0, 1000000000};
    sigset_t alarm, nothing, was;
    timer_t timer;
    bool good = true;
    sigemptyset(&nothing);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0 && sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(pthread_sigmask(SIG_BLOCK, &alarm, &was) == 0);
    begin("pselect EINVAL: no such time; with no mask, or a time that passes, it is select");
    CHECK(FAILS(pselect(0, NULL, NULL, NULL, &none, NULL), EINVAL));
    clock_gettime(CLOCK_MONOTONIC, &before);
    CHECK(selects(false, 2 * MILLISECOND, NULL) == 0 && selects(false, 0, &nothing) == 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK((after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec >= 2 * MILLISECOND);
    end();
    begin("pselect EINTR: a signal that waited, or comes meanwhile, is handled, and masked again afterwards");
    for (int console = 0; console < 2; console++) {
        handled = 0;
        CHECK(raise(SIGALRM) == 0 && handled == 0);
        CHECK(FAILS(selects(console, 5000LL * MILLISECOND, &nothing), EINTR) && handled == 1 && is_masked());
        CHECK(has_ended(timer, console, 3 * MILLISECOND, &nothing));
    }
    end();
    begin("pselect EINTR: tells of one that waited also where there is no time to wait");
    handled = 0;
    CHECK(raise(SIGALRM) == 0 && FAILS(selects(false, 0, &nothing), EINTR) && handled == 1 && is_masked());
    end();
    begin("pselect EINTR: no signal is slept over, whenever it comes");
    for (int turn = 0; turn < 400 && good; turn += STEP)
        good = has_ended(timer, turn & 1, 1000 + turn * 1000, &nothing);
    CHECK(good);
    end();
    CHECK(timer_delete(timer) == 0 && pthread_sigmask(SIG_SETMASK, &was, NULL) == 0);
}
