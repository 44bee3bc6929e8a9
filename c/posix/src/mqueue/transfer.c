/* Sending to and receiving from message queues: a list in the order in which messages are received, and the last message
 * of each priority, so that no call takes longer because there are many messages. */

#include <string.h>

#include "queue.h"

/* What the quick ways are made of. */
#define QUICK static inline __attribute__((always_inline))

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
    state->room.woken = state->message.woken = 0;
    /* Whoever died may have come half way with telling. */
    posix_queue_look(state);
}

COLD void posix_queue_look(struct queue_state *state)
{
    uint32_t woken;
    riposte_futex_wake(&state->told.word, UINT32_MAX, &woken);
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

/* Wakes the most urgent thread that waits; whether there is one: who waits may have ended that, and not gone on yet. Of a
 * process's own queue what it waits for is set aside for it, so that nobody who comes later takes it. Who waits at one in a
 * region may die before it takes it, and has to be quick. */
static COLD bool wake(const struct queue_descriptor *queue, struct queue_event *event)
{
    uint32_t woken = 0;
    event->signals++;
    if (riposte_futex_wake(&event->signals, 1, &woken) == RIPOSTE_OK)
        *(queue->own ? &event->promised : &event->woken) += woken;
    return woken != 0;
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

/* What a wait that ended so is for the caller; 0 if it looks again. */
static int error_of(riposte_error_t waited)
{
    switch (waited) {
    case RIPOSTE_OK:
    case RIPOSTE_ERROR_WOULD_BLOCK:
        return 0;
    case RIPOSTE_ERROR_TIMED_OUT:
        return ETIMEDOUT;
    case RIPOSTE_ERROR_INTERRUPTED:
        return AGAIN(true) ? 0 : EINTR;
    default:
        /* The queue's memory is gone: who went on would not wait. */
        return EBADMSG;
    }
}

/* Waits for what the queue does not have. The lock is the caller's, and is so afterwards if there was no error. */
static COLD int wait(const struct queue_descriptor *queue, struct queue_event *event,
                     bool (*has)(const struct queue_descriptor *queue), const struct timespec *until)
{
    riposte_deadline_t deadline;
    int error = deadline_of(queue, until, &deadline);
    begin_wait();
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
        if (waited == RIPOSTE_OK && event->woken)
            event->woken--;
        error = error_of(waited);
    }
    if (error)
        queue_unlock(queue);
    return error;
}

/* Copies a message, four words at a time where it begins at one. Places do. */
static inline void copy(void *to, const void *from, size_t length, const void *of_program)
{
    typedef struct {
        uint32_t words[4];
    } __attribute__((may_alias)) block;
    if (LIKELY(((uintptr_t)of_program & 3) == 0)) {
        const block *next = from, *const end = next + length / sizeof(block);
        block *place = to;
        while (next != end) {
            *place++ = *next++;
            /* So that the compiler makes no call of it. */
            __asm__("" : "+r"(place), "+r"(next));
        }
        to = place;
        from = next;
        length %= sizeof(block);
    }
    if (!LIKELY(length == 0))
        memcpy(to, from, length);
}

/* Puts a message behind the last one that is received no later; false if what other processes left is no queue. */
QUICK bool put(const struct queue_descriptor *queue, const char *message, size_t length, unsigned priority)
{
    struct queue_state *state = queue->state;
    const uint32_t index = queue_read(state->free), above = queue_read(state->used) >> priority;
    struct queue_place *place = queue_place(queue, index);
    uint16_t *before = &state->first;
    if (index >= queue->most)
        return false;
    if (above) {
        const uint32_t last = queue_read(state->last[priority + (unsigned)__builtin_ctz(above)]);
        if (last >= queue->most)
            return false;
        before = &queue_place(queue, last)->next;
    }
    copy(place + 1, message, length, message);
    place->priority = (uint16_t)priority;
    place->length = length;
    state->free = place->next;
    place->next = *before;
    *before = (uint16_t)index;
    state->last[priority] = (uint16_t)index;
    state->used |= UINT32_C(1) << priority;
    return true;
}

/* Sends if there is nothing to wait for, and nobody to tell; else nothing has changed. */
QUICK bool send_now(mqd_t to, const char *message, size_t length, unsigned priority)
{
    const struct queue_descriptor *queue = queue_of(to, QUEUE_MAY_SEND);
    const uint32_t self = riposte_private_own_id();
    struct queue_state *state;
    bool is_sent;
    if (!LIKELY(queue && priority < MQ_PRIO_MAX && length <= queue->size))
        return false;
    state = queue->state;
    if (!LIKELY(riposte_private_word_take(&state->lock.word, self)))
        return false;
    is_sent = LIKELY(has_room(queue)) && LIKELY(state->message.waiting == 0)
        && !(state->count == 0 && state->told.word) && put(queue, message, length, priority);
    if (LIKELY(is_sent))
        state->count++;
    if (!LIKELY(riposte_private_word_change(&state->lock.word, self, 0)))
        riposte_private_mutex_hand_over(&state->lock);
    return is_sent;
}

/* Tells who asked for it that a message has come, and gives the queue's lock back. */
static COLD void tell(const struct queue_descriptor *queue)
{
    /* A process that never asked is not told. */
    if (posix_queue_notify) {
        posix_queue_notify(queue);
        return;
    }
    riposte_word_store(&queue->state->told.word, 0);
    posix_queue_look(queue->state);
    queue_unlock(queue);
}

static COLD int send(mqd_t to, const char *message, size_t length, unsigned priority, const struct timespec *until)
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
        /* Whoever was woken for what is no longer there finds nothing, or has died. */
        if (state->count == 0)
            state->message.woken = 0;
        /* Those that are promised are there for nobody else, nor are those that somebody was woken for. */
        const bool was_empty = state->count++ <= state->message.promised + state->message.woken;
        const bool is_awaited = !LIKELY(state->message.waiting == 0) && wake(queue, &state->message);
        if (!is_awaited && was_empty && state->told.word) {
            tell(queue);
            return 0;
        }
    } else {
        error = EBADMSG;
    }
    queue_unlock(queue);
    return error;
}

int mq_send(mqd_t queue, const char *message, size_t length, unsigned priority)
{
    int error;
    if (LIKELY(send_now(queue, message, length, priority)))
        return 0;
    error = send(queue, message, length, priority, NULL);
    return error ? posix_fail(error) : 0;
}

int mq_timedsend(mqd_t queue, const char *message, size_t length, unsigned priority, const struct timespec *until)
{
    int error;
    if (LIKELY(send_now(queue, message, length, priority)))
        return 0;
    error = send(queue, message, length, priority, until);
    return error ? posix_fail(error) : 0;
}

/* Takes the first message; -1 if what other processes left is no queue. */
QUICK ssize_t take(const struct queue_descriptor *queue, char *message, unsigned *priority)
{
    struct queue_state *state = queue->state;
    const uint32_t index = queue_read(state->first);
    struct queue_place *place = queue_place(queue, index);
    uint32_t length, level;
    if (index >= queue->most)
        return -1;
    length = queue_read(place->length);
    level = queue_read(place->priority);
    if (length > queue->size || level >= MQ_PRIO_MAX)
        return -1;
    copy(message, place + 1, length, message);
    if (priority)
        *priority = level;
    state->first = place->next;
    if (state->last[level] == index)
        state->used &= ~(UINT32_C(1) << level);
    place->next = state->free;
    state->free = (uint16_t)index;
    return (ssize_t)length;
}

/* Receives if there is nothing to wait for, and nobody to tell; else it is -1, and nothing has changed. */
QUICK ssize_t receive_now(mqd_t from, char *message, size_t size, unsigned *priority)
{
    const struct queue_descriptor *queue = queue_of(from, QUEUE_MAY_RECEIVE);
    const uint32_t self = riposte_private_own_id();
    struct queue_state *state;
    ssize_t length = -1;
    if (!LIKELY(queue && size >= queue->size))
        return -1;
    state = queue->state;
    if (!LIKELY(riposte_private_word_take(&state->lock.word, self)))
        return -1;
    if (LIKELY(has_message(queue)) && LIKELY(state->room.waiting == 0))
        length = take(queue, message, priority);
    if (LIKELY(length >= 0))
        state->count--;
    if (!LIKELY(riposte_private_word_change(&state->lock.word, self, 0)))
        riposte_private_mutex_hand_over(&state->lock);
    return length;
}

static COLD ssize_t receive(mqd_t from, char *message, size_t size, unsigned *priority, const struct timespec *until)
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
    const ssize_t length = receive_now(queue, message, size, priority);
    return LIKELY(length >= 0) ? length : receive(queue, message, size, priority, NULL);
}

ssize_t mq_timedreceive(mqd_t queue, char *restrict message, size_t size, unsigned *restrict priority,
                        const struct timespec *restrict until)
{
    const ssize_t length = receive_now(queue, message, size, priority);
    return LIKELY(length >= 0) ? length : receive(queue, message, size, priority, until);
}
