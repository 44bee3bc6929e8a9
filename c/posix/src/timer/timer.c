/* Timers with a name of the process's: <time.h>. */

#include <limits.h>
#include <stdlib.h>

#include "../pthread/thread.h"
#include "timer.h"

/* No timer that there was has the next one's id. */
static timer_t ids;

static struct posix_timer *find(timer_t id)
{
    struct posix_timer *each = posix_timers;
    while (each && each->id != id)
        each = each->next;
    return id ? each : NULL;
}

/* Begins to serve a timer. With the lock. */
static int begin(struct posix_timer *timer, const struct sigevent *how)
{
    uint32_t thread;
    timer->notify = how ? how->sigev_notify : SIGEV_SIGNAL;
    timer->event.code = SI_TIMER;
    timer->event.taken = posix_timer_taken;
    timer->event.number = how ? (uint32_t)how->sigev_signo : SIGALRM;
    timer->event.value.sival_int = (int)timer->id;
    if (how)
        timer->event.value = how->sigev_value;
    if (timer->notify == SIGEV_SIGNAL)
        return posix_has_signals() ? posix_timer_signaller() : ENOSYS;
    if (timer->notify == SIGEV_NONE)
        return 0;
    timer->function = how->sigev_notify_function;
    return posix_thread_start(how->sigev_notify_attributes, posix_timer_serve, timer, &thread);
}

int timer_create(clockid_t clock, struct sigevent *restrict how, timer_t *restrict id)
{
    struct posix_timer *timer;
    uint64_t masked;
    int error;
    if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || (how && !posix_is_notification(how)))
        return posix_fail(EINVAL);
    timer = calloc(1, sizeof *timer);
    if (!timer)
        return posix_fail(EAGAIN);
    timer->clock = clock;
    masked = posix_events_lock();
    timer->id = ++ids;
    error = begin(timer, how);
    if (!error) {
        posix_timer_add(timer);
        *id = timer->id;
    }
    posix_events_unlock(masked);
    if (error)
        free(timer);
    return error ? posix_fail(error) : 0;
}

int timer_delete(timer_t id)
{
    const uint64_t masked = posix_events_lock();
    struct posix_timer *timer = find(id), **at = &posix_timers;
    bool is_ours = false;
    if (timer) {
        while (*at != timer)
            at = &(*at)->next;
        *at = timer->next;
        posix_event_remove(&timer->event);
        is_ours = timer->notify != SIGEV_THREAD || timer->has_no_thread;
        timer->is_deleted = true;
        posix_timer_run(timer, false, 0, 0);
    }
    posix_events_unlock(masked);
    /* Of the others, their threads are. */
    if (is_ours)
        free(timer);
    return timer ? 0 : posix_fail(EINVAL);
}

int timer_getoverrun(timer_t id)
{
    const uint64_t masked = posix_events_lock();
    const struct posix_timer *timer = find(id);
    const int overrun = timer ? timer->overrun : -1;
    posix_events_unlock(masked);
    return timer ? overrun : posix_fail(EINVAL);
}

/* With the lock. */
static void tell(const struct posix_timer *timer, struct itimerspec *value)
{
    posix_timespec((uint64_t)posix_timer_left(timer), &value->it_value);
    posix_timespec((uint64_t)timer->period, &value->it_interval);
}

int timer_gettime(timer_t id, struct itimerspec *value)
{
    const uint64_t masked = posix_events_lock();
    const struct posix_timer *timer = find(id);
    if (timer)
        tell(timer, value);
    posix_events_unlock(masked);
    return timer ? 0 : posix_fail(EINVAL);
}

static bool is_possible(const struct timespec *time)
{
    return posix_is_time(time) && time->tv_sec >= 0;
}

int timer_settime(timer_t id, int flags, const struct itimerspec *restrict value, struct itimerspec *restrict before)
{
    int64_t due, period;
    uint64_t masked;
    struct posix_timer *timer;
    /* A moment before the clock's beginning has passed. */
    const bool is_time = flags & TIMER_ABSTIME ? posix_is_time(&value->it_value) : is_possible(&value->it_value);
    due = posix_nanoseconds(&value->it_value);
    /* The period of one that is set to nothing is not looked at. */
    if (!is_time || (due && !is_possible(&value->it_interval)))
        return posix_fail(EINVAL);
    period = due ? posix_nanoseconds(&value->it_interval) : 0;
    if (due && !(flags & TIMER_ABSTIME) && __builtin_add_overflow(due, (int64_t)riposte_clock(), &due))
        due = INT64_MAX;
    masked = posix_events_lock();
    timer = find(id);
    if (timer) {
        if (before)
            tell(timer, before);
        posix_timer_run(timer, flags & TIMER_ABSTIME && timer->clock == CLOCK_REALTIME, due, period);
    }
    posix_events_unlock(masked);
    return timer ? 0 : posix_fail(EINVAL);
}
