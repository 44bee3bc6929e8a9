/* Timers of a process. */

#ifndef RIPOSTE_POSIX_TIMER_H
#define RIPOSTE_POSIX_TIMER_H

#include "../signal/event.h"

/* All fields are guarded by the lock of the events. */
struct posix_timer {
    struct posix_timer *next;
    timer_t id;
    struct posix_event event;
    void (*function)(union sigval);
    int notify;
    clockid_t clock;
    /* Whether it runs; whether `due` is a time of day; and whether the signal that nobody has taken is this period's. */
    bool runs, is_of_day, is_counted;
    /* Its thread, which tells of it, ends it, unless that has ended itself: its function may do so. */
    bool is_deleted, has_no_thread;
    /* When it is due, or was with the signal that nobody has taken; and how much later again, 0 if never. */
    int64_t due, period;
    /* Until when it sends no other signal, however short its period is: what the signal interrupts goes on meanwhile. */
    int64_t rests;
    int overrun;
};

/* Makes the thread that sends the signals of timers, if there is none. With the lock. EAGAIN if none is spare. */
int posix_timer_signaller(void);

/* The signal of the timer's event was taken: counts the periods since, and lets it be due again. With the lock. */
void posix_timer_taken(struct posix_event *event);

/* Lets a timer run to a moment, of CLOCK_REALTIME or else of monotonic time, and again after each period. With the lock. */
void posix_timer_run(struct posix_timer *timer, bool is_of_day, int64_t due, int64_t period);

/* How long until a timer is due, as the standard tells it: 0 if it does not run. With the lock. */
int64_t posix_timer_left(const struct posix_timer *timer);

/* Begins to know of a timer. With the lock. */
void posix_timer_add(struct posix_timer *timer);

/* What a thread does that sends the signals of all timers (NULL), or calls the function of one. */
void *posix_timer_serve(void *timer);

extern struct posix_timer *posix_timers;

#endif
