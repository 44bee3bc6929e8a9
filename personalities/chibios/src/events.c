/* What is not inline of events. */

#include <ch.h>

#include "priority.h"

/* Which events of several a call takes, of those that are set; whether it waits no longer. */
typedef bool (*choice_t)(eventmask_t wanted, eventmask_t set, eventmask_t *taken);

static bool any(eventmask_t wanted, eventmask_t set, eventmask_t *taken)
{
    *taken = wanted & set;
    return *taken != 0;
}

static bool one(eventmask_t wanted, eventmask_t set, eventmask_t *taken)
{
    const eventmask_t both = wanted & set;
    *taken = both & -both;
    return both != 0;
}

static bool all(eventmask_t wanted, eventmask_t set, eventmask_t *taken)
{
    *taken = wanted;
    return (set & wanted) == wanted;
}

static eventmask_t wait_until(choice_t choice, eventmask_t events, riposte_deadline_t deadline)
{
    thread_t *self = chThdGetSelfX();
    for (;;) {
        const eventmask_t now = riposte_word_load(&self->events);
        eventmask_t taken;
        riposte_error_t error;
        if (choice(events, now, &taken)) {
            riposte_word_and(&self->events, ~taken);
            return taken;
        }
        if (deadline == RIPOSTE_IMMEDIATE)
            return 0;
        riposte_word_store(&self->waits_for_events, 1);
        error = ch_wait_until(&self->events, now, deadline);
        riposte_word_store(&self->waits_for_events, 0);
        if (error == RIPOSTE_ERROR_TIMED_OUT && riposte_word_load(&self->events) == now)
            return 0;
    }
}

eventmask_t chEvtWaitOne(eventmask_t events)
{
    return wait_until(one, events, RIPOSTE_FOREVER);
}

eventmask_t chEvtWaitAll(eventmask_t events)
{
    return wait_until(all, events, RIPOSTE_FOREVER);
}

eventmask_t chEvtWaitAnyTimeout(eventmask_t events, sysinterval_t timeout)
{
    return wait_until(any, events, ch_deadline(timeout));
}

eventmask_t chEvtWaitOneTimeout(eventmask_t events, sysinterval_t timeout)
{
    return wait_until(one, events, ch_deadline(timeout));
}

eventmask_t chEvtWaitAllTimeout(eventmask_t events, sysinterval_t timeout)
{
    return wait_until(all, events, ch_deadline(timeout));
}

void chEvtRegisterMaskWithFlags(event_source_t *source, event_listener_t *listener, eventmask_t events,
                                eventflags_t wanted)
{
    listener->listener = chThdGetSelfX();
    listener->events = events;
    listener->flags = 0;
    listener->wflags = wanted;
    ch_lock(&source->lock);
    listener->next = source->first;
    source->first = listener;
    ch_unlock(&source->lock);
}

void chEvtUnregister(event_source_t *source, event_listener_t *listener)
{
    event_listener_t **link;
    ch_lock(&source->lock);
    for (link = &source->first; *link != NULL; link = &(*link)->next) {
        if (*link == listener) {
            *link = listener->next;
            break;
        }
    }
    ch_unlock(&source->lock);
}

void chEvtBroadcastFlags(event_source_t *source, eventflags_t flags)
{
    event_listener_t *listener;
    /* Until all are told, none of them runs: one that does may end the source, and a more urgent one may come behind it. */
    const uint32_t before = ch_priority_raise();
    ch_lock(&source->lock);
    for (listener = source->first; listener != NULL; listener = listener->next) {
        riposte_word_or(&listener->flags, flags);
        if (flags == 0 || (flags & listener->wflags) != 0)
            chEvtSignal(listener->listener, listener->events);
    }
    ch_unlock(&source->lock);
    ch_priority_restore(before);
}

void chEvtDispatch(const evhandler_t *handlers, eventmask_t events)
{
    for (eventid_t event = 0; events != 0; event++, events >>= 1)
        if ((events & 1) != 0)
            handlers[event](event);
}
