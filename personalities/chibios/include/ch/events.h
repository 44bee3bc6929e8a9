/* Events: flags of a thread, and sources that set them in the threads that listen. Included by ch.h. */

#ifndef CH_EVENTS_H
#define CH_EVENTS_H

#define ALL_EVENTS ((eventmask_t)-1)
#define EVENT_MASK(event) ((eventmask_t)1 << (eventmask_t)(event))

struct ch_event_listener;

typedef struct ch_event_source {
    riposte_mutex_t lock;
    struct ch_event_listener *first;
} event_source_t;

/* What a thread listens for at one source. */
typedef struct ch_event_listener {
    struct ch_event_listener *next;
    thread_t *listener;
    eventmask_t events;  /* that the thread gets */
    eventflags_t flags;  /* that the source has set and the thread not taken */
    eventflags_t wflags; /* of which the thread is told */
} event_listener_t;

typedef void (*evhandler_t)(eventid_t event);

/* What a source begins as that is a part of something. */
#define _EVENTSOURCE_DATA(name) {RIPOSTE_MUTEX, NULL}
#define EVENTSOURCE_DECL(name) event_source_t name = _EVENTSOURCE_DATA(name)

/** Makes an event source, at which nobody listens.
 *
 * @param source Where it is to be. */
RIPOSTE_PRIVATE_INLINE void chEvtObjectInit(event_source_t *source)
{
    const riposte_mutex_t free = RIPOSTE_MUTEX;
    source->lock = free;
    source->first = NULL;
}

/** Sets events of a thread.
 *
 * @param thread The thread.
 * @param events The events.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void chEvtSignal(thread_t *thread, eventmask_t events)
{
    riposte_word_or(&thread->events, events);
    if (riposte_word_load(&thread->waits_for_events) != 0)
        ch_wake(&thread->events);
}
#define chEvtSignalI(thread, events) chEvtSignal((thread), (events))

/** Sets events of the calling thread.
 *
 * @param events The events.
 * @return What is set now. */
RIPOSTE_PRIVATE_INLINE eventmask_t chEvtAddEvents(eventmask_t events)
{
    return riposte_word_or(&chThdGetSelfX()->events, events) | events;
}

#define chEvtAddEventsI(events) chEvtAddEvents(events)

/** Tells which events of the calling thread are set.
 *
 * @return The events. */
RIPOSTE_PRIVATE_INLINE eventmask_t chEvtGetEventsX(void)
{
    return riposte_word_load(&chThdGetSelfX()->events);
}

/** Takes events of the calling thread.
 *
 * @param events Which.
 * @return Which of these were set. */
RIPOSTE_PRIVATE_INLINE eventmask_t chEvtGetAndClearEvents(eventmask_t events)
{
    return riposte_word_and(&chThdGetSelfX()->events, ~events) & events;
}

#define chEvtGetAndClearEventsI(events) chEvtGetAndClearEvents(events)

/* Waits until the thread's events are no longer `now`. */
RIPOSTE_PRIVATE_INLINE void ch_events_wait(thread_t *self, eventmask_t now)
{
    riposte_word_store(&self->waits_for_events, 1);
    ch_wait(&self->events, now);
    riposte_word_store(&self->waits_for_events, 0);
}

/** Waits until an event of several is set, and takes those of them that are.
 *
 * @param events The events.
 * @return Which were taken.
 * @blocks Until one is set.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE eventmask_t chEvtWaitAny(eventmask_t events)
{
    thread_t *self = chThdGetSelfX();
    eventmask_t now;
    while (now = riposte_word_load(&self->events), (now & events) == 0)
        ch_events_wait(self, now);
    return riposte_word_and(&self->events, ~events) & events;
}

/** Waits until an event of several is set, and takes the one with the lowest number.
 *
 * @param events The events.
 * @return Which was taken.
 * @blocks Until one is set. */
eventmask_t chEvtWaitOne(eventmask_t events);

/** Waits until several events are all set, and takes them.
 *
 * @param events The events.
 * @return The events.
 * @blocks Until they are set. */
eventmask_t chEvtWaitAll(eventmask_t events);

/** As chEvtWaitAny, but not for longer than a time.
 *
 * @param events The events.
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return Which were taken; 0 if the time was over. */
eventmask_t chEvtWaitAnyTimeout(eventmask_t events, sysinterval_t timeout);
/** As chEvtWaitOne, but not for longer than a time. */
eventmask_t chEvtWaitOneTimeout(eventmask_t events, sysinterval_t timeout);
/** As chEvtWaitAll, but not for longer than a time: then none is taken. */
eventmask_t chEvtWaitAllTimeout(eventmask_t events, sysinterval_t timeout);

/** Lets the calling thread listen at a source.
 *
 * @param source The source.
 * @param listener Where that is noted, until chEvtUnregister.
 * @param events What is set of the thread when the source broadcasts.
 * @param wanted Of which flags the thread is told. */
void chEvtRegisterMaskWithFlags(event_source_t *source, event_listener_t *listener, eventmask_t events,
                                eventflags_t wanted);
#define chEvtRegisterMaskWithFlagsI(source, listener, events, wanted)                                \
    chEvtRegisterMaskWithFlags((source), (listener), (events), (wanted))
#define chEvtRegisterMask(source, listener, events)                                                  \
    chEvtRegisterMaskWithFlags((source), (listener), (events), (eventflags_t)-1)
#define chEvtRegister(source, listener, event)                                                       \
    chEvtRegisterMask((source), (listener), EVENT_MASK(event))

/** Ends that.
 *
 * @param source The source.
 * @param listener What was given to chEvtRegister. */
void chEvtUnregister(event_source_t *source, event_listener_t *listener);

/** Tells whether somebody listens at a source. */
RIPOSTE_PRIVATE_INLINE bool chEvtIsListeningI(const event_source_t *source)
{
    return source->first != NULL;
}

/** Sets flags in all listeners of a source, and their events.
 *
 * @param source The source, which is not used any more once a listener runs.
 * @param flags The flags, or 0: then all listeners get their events.
 * @blocks While others change who listens; more urgent threads that are woken run once all are told, the most urgent
 * first: the caller has the highest priority of the process until then.
 * @from Any thread. */
void chEvtBroadcastFlags(event_source_t *source, eventflags_t flags);
#define chEvtBroadcastFlagsI(source, flags) chEvtBroadcastFlags((source), (flags))
#define chEvtBroadcast(source) chEvtBroadcastFlags((source), 0)
#define chEvtBroadcastI(source) chEvtBroadcast(source)

/** Takes a listener's flags.
 *
 * @param listener The listener.
 * @return Those of its flags that it wants. */
RIPOSTE_PRIVATE_INLINE eventflags_t chEvtGetAndClearFlags(event_listener_t *listener)
{
    return riposte_word_swap(&listener->flags, 0) & listener->wflags;
}
#define chEvtGetAndClearFlagsI(listener) chEvtGetAndClearFlags(listener)

/** Calls the handlers of events.
 *
 * @param handlers A handler for each event, by its number.
 * @param events The events. */
void chEvtDispatch(const evhandler_t *handlers, eventmask_t events);

#endif
