/* Clocks, and sleeping by them. */

#include "check.h"

#include <sys/time.h>
#include <unistd.h>

static long long nanoseconds(const struct timespec *time)
{
    return time->tv_sec * 1000000000LL + time->tv_nsec;
}

static long long now(clockid_t clock)
{
    struct timespec time = {0, 0};
    CHECK(clock_gettime(clock, &time) == 0);
    return nanoseconds(&time);
}

/* Where `time` is something else. */
static time_t time_of_day(time_t *stored)
{
    return time(stored);
}

void clocks(void)
{
    const struct timespec millisecond = {0, 1000000}, none = {0, 1000000000}, negative = {-1, 0};
    const struct timespec day = {1700000000, 500};
    struct timespec time, left = {7, 7};
    long long before;

    begin("clock_gettime [EINVAL]: two clocks, which go on");
    before = now(CLOCK_MONOTONIC);
    CHECK(now(CLOCK_MONOTONIC) > before);
    errno = 0;
    CHECK(clock_gettime((clockid_t)99, &time) == -1 && errno == EINVAL);
    end();

    begin("clock_getres [EINVAL]: in nanoseconds");
    CHECK(clock_getres(CLOCK_REALTIME, &time) == 0 && nanoseconds(&time) == 1);
    CHECK(clock_getres(CLOCK_MONOTONIC, NULL) == 0);
    errno = 0;
    CHECK(clock_getres((clockid_t)99, &time) == -1 && errno == EINVAL);
    end();

    begin("clock_settime [EINVAL]: the time of day, and no other clock");
    CHECK(clock_settime(CLOCK_REALTIME, &day) == 0);
    CHECK(now(CLOCK_REALTIME) - nanoseconds(&day) < 1000000000LL && now(CLOCK_REALTIME) > nanoseconds(&day));
    errno = 0;
    CHECK(clock_settime(CLOCK_MONOTONIC, &day) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(clock_settime(CLOCK_REALTIME, &none) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(clock_settime(CLOCK_REALTIME, &negative) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(clock_settime((clockid_t)99, &day) == -1 && errno == EINVAL);
    CHECK(now(CLOCK_REALTIME) > nanoseconds(&day));
    end();

    begin("time, gettimeofday: the time of day that was set");
    {
        struct timeval seen;
        time_t stored = 0;
        const time_t at = time_of_day(&stored);
        CHECK(at == stored && at >= day.tv_sec && at <= day.tv_sec + 1 && time_of_day(NULL) >= at);
        CHECK(gettimeofday(&seen, NULL) == 0 && seen.tv_sec >= at && seen.tv_sec <= at + 1);
        CHECK(seen.tv_usec >= 0 && seen.tv_usec < 1000000);
    }
    end();

    begin("clock: what passes, in CLOCKS_PER_SEC");
    {
        const clock_t from = clock();
        const struct timespec time = {0, 20000000};
        CHECK(CLOCKS_PER_SEC == 1000000 && nanosleep(&time, NULL) == 0);
        CHECK(clock() - from >= 20000 && clock() - from < 1000000);
    }
    end();

    begin("clock_nanosleep: for a time, or until a moment of either clock");
    before = now(CLOCK_MONOTONIC);
    CHECK(clock_nanosleep(CLOCK_REALTIME, 0, &millisecond, NULL) == 0);
    CHECK(now(CLOCK_MONOTONIC) - before >= 1000000);
    time = in(CLOCK_MONOTONIC, 1);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, &left) == 0);
    CHECK(now(CLOCK_MONOTONIC) >= nanoseconds(&time));
    time = in(CLOCK_REALTIME, 1);
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, &left) == 0);
    CHECK(now(CLOCK_REALTIME) >= nanoseconds(&time));
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &day, NULL) == 0);
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &negative, NULL) == 0);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &negative, NULL) == 0);
    CHECK(left.tv_sec == 7 && left.tv_nsec == 7);
    end();

    begin("clock_nanosleep [EINVAL]: no such time, or no such clock");
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &none, NULL) == EINVAL);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &negative, NULL) == EINVAL);
    CHECK(clock_nanosleep((clockid_t)99, 0, &millisecond, NULL) == EINVAL);
    end();

    begin("nanosleep [EINVAL]: for a time");
    before = now(CLOCK_MONOTONIC);
    CHECK(nanosleep(&millisecond, &left) == 0 && now(CLOCK_MONOTONIC) - before >= 1000000);
    errno = 0;
    CHECK(nanosleep(&none, NULL) == -1 && errno == EINVAL);
    end();

    begin("sleep: for whole seconds, or for none");
    CHECK(sleep(0) == 0);
#ifdef __arm__
    /* All of a second: too long for a core that is simulated and does not show that it sleeps. */
    before = now(CLOCK_MONOTONIC);
    CHECK(sleep(1) == 0 && now(CLOCK_MONOTONIC) - before >= 1000000000LL);
    CHECK(now(CLOCK_MONOTONIC) - before < 2000000000LL);
#endif
    end();
}
