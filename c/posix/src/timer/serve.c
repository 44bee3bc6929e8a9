/* What timers do when they are due. One spare thread sends the signals of all of them, as urgent as the process may be, so
 * that it comes before those that a signal is to interrupt; each timer that calls a function has a thread of its own. */

#include <limits.h>
#include <stdlib.h>

#include "../pthread/thread.h"
#include "timer.h"

/* How soon it is tried again to send a signal for which there was no room: that may come of a thread's end, of which nobody
 * is told. */
#define TRY_AGAIN INT64_C(10000000)

/* How long a timer whose period is shorter rests behind each signal. */
#define REST INT64_C(200000)

struct posix_timer *posix_timers;

/* Counts what the threads look at again, and is where they wait. */
static uint32_t changes;
static bool has_signaller;

static int64_t now(void)
{
    return (int64_t)riposte_clock();
}

/* When a timer is due by monotonic time. */
static int64_t moment_of(const struct posix_timer *timer)
{
    return timer->is_of_day ? posix_monotonic(timer->due) : timer->due;
}

static void look_again(void)
{
    uint32_t woken;
    riposte_word_add(&changes, 1);
    riposte_futex_wake(&changes, UINT32_MAX, &woken);
}

void posix_timers_look(void)
{
    look_again();
}

void posix_timer_add(struct posix_timer *timer)
{
    timer->next = posix_timers;
    posix_timers = timer;
    if (timer->notify == SIGEV_SIGNAL)
        posix_event_add(&timer->event);
}

int posix_timer_signaller(void)
{
    const pthread_attr_t urgent = posix_signaller();
    uint32_t thread;
    int error = 0;
    if (!has_signaller)
        error = posix_thread_start(&urgent, posix_timer_serve, NULL, &thread);
    has_signaller = !error;
    return error;
}

void posix_timer_run(struct posix_timer *timer, bool is_of_day, int64_t due, int64_t period)
{
    timer->runs = due != 0;
    timer->is_of_day = is_of_day;
    timer->is_counted = false;
    timer->due = due;
    timer->period = period;
    timer->rests = 0;
    if (timer->notify != SIGEV_NONE)
        look_again();
}

int64_t posix_timer_left(const struct posix_timer *timer)
{
    int64_t left;
    if (!timer->runs)
        return 0;
    if (__builtin_sub_overflow(moment_of(timer), now(), &left))
        left = timer->due < 0 ? -INT64_MAX : INT64_MAX;
    if (left > 0)
        return left;
    if (timer->period)
        return timer->period - -left % timer->period;
    /* It is over, but for its notification; where a signal of before waits there will be none. */
    return timer->notify == SIGEV_NONE || timer->event.sent ? 0 : 1;
}

/* A periodic timer was due: counts how often it has been due since, and sets when it is next. */
static void go_on(struct posix_timer *timer)
{
    int64_t late = now(), ahead;
    if (__builtin_sub_overflow(late, moment_of(timer), &late))
        late = INT64_MAX;
    if (late < 0)
        late = 0;
    late /= timer->period;
    timer->overrun = late < DELAYTIMER_MAX ? (int)late : DELAYTIMER_MAX;
    if (__builtin_mul_overflow(late + 1, timer->period, &ahead)
        || __builtin_add_overflow(timer->due, ahead, &timer->due))
        timer->due = INT64_MAX;
}

/* It was set anew while its signal waited, and has been due since: each time is an overrun of that signal, the first one,
 * too. */
static void overrun_anew(struct posix_timer *timer)
{
    if (timer->period)
        go_on(timer);
    else
        timer->runs = false;
    timer->overrun += timer->overrun < DELAYTIMER_MAX;
}

void posix_timer_taken(struct posix_event *event)
{
    struct posix_timer *timer = (struct posix_timer *)(void *)((char *)event - offsetof(struct posix_timer, event));
    timer->overrun = 0;
    if (timer->is_counted)
        go_on(timer);
    else if (timer->runs && moment_of(timer) <= now())
        overrun_anew(timer);
    timer->is_counted = false;
    timer->rests = timer->period && timer->period < REST ? now() + REST : 0;
    look_again();
}

/* When it may send its signal. */
static int64_t sends_at(const struct posix_timer *timer)
{
    const int64_t moment = moment_of(timer);
    return moment > timer->rests ? moment : timer->rests;
}

/* Sends the signals that are due; when the next one is. A timer is due again once its signal has been taken. */
static riposte_deadline_t send_due(void)
{
    int64_t next = INT64_MAX;
    struct posix_timer *each;
    for (each = posix_timers; each; each = each->next) {
        const bool waits = each->notify == SIGEV_SIGNAL && each->runs && !each->event.sent && !each->event.is_owed;
        const int64_t moment = waits ? sends_at(each) : INT64_MAX;
        if (waits && moment <= now()) {
            each->is_counted = each->period != 0;
            each->runs = each->is_counted;
            posix_event_send(&each->event);
        } else if (moment < next) {
            next = moment;
        }
    }
    if (posix_events_send_owed() && next > now() + TRY_AGAIN)
        next = now() + TRY_AGAIN;
    return next == INT64_MAX ? RIPOSTE_FOREVER : (riposte_deadline_t)next;
}

/* The function of the timer ends its thread. */
static void leave(void *argument)
{
    struct posix_timer *timer = argument;
    const uint64_t masked = posix_events_lock();
    const bool is_deleted = timer->is_deleted;
    timer->has_no_thread = true;
    posix_events_unlock(masked);
    if (is_deleted)
        free(timer);
}

/* Calls the timer's function if that is due, without the lock meanwhile; else says when it is. */
static riposte_deadline_t call_due(struct posix_timer *timer, uint64_t masked)
{
    const int64_t moment = timer->runs ? moment_of(timer) : INT64_MAX;
    if (moment > now())
        return moment == INT64_MAX ? RIPOSTE_FOREVER : (riposte_deadline_t)moment;
    timer->overrun = 0;
    if (timer->period)
        go_on(timer);
    else
        timer->runs = false;
    posix_events_unlock(masked);
    pthread_cleanup_push(leave, timer);
    posix_thread_call(timer->function, timer->event.value);
    pthread_cleanup_pop(0);
    posix_events_lock();
    return RIPOSTE_IMMEDIATE;
}

void *posix_timer_serve(void *argument)
{
    struct posix_timer *timer = argument;
    const uint64_t masked = posix_events_lock();
    for (;;) {
        const uint32_t seen = riposte_word_load(&changes);
        const riposte_deadline_t next = timer ? call_due(timer, masked) : send_due();
        /* With the lock: until timer_delete gives that back, it writes where the timer is. */
        const bool is_over = timer && timer->is_deleted;
        posix_events_unlock(masked);
        if (is_over)
            break;
        if (next != RIPOSTE_IMMEDIATE)
            riposte_futex_wait_until(&changes, seen, next);
        posix_events_lock();
    }
    free(timer);
    return NULL;
}
