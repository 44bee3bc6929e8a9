/* mq_notify: being told of a message that finds its queue empty. Locks are taken in this order: that of the descriptors, a
 * queue's, that of the events. */

#include <stdlib.h>

#include "../pthread/thread.h"
#include "../signal/event.h"
#include "queue.h"

/* What a thread waits for that is to call a function. It frees it. */
struct call {
    uint32_t state;
    void (*function)(union sigval);
    union sigval value;
};
enum { WAITS, CALLS, FORGOTTEN };

/* One for each descriptor. A signal that it has sent outlives what was asked for. */
struct queue_notification {
    struct posix_event event;
    int notify;
    struct call *call;
};
static struct queue_notification notifications[MQ_OPEN_MAX];

static struct queue_notification *of(const struct queue_descriptor *queue)
{
    return &notifications[queue - posix_queues];
}

static void *serve(void *argument)
{
    struct call *call = argument;
    uint32_t state;
    while ((state = riposte_word_load(&call->state)) == WAITS)
        riposte_word_wait(&call->state, WAITS);
    if (state == CALLS)
        posix_thread_call(call->function, call->value);
    free(call);
    return NULL;
}

static void end(struct queue_notification *it, uint32_t how)
{
    struct call *call = it->call;
    uint32_t woken;
    it->call = NULL;
    if (!call)
        return;
    riposte_word_store(&call->state, how);
    /* It may be gone: then nobody waits there. */
    riposte_futex_wake(&call->state, 1, &woken);
}

void posix_queue_notify(const struct queue_descriptor *queue)
{
    /* A handler may use the queue. */
    const uint64_t masked = posix_events_lock();
    struct queue_notification *it = queue->own->notification;
    queue->own->notification = NULL;
    if (it->notify == SIGEV_SIGNAL)
        posix_event_send(&it->event);
    end(it, CALLS);
    queue_unlock(queue);
    posix_events_unlock(masked);
}

void posix_queue_forget(struct queue_descriptor *queue)
{
    struct queue_notification *it = of(queue);
    if (!queue->own || queue_lock(queue))
        return;
    if (queue->own->notification == it) {
        queue->own->notification = NULL;
        end(it, FORGOTTEN);
    }
    queue_unlock(queue);
}

/* Prepares what a message is told by. */
static int prepare(struct queue_notification *it, const struct sigevent *how)
{
    int error = 0;
    const uint64_t masked = posix_events_lock();
    posix_event_remove(&it->event);
    it->event = (struct posix_event){.number = (uint32_t)how->sigev_signo, .code = SI_MESGQ, .value = how->sigev_value};
    it->notify = how->sigev_notify;
    if (it->notify == SIGEV_SIGNAL && !posix_has_signals())
        error = ENOSYS;
    else if (it->notify == SIGEV_SIGNAL)
        posix_event_add(&it->event);
    if (it->notify == SIGEV_THREAD) {
        struct call *call = malloc(sizeof *call);
        error = ENOMEM;
        if (call) {
            *call = (struct call){WAITS, how->sigev_notify_function, how->sigev_value};
            error = posix_thread_start(how->sigev_notify_attributes, serve, call);
        }
        if (error)
            free(call);
        else
            it->call = call;
    }
    posix_events_unlock(masked);
    return error;
}

int mq_notify(mqd_t descriptor, const struct sigevent *how)
{
    struct queue_descriptor *queue = queue_of(descriptor, QUEUE_MAY_RECEIVE | QUEUE_MAY_SEND);
    int error;
    if (!queue)
        return posix_fail(EBADF);
    if (how && !posix_is_notification(how))
        return posix_fail(EINVAL);
    /* Who has sent a message to a queue in a region can tell no other process. */
    if (!queue->own)
        return posix_fail(ENOTSUP);
    error = queue_lock(queue);
    if (error)
        return posix_fail(error);
    if (!how) {
        if (queue->own->notification)
            end(queue->own->notification, FORGOTTEN);
        queue->own->notification = NULL;
    } else if (queue->own->notification) {
        error = EBUSY;
    } else {
        error = prepare(of(queue), how);
        if (!error)
            queue->own->notification = of(queue);
    }
    queue_unlock(queue);
    return error ? posix_fail(error) : 0;
}
