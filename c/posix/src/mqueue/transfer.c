/* Sending to and receiving from message queues: a list in the order in which messages are received, and the last message
 * of each priority, so that no call takes longer because there are many messages. */

#include <string.h>

#include "queue.h"

COLD void posix_queue_clear(const struct queue_descriptor *queue)
{
    struct queue_state *state = queue->state;
    uint32_t index;
    for (index = 0; index < queue->most; index++)
        queue_place(queue, index)->next = (uint16_t)(index + 1);
    queue_place(queue, queue->most - 1)->next = QUEUE_NONE;
    state->free = 0;
    state->first = QUEUE_NONE;
    state->used = 0;
    state->count = 0;
}

COLD int posix_queue_lock_wait(const struct queue_descriptor *queue)
{
    riposte_mutex_t *lock = &queue->state->lock;
    const riposte_error_t error = riposte_mutex_lock(lock);
    if (error != RIPOSTE_OK)
        return error == RIPOSTE_ERROR_DEADLOCK ? EDEADLK : EBADMSG;
    if (riposte_mutex_owner_died(lock)) {
        /* A process that shares the queue ended in the middle of a change. */
        posix_queue_clear(queue);
        riposte_mutex_repaired(lock);
    }
    return 0;
}

/* Wakes the most urgent thread that waits. Of a process's own queue what it waits for is set aside for it, so that
 * nobody who comes later takes it. Who waits at one in a region may die before it takes it, and has to be quick. */
static COLD void wake(const struct queue_descriptor *queue, struct queue_event *event)
{
    uint32_t woken = 0;
    event->signals++;
    if (riposte_futex_wake(&event->signals, 1, &woken) == RIPOSTE_OK && queue->own)
        event->promised += woken;
}

/* How long a call may wait: for ever if `until` is NULL. An error if it may not, or that is no time. */
static int deadline_of(const struct queue_descriptor *queue, const struct timespec *until, riposte_deadline_t *deadline)
{
    if (queue->nonblocking)
        return EAGAIN;
    *deadline = RIPOSTE_FOREVER;
    return !until || posix_deadline(CLOCK_REALTIME, until, deadline) ? 0 : EINVAL;
}

static bool has_room(const struct queue_descriptor *queue)
{
    return queue->state->count + queue->state->room.promised < queue->most;
}

static bool has_message(const struct queue_descriptor *queue)
{
    return queue->state->count > queue->state->message.promised;
}

/* Waits for what the queue does not have. The lock is the caller's, and is so afterwards if there was no error. */
static COLD int wait(const struct queue_descriptor *queue, struct queue_event *event,
                     bool (*has)(const struct queue_descriptor *queue), const struct timespec *until)
{
    riposte_deadline_t deadline;
    int error = deadline_of(queue, until, &deadline);
    while (!error && !has(queue)) {
        const uint32_t seen = event->signals;
        riposte_error_t waited;
        event->waiting++;
        queue_unlock(queue);
        waited = riposte_futex_wait_until(&event->signals, seen, deadline);
        error = queue_lock(queue);
        if (error)
            return error;
        event->waiting--;
        if (waited == RIPOSTE_OK && queue->own) {
            event->promised--;
            return 0;
        }
        if (waited == RIPOSTE_ERROR_TIMED_OUT)
            error = ETIMEDOUT;
        else if (waited == RIPOSTE_ERROR_INTERRUPTED)
            error = EINTR;
        else if (waited == RIPOSTE_ERROR_BAD_ADDRESS)
            error = EBADMSG;
    }
    if (error)
        queue_unlock(queue);
    return error;
}

/* Puts a message behind the last one that is received no later; false if what other processes left is no queue. */
static inline bool put(const struct queue_descriptor *queue, const char *message, size_t length, unsigned priority)
{
    struct queue_state *state = queue->state;
    const uint32_t index = QUEUE_READ(state->free), above = state->used >> priority;
    struct queue_place *place = queue_place(queue, index);
    uint16_t *before = &state->first;
    if (index >= queue->most)
        return false;
    if (above) {
        const uint32_t last = QUEUE_READ(state->last[priority + (unsigned)__builtin_ctz(above)]);
        if (last >= queue->most)
            return false;
        before = &queue_place(queue, last)->next;
    }
    memcpy(place + 1, message, length);
    place->priority = (uint16_t)priority;
    place->length = length;
    state->free = place->next;
    place->next = *before;
    *before = (uint16_t)index;
    state->last[priority] = (uint16_t)index;
    state->used |= UINT32_C(1) << priority;
    return true;
}

static inline int send(mqd_t to, const char *message, size_t length, unsigned priority, const struct timespec *until)
{
    const struct queue_descriptor *queue = queue_of(to, QUEUE_MAY_SEND);
    struct queue_state *state;
    int error;
    if (!LIKELY(queue))
        return EBADF;
    if (!LIKELY(priority < MQ_PRIO_MAX))
        return EINVAL;
    if (!LIKELY(length <= queue->size))
        return EMSGSIZE;
    error = queue_lock(queue);
    if (!LIKELY(!error))
        return error;
    state = queue->state;
    if (!LIKELY(has_room(queue))) {
        error = wait(queue, &state->room, has_room, until);
        if (error)
            return error;
    }
    if (LIKELY(put(queue, message, length, priority))) {
        const uint32_t before = state->count++;
        if (!LIKELY(state->message.waiting == 0))
            wake(queue, &state->message);
        else if (before == 0 && queue->own && queue->own->notification)
            posix_queue_notify(queue->own);
    } else {
        error = EBADMSG;
    }
    queue_unlock(queue);
    return error;
}

int mq_send(mqd_t queue, const char *message, size_t length, unsigned priority)
{
    const int error = send(queue, message, length, priority, NULL);
    return LIKELY(!error) ? 0 : posix_fail(error);
}

int mq_timedsend(mqd_t queue, const char *message, size_t length, unsigned priority, const struct timespec *until)
{
    const int error = send(queue, message, length, priority, until);
    return LIKELY(!error) ? 0 : posix_fail(error);
}

/* Takes the first message; -1 if what other processes left is no queue. */
static inline ssize_t take(const struct queue_descriptor *queue, char *message, unsigned *priority)
{
    struct queue_state *state = queue->state;
    const uint32_t index = QUEUE_READ(state->first);
    struct queue_place *place = queue_place(queue, index);
    uint32_t length, level;
    if (index >= queue->most)
        return -1;
    length = QUEUE_READ(place->length);
    level = QUEUE_READ(place->priority);
    if (length > queue->size || level >= MQ_PRIO_MAX)
        return -1;
    memcpy(message, place + 1, length);
    if (priority)
        *priority = level;
    state->first = place->next;
    if (state->last[level] == index)
        state->used &= ~(UINT32_C(1) << level);
    place->next = state->free;
    state->free = (uint16_t)index;
    return (ssize_t)length;
}

static inline ssize_t receive(mqd_t from, char *message, size_t size, unsigned *priority, const struct timespec *until)
{
    const struct queue_descriptor *queue = queue_of(from, QUEUE_MAY_RECEIVE);
    struct queue_state *state;
    ssize_t length;
    int error;
    if (!LIKELY(queue))
        return posix_fail(EBADF);
    if (!LIKELY(size >= queue->size))
        return posix_fail(EMSGSIZE);
    error = queue_lock(queue);
    if (!LIKELY(!error))
        return posix_fail(error);
    state = queue->state;
    if (!LIKELY(has_message(queue))) {
        error = wait(queue, &state->message, has_message, until);
        if (error)
            return posix_fail(error);
    }
    length = take(queue, message, priority);
    if (LIKELY(length >= 0)) {
        state->count--;
        if (!LIKELY(state->room.waiting == 0))
            wake(queue, &state->room);
    }
    queue_unlock(queue);
    return LIKELY(length >= 0) ? length : posix_fail(EBADMSG);
}

ssize_t mq_receive(mqd_t queue, char *message, size_t size, unsigned *priority)
{
    return receive(queue, message, size, priority, NULL);
}

ssize_t mq_timedreceive(mqd_t queue, char *restrict message, size_t size, unsigned *restrict priority,
                        const struct timespec *restrict until)
{
    return receive(queue, message, size, priority, until);
}
