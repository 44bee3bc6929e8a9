/* Virtual timers: a list of those that are set, the next one first, and the thread that calls their
 * functions. */

#include <ch.h>

#include "priority.h"

static riposte_mutex_t lock = RIPOSTE_MUTEX;
static virtual_timer_t *first;
/* Changes when another timer has become the first. */
static uint32_t changes;
static bool is_running;
static THD_WORKING_AREA(area, 0);

static void insert(virtual_timer_t *timer)
{
    virtual_timer_t **link = &first;
    while (*link != NULL && (*link)->when <= timer->when)
        link = &(*link)->next;
    timer->next = *link;
    *link = timer;
    if (first == timer) {
        riposte_word_add(&changes, 1);
        ch_wake(&changes);
    }
}

static void take_out(virtual_timer_t *timer)
{
    virtual_timer_t **link = &first;
    while (*link != NULL && *link != timer)
        link = &(*link)->next;
    if (*link == timer)
        *link = timer->next;
    timer->function = NULL;
}

/* Calls the functions of all timers whose time has come; until when then to wait. The lock is held, but
 * not while a function runs. */
static riposte_deadline_t call_due(void)
{
    while (first != NULL && first->when <= riposte_clock()) {
        virtual_timer_t *timer = first;
        const vtfunc_t function = timer->function;
        void *argument = timer->argument;
        const uint64_t next = timer->when + timer->period;
        first = timer->next;
        timer->function = NULL;
        if (timer->period != 0) {
            timer->when = next;
            timer->function = function;
            insert(timer);
        }
        ch_unlock(&lock);
        function(argument);
        ch_lock(&lock);
    }
    return first != NULL ? first->when : RIPOSTE_FOREVER;
}

static THD_FUNCTION(run, unused)
{
    (void)unused;
    for (;;) {
        uint32_t seen;
        riposte_deadline_t deadline;
        ch_lock(&lock);
        seen = riposte_word_load(&changes);
        deadline = call_due();
        ch_unlock(&lock);
        ch_wait_until(&changes, seen, deadline);
    }
}

static void start(void)
{
    if (!is_running) {
        if (ch_thread_create_highest(area, run) == NULL)
            chSysHalt("ch.h: no spare thread for the virtual timers");
        area->name = "virtual timers";
        is_running = true;
    }
}

static void set(virtual_timer_t *timer, sysinterval_t delay, uint64_t period, vtfunc_t function,
                void *argument)
{
    uint64_t when;
    chDbgAssert(function != NULL && delay != TIME_IMMEDIATE, "chVTSet: no function, or no time");
    ch_lock(&lock);
    start();
    when = riposte_clock() + ch_nanoseconds(delay);
    if (timer->function != NULL)
        take_out(timer);
    timer->when = when;
    timer->period = period;
    timer->function = function;
    timer->argument = argument;
    insert(timer);
    ch_unlock(&lock);
}

void chVTSet(virtual_timer_t *timer, sysinterval_t delay, vtfunc_t function, void *argument)
{
    set(timer, delay, 0, function, argument);
}

void chVTSetContinuous(virtual_timer_t *timer, sysinterval_t delay, vtfunc_t function, void *argument)
{
    set(timer, delay, ch_nanoseconds(delay), function, argument);
}

void chVTReset(virtual_timer_t *timer)
{
    ch_lock(&lock);
    if (timer->function != NULL)
        take_out(timer);
    ch_unlock(&lock);
}

bool chVTIsArmed(const virtual_timer_t *timer)
{
    return *(vtfunc_t const volatile *)&timer->function != NULL;
}

/* Ticks until a moment; 0 if it has passed. */
static sysinterval_t until(uint64_t moment)
{
    const uint64_t now = riposte_clock();
    uint64_t ticks;
    if (moment <= now)
        return 0;
    ticks = ch_ticks_of(moment - now);
    if (ch_nanoseconds(ticks) < moment - now)
        ticks++;
    return ticks < TIME_MAX_INTERVAL ? (sysinterval_t)ticks : TIME_MAX_INTERVAL;
}

sysinterval_t chVTGetRemainingIntervalI(virtual_timer_t *timer)
{
    sysinterval_t left;
    ch_lock(&lock);
    chDbgAssert(timer->function != NULL, "chVTGetRemainingIntervalI: a timer that is not set");
    left = until(timer->when);
    ch_unlock(&lock);
    return left;
}

bool chVTGetTimersStateI(sysinterval_t *time)
{
    bool is_set;
    ch_lock(&lock);
    is_set = first != NULL;
    if (is_set && time != NULL)
        *time = until(first->when);
    ch_unlock(&lock);
    return is_set;
}

bool ch_timers_are_in_order(void)
{
    const virtual_timer_t *timer;
    bool are = true;
    ch_lock(&lock);
    for (timer = first; timer != NULL; timer = timer->next)
        are = are && timer->function != NULL && (timer->next == NULL || timer->when <= timer->next->when);
    ch_unlock(&lock);
    return are;
}
