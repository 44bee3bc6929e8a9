/* What a message queue is made of. */

#ifndef RIPOSTE_POSIX_QUEUE_H
#define RIPOSTE_POSIX_QUEUE_H

#include <limits.h>
#include <mqueue.h>

#include "../named.h"
#include "../posix.h"

/* Where no message is: no queue has so many places. */
#define QUEUE_NONE UINT16_MAX

/* What threads wait for. */
struct queue_event {
    /* Counts the wake-ups, and is where they wait. */
    uint32_t signals;
    /* How many threads have gone to wait and are not back. */
    uint32_t waiting;
    /* How many of them the kernel has chosen that are not back yet: at a process's own queue, where something is set aside
     * for them; and at one in a region, where they may have died. */
    uint32_t promised, woken;
};

/* A place for a message, which follows. */
struct queue_place {
    /* The next message, in the order in which they are received; or the next free place. */
    uint16_t next;
    uint16_t priority;
    uint32_t length;
};

/* What whoever has the queue open changes, under its lock. It lies in front of the places. All zeros of one in a region is
 * not made yet. What lies in a region other processes may change: no index and no length is used that has not been
 * compared with what the queue's opener keeps for itself. */
struct queue_state {
    riposte_mutex_t lock;
    uint32_t made;
    /* Who is told of the next message that finds the queue empty and nobody waiting; 0: nobody. In a region it is the
     * thread that waits here for it to change, as if that owned a lock: so the kernel knows whether it lives. */
    riposte_mutex_t told;
    uint32_t most, size;
    uint32_t count;
    struct queue_event room, message;
    /* The message that is received next, and a free place; QUEUE_NONE if there is none. */
    uint16_t first, free;
    /* The priorities of which there are messages, and the last one of each. */
    uint32_t used;
    uint16_t last[MQ_PRIO_MAX];
};

/* A queue of the process's own, in use while somebody has it open or it has its name. */
struct queue_own {
    struct queue_own *next;
    uint32_t opened;
    bool has_name;
    char name[POSIX_NAME_LENGTH + 1];
    struct queue_state state;
};

/* What may be done with a descriptor; nothing with one that is not open. */
#define QUEUE_MAY_RECEIVE 1
#define QUEUE_MAY_SEND 2

/* A descriptor; what the fast paths need is kept here, where no other process changes it. */
struct queue_descriptor {
    uint32_t rights;
    struct queue_state *state;
    uint32_t most, size;
    /* Bytes from one place to the next. */
    uint32_t stride;
    uint32_t nonblocking;
    /* NULL of one in a region. */
    struct queue_own *own;
};

extern struct queue_descriptor posix_queues[MQ_OPEN_MAX];

/* A descriptor that is open for this; NULL if it is none. */
static inline struct queue_descriptor *queue_of(mqd_t queue, uint32_t right)
{
    if (!LIKELY((uint32_t)queue < MQ_OPEN_MAX && (posix_queues[queue].rights & right)))
        return NULL;
    return &posix_queues[queue];
}

/* Reads what another process may change, once: the compiler cannot know that the value still stands there. */
static inline uint32_t queue_read(uint32_t field)
{
    __asm__("" : "+r"(field));
    return field;
}

/* Makes a queue empty, whatever it was: its lock is the caller's. */
void posix_queue_clear(const struct queue_descriptor *queue);

/* Lets the thread that is told of messages at a queue in a region see whether it is no longer to be. */
void posix_queue_look(struct queue_state *state);

/* Takes a queue's lock, which is not free; 0, or an error. A queue whose lock's owner died is in order again. */
int posix_queue_lock_wait(const struct queue_descriptor *queue);

static inline int queue_lock(const struct queue_descriptor *queue)
{
    if (LIKELY(riposte_private_mutex_take(&queue->state->lock)))
        return 0;
    return posix_queue_lock_wait(queue);
}

static inline void queue_unlock(const struct queue_descriptor *queue)
{
    riposte_mutex_unlock(&queue->state->lock);
}

static inline struct queue_place *queue_place(const struct queue_descriptor *queue, uint32_t index)
{
    return (struct queue_place *)(void *)((char *)(queue->state + 1) + index * queue->stride);
}

/* Tells who asked for it that a message has come, who is to be told no more, and gives the queue's lock back. Linked with
 * mq_notify. */
void posix_queue_notify(const struct queue_descriptor *queue) __attribute__((weak));

/* The descriptor that asked to be told, if it did, no longer does. Linked with mq_notify. */
void posix_queue_forget(struct queue_descriptor *queue) __attribute__((weak));

#endif
