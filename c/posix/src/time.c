/* <time.h>: clocks and sleeping. CLOCK_REALTIME is monotonic time and an offset of the process's own. */

#include "posix.h"

/* How often it was set, and what it is then: in the place that is in turn. So a handler may ask for it, whatever it
 * interrupts. */
static struct {
    riposte_mutex_t lock;
    uint32_t count;
    int64_t nanoseconds[2];
} offset;

int64_t posix_realtime_offset(void)
{
    uint32_t count;
    int64_t nanoseconds;
    do {
        count = riposte_word_load(&offset.count);
        nanoseconds = offset.nanoseconds[count & 1];
    } while (riposte_word_load(&offset.count) != count);
    return nanoseconds;
}

bool posix_is_time(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < NANOSECONDS;
}

int64_t posix_nanoseconds(const struct timespec *time)
{
    int64_t nanoseconds;
    if (__builtin_mul_overflow(time->tv_sec, (int64_t)NANOSECONDS, &nanoseconds)
        || __builtin_add_overflow(nanoseconds, (int64_t)time->tv_nsec, &nanoseconds))
        return time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return nanoseconds;
}

int64_t posix_monotonic(int64_t moment)
{
    const int64_t is_ahead = posix_realtime_offset();
    int64_t monotonic;
    if (moment == INT64_MAX || __builtin_sub_overflow(moment, is_ahead, &monotonic))
        return moment == INT64_MAX || is_ahead < 0 ? INT64_MAX : INT64_MIN;
    return monotonic;
}

/* A moment of monotonic time as a deadline. */
static riposte_deadline_t deadline_at(int64_t moment)
{
    if (moment == INT64_MAX)
        return RIPOSTE_FOREVER;
    return moment > 0 ? (riposte_deadline_t)moment : 1;
}

bool posix_deadline(clockid_t clock, const struct timespec *moment, riposte_deadline_t *deadline)
{
    int64_t nanoseconds;
    if (!posix_is_time(moment) || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
        return false;
    nanoseconds = posix_nanoseconds(moment);
    if (clock == CLOCK_REALTIME)
        nanoseconds = posix_monotonic(nanoseconds);
    *deadline = deadline_at(nanoseconds);
    return true;
}

bool posix_deadline_in(const struct timespec *time, riposte_deadline_t *deadline)
{
    int64_t moment;
    if (!posix_is_time(time) || time->tv_sec < 0)
        return false;
    if (time->tv_sec == 0 && time->tv_nsec == 0) {
        *deadline = RIPOSTE_IMMEDIATE;
        return true;
    }
    if (__builtin_add_overflow(posix_nanoseconds(time), (int64_t)riposte_clock(), &moment))
        moment = INT64_MAX;
    *deadline = deadline_at(moment);
    return true;
}

void posix_timespec(uint64_t nanoseconds, struct timespec *time)
{
    time->tv_sec = (time_t)(nanoseconds / NANOSECONDS);
    time->tv_nsec = (long)(nanoseconds % NANOSECONDS);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    uint64_t now = riposte_clock();
    if (clock == CLOCK_REALTIME)
        now += (uint64_t)posix_realtime_offset();
    else if (clock != CLOCK_MONOTONIC)
        return posix_fail(EINVAL);
    posix_timespec(now, time);
    return 0;
}

int clock_getres(clockid_t clock, struct timespec *resolution)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return posix_fail(EINVAL);
    /* What the kernel counts in. A board's timer may be coarser; it does not say. */
    if (resolution)
        posix_timespec(1, resolution);
    return 0;
}

int clock_settime(clockid_t clock, const struct timespec *time)
{
    int64_t nanoseconds;
    uint32_t next;
    /* Nobody can set the monotonic one. A time before the clock's beginning, or that it cannot tell, is none. */
    if (clock != CLOCK_REALTIME || !posix_is_time(time) || time->tv_sec < 0)
        return posix_fail(EINVAL);
    nanoseconds = posix_nanoseconds(time);
    if (nanoseconds == INT64_MAX)
        return posix_fail(EINVAL);
    if (!posix_take(&offset.lock))
        return posix_fail(EDEADLK);
    next = offset.count + 1;
    offset.nanoseconds[next & 1] = nanoseconds - (int64_t)riposte_clock();
    riposte_word_store(&offset.count, next);
    riposte_mutex_unlock(&offset.lock);
    if (posix_timers_look)
        posix_timers_look();
    return 0;
}

/* What is left of a time, of any length, since a moment. `left` may be where the time is. */
static void tell_left(const struct timespec *time, uint64_t since, struct timespec *left)
{
    struct timespec passed, is;
    posix_timespec(riposte_clock() - since, &passed);
    is = (struct timespec){time->tv_sec - passed.tv_sec, time->tv_nsec - passed.tv_nsec};
    if (is.tv_nsec < 0) {
        is.tv_sec--;
        is.tv_nsec += NANOSECONDS;
    }
    *left = is.tv_sec < 0 ? (struct timespec){0, 0} : is;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    const uint64_t begun = riposte_clock();
    riposte_deadline_t deadline;
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    /* A moment before the clock's beginning has passed; no time is as long as that. */
    if (!posix_is_time(time) || (time->tv_sec < 0 && !(flags & TIMER_ABSTIME)))
        return EINVAL;
    if (flags & TIMER_ABSTIME) {
        posix_deadline(clock, time, &deadline);
    } else {
        const int64_t nanoseconds = posix_nanoseconds(time);
        int64_t moment;
        if (__builtin_add_overflow(nanoseconds, (int64_t)begun, &moment))
            moment = INT64_MAX;
        deadline = deadline_at(moment);
    }
    begin_wait();
    do {
        if (riposte_sleep_until(deadline) == RIPOSTE_OK)
            return 0;
    } while (AGAIN(false));
    if (left && !(flags & TIMER_ABSTIME))
        tell_left(time, begun, left);
    return EINTR;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    return error ? posix_fail(error) : 0;
}
