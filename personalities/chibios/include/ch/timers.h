/* Virtual timers: functions that are called after a time. Included by ch.h.
 *
 * A thread of the process calls them, the most urgent that the process may have. It takes one of the
 * spare threads, from the first timer on. */

#ifndef CH_TIMERS_H
#define CH_TIMERS_H

typedef void (*vtfunc_t)(void *argument);

typedef struct ch_virtual_timer {
    struct ch_virtual_timer *next; /* the next later one */
    uint64_t when;                 /* nanoseconds */
    uint64_t period;               /* nanoseconds; 0 if it is set once */
    vtfunc_t function;             /* NULL unless it is set */
    void *argument;
} virtual_timer_t;

/** Makes a timer, which is not set.
 *
 * @param timer Where it is to be. */
RIPOSTE_PRIVATE_INLINE void chVTObjectInit(virtual_timer_t *timer)
{
    timer->function = NULL;
}

/** Sets a timer, whether it is set or not: after the time it is no longer set, and the function is
 * called.
 *
 * @param timer The timer.
 * @param delay Ticks. TIME_IMMEDIATE stops the process.
 * @param function The function; it may set timers, but not wait. NULL stops the process.
 * @param argument What it is called with.
 * @blocks Never.
 * @from Any thread, and such functions. */
void chVTSet(virtual_timer_t *timer, sysinterval_t delay, vtfunc_t function, void *argument);
#define chVTSetI(timer, delay, function, argument) chVTSet((timer), (delay), (function), (argument))

/** As chVTSet, but again and again, until it is reset. */
void chVTSetContinuous(virtual_timer_t *timer, sysinterval_t delay, vtfunc_t function, void *argument);
#define chVTSetContinuousI(timer, delay, function, argument)                                         \
    chVTSetContinuous((timer), (delay), (function), (argument))

/** Resets a timer, whether it is set or not.
 *
 * @param timer The timer.
 * @blocks Never.
 * @from Any thread, and such functions. */
void chVTReset(virtual_timer_t *timer);
#define chVTResetI(timer) chVTReset(timer)

/** Tells whether a timer is set.
 *
 * @param timer The timer.
 * @return Whether it is. */
bool chVTIsArmed(const virtual_timer_t *timer);
#define chVTIsArmedI(timer) chVTIsArmed(timer)

/* Of a timer that is not set, and of one that is. */
#define chVTDoSetI(timer, delay, function, argument) chVTSet((timer), (delay), (function), (argument))
#define chVTDoResetI(timer) chVTReset(timer)

/** Tells how long it is until a timer is due.
 *
 * @param timer The timer, which is set: else the process stops.
 * @return Ticks, rounded up; 0 if it is due.
 * @blocks While another thread sets a timer.
 * @from Any thread, and such functions. */
sysinterval_t chVTGetRemainingIntervalI(virtual_timer_t *timer);

/** Tells whether any timer is set, and how long it is until the first is due.
 *
 * @param time Where that is stored, in ticks, if one is set; or NULL.
 * @return Whether one is.
 * @blocks While another thread sets a timer.
 * @from Any thread, and such functions. */
bool chVTGetTimersStateI(sysinterval_t *time);

/* Whether the timers are in order. */
bool ch_timers_are_in_order(void);

#endif
