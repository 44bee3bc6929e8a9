/* Signals that a timer or a message queue sends to the process whose it is. */

#ifndef RIPOSTE_POSIX_EVENT_H
#define RIPOSTE_POSIX_EVENT_H

#include "signals.h"

/* Something that sends a signal. All fields are guarded by the lock of the events. */
struct posix_event {
    struct posix_event *next;
    uint32_t number;
    /* Of si_code, and of si_value. */
    int code;
    union sigval value;
    /* How many signals it has sent that nobody has taken; and whether one more is to be sent once there is room. */
    uint32_t sent;
    bool is_owed;
    /* Is told that a signal was taken, with the lock; or NULL. */
    void (*taken)(struct posix_event *event);
};

/* Takes the lock of the events, with all signals masked: no handler interrupts who has it. Returns what was masked. */
uint64_t posix_events_lock(void);
void posix_events_unlock(uint64_t masked);

/* Whether this asks for a notification that there is, by a signal that there is. */
bool posix_is_notification(const struct sigevent *how);

/* Begins or ends to know of an event; a signal that it has sent stays. With the lock. */
void posix_event_add(struct posix_event *event);
void posix_event_remove(struct posix_event *event);

/* Sends its signal; as soon as there is room, if as many signals with a value wait as can. With the lock. */
void posix_event_send(struct posix_event *event);

/* Sends the signals for which there was no room, as far as there is now; whether there are more. With the lock. */
bool posix_events_send_owed(void);

#endif
