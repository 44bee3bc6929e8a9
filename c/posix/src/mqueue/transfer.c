/* Sending to and receiving from message queues: a list in the order in which messages are received, and the last message
 * of each priority, so that no call takes longer because there are many messages. */

#include <string.h>

#include "queue.h"

/* What the quick ways are made of. */
#define QUICK static inline __attribute__((always_inline))

/* Says at one place whether anybody waits. */
static void count(struct queue_state *state)
{
    state->waiting = state->room.waiting + state->message.waiting;
}

/* Wakes so many threads that wait at most, the most urgent first; whether there is one: who waits may have ended that, and
 * not gone on yet, or have died. Of a process's own queue what it waits for is set aside for it, so that nobody who comes
 * later takes it. Who waits at one in a region may die before it takes it, and has to be quick. */
static COLD bool wake(const struct queue_descriptor *queue, struct queue_event *event, uint32_t most)
{
    uint32_t woken = 0;
    event->signals++;
    /* So that it stays behind, however many they become. */
    if ((int32_t)(event->signals - event->since) < 0)
        event->since++;
    riposte_futex_wake(&event->signals, most, &woken);
    event->chosen += woken;
    if (woken == 0 && !queue->own) {
        /* Who lives and counts is on the way to wait, or back: it has seen fewer wake-ups, and looks again. */
        event->waiting = 0;
        event->since = event->signals;
        count(queue->state);
    }
    return woken != 0;
}

COLD void posix_queue_clear(const struct queue_descriptor *queue)
{
    struct queue_state *state = queue->state;
    const uint32_t stride = queue_stride(queue->size);
    uint32_t at = (uint32_t)sizeof *state / 4;
    state->free = at;
    for (; at < queue->end; at += stride)
        queue_place(state, at)->next = at + stride;
    queue_place(state, at)->next = QUEUE_NONE;
    state->first = QUEUE_NONE;
    state->count = 0;
    if (!queue->own) {
        state->message.chosen = 0;
        if (state->room.waiting)
            wake(queue, &state->room, UINT32_MAX);
    }
    /* Whoever died may have come half way with counting, or with telling. */
    count(state);
    posix_queue_look(state);
}

COLD void posix_queue_look(struct queue_state *state)
{
    uint32_t woken;
    riposte_futex_wake(&state->told.word, UINT32_MAX, &woken);
}

COLD int posix_queue_lock_until(const struct queue_descriptor *queue, riposte_deadline_t deadline)
{
    riposte_mutex_t *lock = &queue->state->lock;
    switch (riposte_mutex_lock_until(lock, deadline)) {
    case RIPOSTE_OK:
        break;
    case RIPOSTE_ERROR_DEADLOCK:
        return EDEADLK;
    case RIPOSTE_ERROR_TIMED_OUT:
        return queue->nonblocking ? EAGAIN : ETIMEDOUT;
    default:
        return EBADMSG;
    }
    if (riposte_mutex_owner_died(lock)) {
        /* A process that shares the queue ended in the middle of a change. */
        posix_queue_clear(queue);
        riposte_mutex_repaired(lock);
    }
    return 0;
}

COLD riposte_deadline_t posix_queue_copied(void)
{
    static const struct timespec copy = {0, 10 * 1000 * 1000};
    riposte_deadline_t deadline = RIPOSTE_FOREVER;
    posix_deadline_in(&copy, &deadline);
    return deadline;
}

/* Takes a queue's lock on behalf of a call that waits until then. Another process may keep that of one in a region: whoever has
 * a deadline, or does not wait, gives it time for a copy, and no more. */
static COLD int lock(const struct queue_descriptor *queue, const struct timespec *until)
{
    riposte_deadline_t least = RIPOSTE_FOREVER, deadline;
    if (LIKELY(riposte_private_mutex_take(&queue->state->lock)))
        return 0;
    if (!queue->own && (until || queue->nonblocking)) {
        least = posix_queue_copied();
        if (!queue->nonblocking && posix_deadline(CLOCK_REALTIME, until, &deadline) && deadline > least)
            least = deadline;
    }
    return posix_queue_lock_until(queue, least);
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
    const uint32_t set_aside = queue->own ? queue->state->room.chosen : 0;
    return queue->state->count + set_aside < queue->most;
}

static bool has_message(const struct queue_descriptor *queue)
{
    const uint32_t set_aside = queue->own ? queue->state->message.chosen : 0;
    return queue->state->count > set_aside;
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

/* Waits for what the queue does not have. The lock is the caller's, and is so afterwards if there was no error; then the
 * caller is one of the descriptor's users, which it is until it has given the lock back. */
static COLD int wait(struct queue_descriptor *queue, struct queue_event *event,
                     bool (*has)(const struct queue_descriptor *queue), const struct timespec *until)
{
    riposte_deadline_t deadline;
    int error = deadline_of(queue, until, &deadline);
    riposte_word_add(&queue->users, 1);
    begin_wait();
    while (!error && !has(queue)) {
        const uint32_t seen = event->signals;
        riposte_error_t waited;
        uint32_t woken;
        event->waiting++;
        count(queue->state);
        queue_unlock(queue);
        waited = riposte_futex_wait_until(&event->signals, seen, deadline);
        error = lock(queue, until);
        if (error) {
            /* What it was woken for is there for the next one. */
            if (waited == RIPOSTE_OK)
                riposte_futex_wake(&event->signals, 1, &woken);
            riposte_word_add(&queue->users, UINT32_MAX);
            return error;
        }
        if ((int32_t)(seen - event->since) >= 0)
            event->waiting--;
        count(queue->state);
        if (waited == RIPOSTE_OK && event->chosen) {
            event->chosen--;
            if (queue->own)
                break;
        }
        error = error_of(waited);
    }
    if (error) {
        queue_unlock(queue);
        riposte_word_add(&queue->users, UINT32_MAX);
    }
    return error;
}

/* Copies a message, four words at a time where it begins at one. Places do. */
QUICK void copy(void *to, const void *from, size_t length, const void *of_program)
{
    typedef struct {
        uint32_t words[4];
    } __attribute__((may_alias)) block;
    if (LIKELY(((uintptr_t)of_program & 3) == 0))
        while (LIKELY(length >= sizeof(block))) {
            *(block *)to = *(const block *)from;
            length -= sizeof(block);
            if (LIKELY(length == 0))
                return;
            to = (block *)to + 1;
            from = (const block *)from + 1;
        }
    memcpy(to, from, length);
}

/* What a place says of its message. */
QUICK uint32_t head_of(size_t length, unsigned priority)
{
    return length * MQ_PRIO_MAX + priority;
}

/* Puts a message behind the last one that is received no later; false if there is no place, or what other processes left is
 * no queue. */
QUICK bool put(const struct queue_descriptor *queue, struct queue_state *state, const char *message, size_t length,
               unsigned priority)
{
    const uint32_t at = queue_read(state->free), first = queue_read(state->first), end = queue->end;
    uint32_t *before = &state->first, used = 0;
    struct queue_place *place;
    if (!LIKELY(at <= end))
        return false;
    if (first <= end) {
        const uint32_t level = queue_place(state, first)->head % MQ_PRIO_MAX;
        used = queue_read(state->used) & UINT32_MAX >> (MQ_PRIO_MAX - 1 - level);
        if (used >> priority) {
            const uint32_t last = queue_read(state->last[priority + (unsigned)__builtin_ctz(used >> priority)]);
            if (!LIKELY(last <= end))
                return false;
            before = &queue_place(state, last)->next;
        }
    }
    state->used = used | UINT32_C(1) << priority;
    state->last[priority] = at;
    state->count++;
    place = queue_place(state, at);
    state->free = place->next;
    place->next = *before;
    *before = at;
    place->head = head_of(length, priority);
    copy(place + 1, message, length, message);
    return true;
}

/* What became of a quick way: it is done, not even begun, or the queue's lock is the caller's and nothing has changed. */
enum { DONE = 0, NOT_BEGUN = -1, LOCKED = -2 };

/* Sends if there is nothing to wait for, and nobody to tell. */
QUICK int send_now(mqd_t to, const char *message, size_t length, unsigned priority)
{
    const uint32_t self = riposte_private_own_id();
    const struct queue_descriptor *queue;
    struct queue_state *state;
    if (!LIKELY((uint32_t)to < MQ_OPEN_MAX))
        return NOT_BEGUN;
    queue = queue_at(to);
    if (!LIKELY(priority < MQ_PRIO_MAX && length < queue->sends))
        return NOT_BEGUN;
    state = queue->state;
    if (!LIKELY(riposte_private_word_take(&state->lock.word, self)))
        return NOT_BEGUN;
    if (!LIKELY((state->waiting | state->told.word) == 0) || !LIKELY(put(queue, state, message, length, priority)))
        return LOCKED;
    if (!LIKELY(riposte_private_word_change(&state->lock.word, self, 0)))
        riposte_private_mutex_hand_over(&state->lock);
    return DONE;
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

/* Sends what has this head: no more arguments than registers take, so that the quick ways need no stack for them. The
 * queue's lock is the caller's, and no longer afterwards. */
static COLD int send_locked(mqd_t to, const char *message, uint32_t head, const struct timespec *until)
{
    struct queue_descriptor *queue = queue_at(to);
    struct queue_state *state = queue->state;
    const bool waits = !LIKELY(has_room(queue));
    bool was_empty, is_sent;
    int error;
    if (waits) {
        error = wait(queue, &state->room, has_room, until);
        if (error)
            return posix_fail(error);
    }
    /* Whoever was woken for what is no longer there finds nothing, or has died. */
    if (state->count == 0 && !queue->own)
        state->message.chosen = 0;
    /* Those that are promised are there for nobody else, nor are those that somebody was woken for. */
    was_empty = state->count <= state->message.chosen;
    is_sent = put(queue, state, message, head / MQ_PRIO_MAX, head % MQ_PRIO_MAX);
    if (LIKELY(is_sent) && (state->message.waiting == 0 || !wake(queue, &state->message, 1)) && was_empty && state->told.word)
        tell(queue);
    else
        queue_unlock(queue);
    if (waits)
        riposte_word_add(&queue->users, UINT32_MAX);
    return LIKELY(is_sent) ? 0 : posix_fail(EBADMSG);
}

static COLD int send(mqd_t to, const char *message, size_t length, unsigned priority, const struct timespec *until)
{
    const struct queue_descriptor *queue = queue_of(to);
    int error;
    if (!LIKELY(queue && queue->sends))
        return posix_fail(EBADF);
    if (!LIKELY(priority < MQ_PRIO_MAX))
        return posix_fail(EINVAL);
    if (!LIKELY(length < queue->sends))
        return posix_fail(EMSGSIZE);
    error = lock(queue, until);
    return LIKELY(!error) ? send_locked(to, message, head_of(length, priority), until) : posix_fail(error);
}

static COLD int send_ever(mqd_t to, const char *message, size_t length, unsigned priority)
{
    return send(to, message, length, priority, NULL);
}

int mq_send(mqd_t queue, const char *message, size_t length, unsigned priority)
{
    const int became = send_now(queue, message, length, priority);
    if (LIKELY(became == DONE))
        return 0;
    return became == LOCKED ? send_locked(queue, message, head_of(length, priority), NULL)
                            : send_ever(queue, message, length, priority);
}

int mq_timedsend(mqd_t queue, const char *message, size_t length, unsigned priority, const struct timespec *until)
{
    const int became = send_now(queue, message, length, priority);
    if (LIKELY(became == DONE))
        return 0;
    return became == LOCKED ? send_locked(queue, message, head_of(length, priority), until)
                            : send(queue, message, length, priority, until);
}

/* Takes the first message; -1 if there is none, or what other processes left is no queue. */
QUICK ssize_t take(const struct queue_descriptor *queue, struct queue_state *state, char *message, unsigned *priority)
{
    const uint32_t at = queue_read(state->first);
    struct queue_place *place = queue_place(state, at);
    uint32_t head, length;
    if (!LIKELY(at <= queue->end))
        return -1;
    head = queue_read(place->head);
    length = head / MQ_PRIO_MAX;
    if (!LIKELY(length <= queue->size))
        return -1;
    if (priority)
        *priority = head % MQ_PRIO_MAX;
    state->count--;
    state->first = place->next;
    place->next = state->free;
    state->free = at;
    copy(message, place + 1, length, message);
    return (ssize_t)length;
}

/* Receives if there is nothing to wait for, and nobody to tell. */
QUICK ssize_t receive_now(mqd_t from, char *message, size_t size, unsigned *priority)
{
    const uint32_t self = riposte_private_own_id();
    const struct queue_descriptor *queue;
    struct queue_state *state;
    ssize_t length;
    if (!LIKELY((uint32_t)from < MQ_OPEN_MAX))
        return NOT_BEGUN;
    queue = queue_at(from);
    if (!LIKELY(~size < queue->receives))
        return NOT_BEGUN;
    state = queue->state;
    if (!LIKELY(riposte_private_word_take(&state->lock.word, self)))
        return NOT_BEGUN;
    if (!LIKELY(state->waiting == 0))
        return LOCKED;
    length = take(queue, state, message, priority);
    if (!LIKELY(length >= 0))
        return LOCKED;
    if (!LIKELY(riposte_private_word_change(&state->lock.word, self, 0)))
        riposte_private_mutex_hand_over(&state->lock);
    return length;
}

/* Receives. The queue's lock is the caller's, and no longer afterwards. */
static COLD ssize_t receive_locked(mqd_t from, char *message, unsigned *priority, const struct timespec *until)
{
    struct queue_descriptor *queue = queue_at(from);
    struct queue_state *state = queue->state;
    const bool waits = !LIKELY(has_message(queue));
    ssize_t length;
    if (waits) {
        const int error = wait(queue, &state->message, has_message, until);
        if (error)
            return posix_fail(error);
    }
    length = take(queue, state, message, priority);
    if (LIKELY(length >= 0) && !LIKELY(state->room.waiting == 0))
        wake(queue, &state->room, 1);
    queue_unlock(queue);
    if (waits)
        riposte_word_add(&queue->users, UINT32_MAX);
    return LIKELY(length >= 0) ? length : posix_fail(EBADMSG);
}

static COLD ssize_t receive(mqd_t from, char *message, size_t size, unsigned *priority, const struct timespec *until)
{
    const struct queue_descriptor *queue = queue_of(from);
    int error;
    if (!LIKELY(queue && queue->receives))
        return posix_fail(EBADF);
    if (!LIKELY(~size < queue->receives))
        return posix_fail(EMSGSIZE);
    error = lock(queue, until);
    return LIKELY(!error) ? receive_locked(from, message, priority, until) : posix_fail(error);
}

static COLD ssize_t receive_ever(mqd_t from, char *message, size_t size, unsigned *priority)
{
    return receive(from, message, size, priority, NULL);
}

ssize_t mq_receive(mqd_t queue, char *message, size_t size, unsigned *priority)
{
    const ssize_t became = receive_now(queue, message, size, priority);
    if (LIKELY(became >= 0))
        return became;
    return became == LOCKED ? receive_locked(queue, message, priority, NULL)
                            : receive_ever(queue, message, size, priority);
}

ssize_t mq_timedreceive(mqd_t queue, char *restrict message, size_t size, unsigned *restrict priority,
                        const struct timespec *restrict until)
{
    const ssize_t became = receive_now(queue, message, size, priority);
    if (LIKELY(became >= 0))
        return became;
    return became == LOCKED ? receive_locked(queue, message, priority, until)
                            : receive(queue, message, size, priority, until);
}
