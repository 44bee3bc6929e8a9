/* What a message queue is made of. */

#ifndef RIPOSTE_POSIX_QUEUE_H
#define RIPOSTE_POSIX_QUEUE_H

#include <limits.h>
#include <mqueue.h>

#include "../named.h"
#include "../posix.h"

/* Where no message is: no place is so far from its queue. */
#define QUEUE_NONE UINT32_MAX
/* Most bytes of a message: their number stands beside the priority in one word. */
#define QUEUE_SIZE_MAX (UINT32_MAX / MQ_PRIO_MAX)

/* What threads wait for. */
struct queue_event {
    /* Counts the wake-ups, and is where they wait. */
    uint32_t signals;
    /* How many threads have gone to wait and are not back; at a queue in a region, of those that saw this number of wake-ups
     * or a later one: none waited any more that had come earlier, and whoever is not back may have died. */
    uint32_t waiting, since;
    /* How many of them the kernel has chosen that are not back yet: at a process's own queue, where something is set aside
     * for them; and at one in a region, where they may have died. */
    uint32_t chosen;
};

/* A place for a message, which follows. */
struct queue_place {
    /* The next message, in the order in which they are received; or the next free place. As whatever says where a place
     * is: how many words behind the beginning of the queue. */
    uint32_t next;
    /* The length, times MQ_PRIO_MAX, and the priority. */
    uint32_t head;
};

/* What whoever has the queue open changes, under its lock. It lies in front of the places. All zeros of one in a region is
 * not made yet. What lies in a region other processes may change: nothing that says where a place is, and no length, is used
 * that has not been compared with what the queue's opener keeps for itself. */
struct queue_state {
    riposte_mutex_t lock;
    uint32_t made;
    /* Who is told of the next message that finds the queue empty and nobody waiting; 0: nobody. In a region it is the
     * thread that waits here for it to change, as if that owned a lock: so the kernel knows whether it lives. */
    riposte_mutex_t told;
    /* Not 0 if threads wait for room or a message: as long as nobody does, nothing is set aside, and nobody to be woken. */
    uint32_t waiting;
    /* The message that is received next, and a free place; QUEUE_NONE if there is none. */
    uint32_t first, free;
    uint32_t count;
    /* The priorities of which there are messages, and the last one of each. Of those above the first message's there are
     * none, whatever stands here. */
    uint32_t used;
    uint32_t last[MQ_PRIO_MAX];
    uint32_t most, size;
    struct queue_event room, message;
};

/* A queue of the process's own, in use while somebody has it open or it has its name. */
struct queue_own {
    struct queue_own *next;
    uint32_t opened;
    bool has_name;
    char name[POSIX_NAME_LENGTH + 1];
    struct queue_state state;
};

/* A descriptor; what the fast paths need is kept here, where no other process changes it. */
struct queue_descriptor {
    /* NULL of one that is free. */
    struct queue_state *state;
    /* What the length of a message that is sent must be below, and what the complement of the size of memory for one that is
     * received; 0 if it is not open for that. */
    uint32_t sends, receives;
    /* Where the last place is. */
    uint32_t end;
    uint32_t most, size;
    uint32_t nonblocking;
    /* NULL of one in a region. */
    struct queue_own *own;
    /* How many threads wait here: as long as any does, it is nobody else's, though it may be closed. */
    uint32_t users;
};

extern struct queue_descriptor posix_queues[MQ_OPEN_MAX];

/* The descriptor of this number, which is below MQ_OPEN_MAX: one address for all that is there. */
static inline struct queue_descriptor *queue_at(mqd_t queue)
{
    struct queue_descriptor *it = &posix_queues[queue];
    __asm__("" : "+r"(it));
    return it;
}

/* A descriptor that is open; NULL if it is none. */
static inline struct queue_descriptor *queue_of(mqd_t queue)
{
    if ((uint32_t)queue >= MQ_OPEN_MAX || !(posix_queues[queue].sends | posix_queues[queue].receives))
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

/* Takes a queue's lock; 0, or an error. A queue whose lock's owner died is in order again. */
int posix_queue_lock_until(const struct queue_descriptor *queue, riposte_deadline_t deadline);

/* Until when another process has time to copy a message, which keeps a queue in a region for that. */
riposte_deadline_t posix_queue_copied(void);

/* As posix_queue_lock_until, for a call that does not wait for messages. */
static inline int queue_lock(const struct queue_descriptor *queue)
{
    return posix_queue_lock_until(queue, queue->own ? RIPOSTE_FOREVER : posix_queue_copied());
}

static inline void queue_unlock(const struct queue_descriptor *queue)
{
    riposte_mutex_unlock(&queue->state->lock);
}

static inline struct queue_place *queue_place(struct queue_state *state, uint32_t at)
{
    return (struct queue_place *)(void *)((uint32_t *)(void *)state + at);
}

/* Words of a place. */
static inline uint32_t queue_stride(uint32_t size)
{
    return (uint32_t)sizeof(struct queue_place) / 4 + (size + 3) / 4;
}

/* Tells who asked for it that a message has come, who is to be told no more, and gives the queue's lock back. Linked with
 * mq_notify. */
void posix_queue_notify(const struct queue_descriptor *queue) __attribute__((weak));

/* The descriptor that asked to be told, if it did, no longer does. Linked with mq_notify. */
void posix_queue_forget(struct queue_descriptor *queue) __attribute__((weak));

#endif
