/* mq_notify: being told of a message that finds its queue empty. Locks are taken in this order: that of the descriptors, a
 * queue's, that of the events. With the last one that of the heap is not taken, whose owner a handler may interrupt.
 *
 * Of a process's own queue, who sends the message sends the signal, too, or has a thread call the function. Of one in a
 * region it may be another process, which can do neither: there a thread of the process that asked waits until the queue
 * no longer says that this thread is told. Whoever else may write there may let it tell too early, or of nothing. */

#include <stdlib.h>

#include "../pthread/thread.h"
#include "../signal/event.h"
#include "queue.h"

/* What a thread that tells waits for, and does then. It frees it. */
struct call {
    /* It waits while this word holds this value, and nobody has thought better of it. */
    const uint32_t *word;
    uint32_t value;
    uint32_t state;
    /* Of a queue in a region: what it is for, unless that has another thread since. */
    struct queue_notification *notification;
    /* What it calls, or NULL. */
    void (*function)(union sigval);
    union sigval argument;
};
enum { WAITS = 1, CALLS, FORGOTTEN };

/* One for each descriptor. A signal that it has sent outlives what was asked for, and so does its event. */
struct queue_notification {
    struct posix_event event;
    int notify;
    /* At which queue it was asked for, until that was told. */
    struct queue_state *state;
    /* The thread for it, if there is one; of a queue in a region, until that has seen that what was asked for is over. */
    struct call *call;
};
static struct queue_notification notifications[MQ_OPEN_MAX];

/* What was told by a descriptor that another signal was asked for by since, and which nobody has taken yet. */
struct past {
    struct past *next;
    struct posix_event event;
};
static struct past *past;

static struct queue_notification *of(const struct queue_descriptor *queue)
{
    return &notifications[queue - posix_queues];
}

static void send_signal(struct queue_notification *it)
{
    if (it->notify != SIGEV_SIGNAL)
        return;
    posix_event_send(&it->event);
    /* The thread of the timers tries it again. */
    if (it->event.is_owed && posix_timers_look)
        posix_timers_look();
}

/* What was asked for is over. */
static void leave(struct queue_notification *it)
{
    if (it->call)
        it->call->notification = NULL;
    it->call = NULL;
    it->state = NULL;
}

static void *serve(void *argument)
{
    struct call *call = argument;
    void (*function)(union sigval);
    union sigval value;
    bool tells;
    /* Behind whoever asks; and whoever asks again may have this thread again until it has the lock. */
    uint64_t masked = posix_events_lock();
    while (riposte_word_load(&call->state) == WAITS && riposte_word_load(call->word) == call->value) {
        posix_events_unlock(masked);
        riposte_word_wait(call->word, call->value);
        masked = posix_events_lock();
    }
    tells = call->state != FORGOTTEN;
    if (call->notification) {
        if (call->notification->state)
            send_signal(call->notification);
        leave(call->notification);
    }
    posix_events_unlock(masked);
    function = tells ? call->function : NULL;
    value = call->argument;
    /* The function may end the thread. */
    free(call);
    if (function)
        posix_thread_call(function, value);
    return NULL;
}

/* Ends what was asked for at a process's own queue, whose lock is the caller's. */
static void end(struct queue_notification *it, uint32_t how)
{
    struct call *call = it->call;
    uint32_t woken;
    it->state->told.word = 0;
    leave(it);
    if (!call)
        return;
    riposte_word_store(&call->state, how);
    /* It may be gone: then nobody waits there. */
    riposte_futex_wake(&call->state, 1, &woken);
}

/* Ends what was asked for at a queue in a region, unless that was told meanwhile: then its thread tells. With the lock of
 * the events. */
static void forget(struct queue_notification *it)
{
    struct queue_state *state = it->state;
    uint32_t thread;
    if (!state)
        return;
    thread = it->call->value;
    if (riposte_word_compare_exchange(&state->told.word, &thread, 0)) {
        riposte_word_store(&it->call->state, FORGOTTEN);
        it->state = NULL;
    }
    posix_queue_look(state);
}

void posix_queue_notify(const struct queue_descriptor *queue)
{
    /* A handler may use the queue. */
    const uint64_t masked = posix_events_lock();
    struct queue_notification *it = notifications;
    if (queue->own) {
        while (it->state != queue->state)
            it++;
        send_signal(it);
        end(it, CALLS);
    } else {
        riposte_word_store(&queue->state->told.word, 0);
        posix_queue_look(queue->state);
    }
    queue_unlock(queue);
    posix_events_unlock(masked);
}

void posix_queue_forget(struct queue_descriptor *queue)
{
    struct queue_notification *it = of(queue);
    if (!queue->own) {
        /* Whoever has the queue's lock does not keep the caller. */
        const uint64_t masked = posix_events_lock();
        forget(it);
        posix_events_unlock(masked);
    } else if (!queue_lock(queue)) {
        if (it->state == queue->state)
            end(it, FORGOTTEN);
        queue_unlock(queue);
    }
}

/* The process is to be told no more, whatever descriptor it asked by. */
static void forget_all(const struct queue_descriptor *queue)
{
    const uint64_t masked = posix_events_lock();
    struct queue_notification *it;
    for (it = notifications; it < notifications + MQ_OPEN_MAX; it++)
        if (it->state == queue->state && queue->own)
            end(it, FORGOTTEN);
        else if (it->state == queue->state)
            forget(it);
    posix_events_unlock(masked);
}

/* Whether nobody is told: in a region, nobody who lives. */
static int claim(const struct queue_descriptor *queue)
{
    riposte_mutex_t *told = &queue->state->told;
    if (riposte_word_load(&told->word) == 0)
        return 0;
    if (queue->own)
        return EBUSY;
    switch (riposte_mutex_try_lock(told)) {
    case RIPOSTE_OK:
        return 0;
    case RIPOSTE_ERROR_WOULD_BLOCK:
        return EBUSY;
    default:
        return EBADMSG;
    }
}

/* What may be needed, if there is memory for it. */
struct spare {
    struct call *call;
    struct past *past;
};

/* Starts the thread that what is asked for needs, if any, which waits for the lock of the events. With that. */
static int start(const struct queue_descriptor *queue, const struct sigevent *how, struct spare *spare,
                 struct call **started)
{
    const pthread_attr_t urgent = posix_signaller(), *attr = &urgent;
    struct call *call = spare->call;
    uint32_t thread;
    int error;
    *started = NULL;
    if (how->sigev_notify != SIGEV_THREAD && queue->own)
        return 0;
    if (!call)
        return ENOMEM;
    *call = (struct call){.word = &call->state, .value = WAITS, .state = WAITS};
    if (how->sigev_notify == SIGEV_THREAD) {
        attr = how->sigev_notify_attributes;
        call->function = how->sigev_notify_function;
        call->argument = how->sigev_value;
    }
    error = posix_thread_start(attr, serve, call, &thread);
    if (error)
        return error;
    if (!queue->own) {
        call->word = &queue->state->told.word;
        call->value = thread;
    }
    spare->call = NULL;
    *started = call;
    return 0;
}

/* Whether the thread of what is over can be that of this: as urgent, at the same queue, and with nothing to call. */
static bool is_fit(const struct call *call, const struct queue_descriptor *queue, const struct sigevent *how)
{
    return call && call->word == &queue->state->told.word && !call->function && how->sigev_notify != SIGEV_THREAD;
}

static bool is_over(const struct posix_event *event)
{
    return event->sent == 0 && !event->is_owed;
}

/* Lets an event be this signal, and keeps what nobody has taken of another one. ENOMEM if there is no memory for that. With
 * the lock of the events. */
static int change(struct posix_event *event, const struct sigevent *how, struct spare *spare)
{
    struct past *kept = past;
    const uint32_t number = (uint32_t)how->sigev_signo;
    if (event->number == number && event->value.sival_int == how->sigev_value.sival_int)
        return 0;
    if (!is_over(event)) {
        while (kept && !is_over(&kept->event))
            kept = kept->next;
        if (!kept) {
            kept = spare->past;
            if (!kept)
                return ENOMEM;
            spare->past = NULL;
            kept->next = past;
            past = kept;
        } else {
            posix_event_remove(&kept->event);
        }
        kept->event = *event;
        posix_event_add(&kept->event);
    }
    posix_event_remove(event);
    *event = (struct posix_event){.number = number, .code = SI_MESGQ, .value = how->sigev_value};
    posix_event_add(event);
    return 0;
}

/* Lets a descriptor be what a message is told by. With the lock of the events. */
static int ask(const struct queue_descriptor *queue, const struct sigevent *how, struct spare *spare)
{
    struct queue_notification *it = of(queue);
    struct call *call = it->call;
    const bool has_thread = is_fit(call, queue, how);
    int error = 0;
    if (how->sigev_notify == SIGEV_SIGNAL && !posix_has_signals())
        return ENOSYS;
    if (it->state) {
        /* It was told at a queue in a region, and its thread has not come to that yet. */
        send_signal(it);
        posix_queue_look(it->state);
        it->state = NULL;
    }
    if (how->sigev_notify == SIGEV_SIGNAL)
        error = change(&it->event, how, spare);
    if (!error && !has_thread)
        error = start(queue, how, spare, &call);
    if (error)
        return error;
    if (!has_thread)
        leave(it);
    it->notify = how->sigev_notify;
    it->state = queue->state;
    it->call = call;
    if (!queue->own) {
        call->notification = it;
        riposte_word_store(&call->state, WAITS);
    }
    riposte_word_store(&queue->state->told.word, call ? call->value : WAITS);
    return 0;
}

/* With the queue's lock, which it gives back. */
static int ask_if_free(const struct queue_descriptor *queue, const struct sigevent *how, struct spare *spare)
{
    int error = claim(queue);
    if (!error) {
        const uint64_t masked = posix_events_lock();
        error = ask(queue, how, spare);
        if (error)
            riposte_word_store(&queue->state->told.word, 0);
        /* A handler may use the queue. */
        queue_unlock(queue);
        posix_events_unlock(masked);
    } else {
        queue_unlock(queue);
    }
    return error;
}

int mq_notify(mqd_t descriptor, const struct sigevent *how)
{
    struct queue_descriptor *queue = queue_of(descriptor);
    struct spare spare = {NULL, NULL};
    int error;
    if (!queue)
        return posix_fail(EBADF);
    if (how && !posix_is_notification(how))
        return posix_fail(EINVAL);
    if (how)
        spare = (struct spare){malloc(sizeof *spare.call), malloc(sizeof *spare.past)};
    error = queue_lock(queue);
    if (!error && how) {
        error = ask_if_free(queue, how, &spare);
    } else if (!error) {
        forget_all(queue);
        queue_unlock(queue);
    }
    free(spare.call);
    free(spare.past);
    return error ? posix_fail(error) : 0;
}
