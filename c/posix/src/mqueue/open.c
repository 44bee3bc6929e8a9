/* Opening, closing and naming message queues. */

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"

/* In the state of a queue that is made. */
#define MADE UINT32_C(0x6D71756D)
/* What a queue has that is made without attributes. */
#define USUAL_MESSAGES 8
/* Fewer messages than this has every queue. */
#define MESSAGES_MAX UINT16_MAX
#define USUAL_SIZE 64

struct queue_descriptor posix_queues[MQ_OPEN_MAX];

/* The process's own queues, and what guards them and the descriptors. */
static struct queue_own *owned;
static riposte_mutex_t lock;

/* Bytes of the places of so many messages of this size; 0 if no queue can have them. */
static uint32_t bytes_of(uint32_t most, uint32_t size)
{
    uint32_t bytes;
    if (most == 0 || most >= MESSAGES_MAX || size == 0 || size > QUEUE_SIZE_MAX)
        return 0;
    return __builtin_mul_overflow(most, queue_stride(size) * 4, &bytes) || bytes > (uint32_t)INT_MAX / 2 ? 0 : bytes;
}

static void describe(struct queue_descriptor *queue, struct queue_state *state, uint32_t most, uint32_t size)
{
    queue->state = state;
    queue->most = most;
    queue->size = size;
    queue->end = (uint32_t)sizeof *state / 4 + (most - 1) * queue_stride(size);
}

/* Makes the queue that a descriptor describes, whose lock is the caller's, or nobody else's to know of. */
static void make(struct queue_descriptor *queue)
{
    queue->state->most = queue->most;
    queue->state->size = queue->size;
    posix_queue_clear(queue);
    queue->state->made = MADE;
}

/* Opens the queue in a region of so many bytes, or makes one there. */
static int open_shared(struct queue_descriptor *queue, struct queue_state *state, size_t length, int flags,
                       const struct mq_attr *attr)
{
    const bool may_make = (flags & O_CREAT) != 0;
    uint32_t most, size, bytes;
    int error = 0;
    bool is_made, was_left;
    switch (riposte_mutex_lock_until(&state->lock, posix_queue_copied())) {
    case RIPOSTE_OK:
        break;
    case RIPOSTE_ERROR_TIMED_OUT:
        /* As of any call. */
        return flags & O_NONBLOCK ? EAGAIN : ETIMEDOUT;
    default:
        return EACCES;
    }
    /* Whoever left the lock without making the queue made none. */
    was_left = riposte_mutex_owner_died(&state->lock);
    is_made = state->made == MADE;
    most = is_made ? queue_read(state->most) : (uint32_t)attr->mq_maxmsg;
    size = is_made ? queue_read(state->size) : (uint32_t)attr->mq_msgsize;
    bytes = bytes_of(most, size);
    if (is_made && may_make && (flags & O_EXCL))
        error = EEXIST;
    else if (!is_made && !may_make)
        error = ENOENT;
    else if (!is_made && state->made != 0)
        /* The region is used for something else. */
        error = EACCES;
    else if (bytes == 0)
        error = is_made ? EACCES : EINVAL;
    else if (bytes > length - sizeof *state)
        error = is_made ? EACCES : ENOSPC;
    if (!error) {
        describe(queue, state, most, size);
        if (!is_made)
            make(queue);
        else if (was_left)
            posix_queue_clear(queue);
    }
    if (was_left && (!error || !is_made))
        riposte_mutex_repaired(&state->lock);
    riposte_mutex_unlock(&state->lock);
    return error;
}

/* Where the process's own queue of this name hangs; where NULL hangs, if there is none. */
static struct queue_own **find(const char *name)
{
    struct queue_own **at = &owned;
    while (*at && !((*at)->has_name && strcmp((*at)->name, name) == 0))
        at = &(*at)->next;
    return at;
}

/* Opens the process's own queue of this name, or makes one. */
static int open_own(struct queue_descriptor *queue, const char *name, int flags, const struct mq_attr *attr)
{
    struct queue_own *own = *find(name);
    uint32_t bytes;
    if (own) {
        if ((flags & O_CREAT) && (flags & O_EXCL))
            return EEXIST;
        describe(queue, &own->state, own->state.most, own->state.size);
    } else {
        if (!(flags & O_CREAT))
            return ENOENT;
        bytes = bytes_of((uint32_t)attr->mq_maxmsg, (uint32_t)attr->mq_msgsize);
        if (bytes == 0)
            return EINVAL;
        own = malloc(sizeof *own + bytes);
        if (!own)
            return ENOSPC;
        memset(own, 0, sizeof *own);
        strcpy(own->name, name);
        own->has_name = true;
        describe(queue, &own->state, (uint32_t)attr->mq_maxmsg, (uint32_t)attr->mq_msgsize);
        make(queue);
        own->next = owned;
        owned = own;
    }
    own->opened++;
    queue->own = own;
    return 0;
}

/* A queue that nobody has open, and that has no name, is gone. */
static void end_unused(struct queue_own *own)
{
    struct queue_own **at = &owned;
    if (own->opened || own->has_name)
        return;
    while (*at != own)
        at = &(*at)->next;
    *at = own->next;
    free(own);
}

/* Whether a thread is in a call by this descriptor: it waits, or it has the lock of the process's own queue, or waits for that.
 * One that has found the descriptor open, and not yet asked for the lock, is not seen. */
static bool is_used(const struct queue_descriptor *queue)
{
    return riposte_word_load(&queue->users) || (queue->own && riposte_word_load(&queue->state->lock.word));
}

/* Frees the descriptors that are closed, and by which no thread is in a call any more. The caller has the lock. */
static void free_closed(void)
{
    struct queue_descriptor *each;
    for (each = posix_queues; each < posix_queues + MQ_OPEN_MAX; each++) {
        if (!each->state || queue_of((mqd_t)(each - posix_queues)) || is_used(each))
            continue;
        each->state = NULL;
        if (each->own) {
            each->own->opened--;
            end_unused(each->own);
        }
    }
}

static struct queue_descriptor *free_descriptor(void)
{
    struct queue_descriptor *each;
    for (each = posix_queues; each < posix_queues + MQ_OPEN_MAX; each++)
        if (!each->state)
            return each;
    return NULL;
}

/* The caller has the lock. */
static int open_any(struct queue_descriptor *queue, const char *name, int flags, const struct mq_attr *attr)
{
    size_t length;
    struct queue_state *state = posix_region(name, sizeof *state, &length);
    int error;
    memset(queue, 0, sizeof *queue);
    error = state ? open_shared(queue, state, length, flags, attr) : open_own(queue, name, flags, attr);
    if (error) {
        queue->state = NULL;
        return error;
    }
    queue->nonblocking = flags & O_NONBLOCK;
    if ((flags & O_ACCMODE) != O_RDONLY)
        queue->sends = queue->size + 1;
    if ((flags & O_ACCMODE) != O_WRONLY)
        queue->receives = -queue->size;
    return 0;
}

mqd_t mq_open(const char *name, int flags, ...)
{
    static const struct mq_attr usual = {0, USUAL_MESSAGES, USUAL_SIZE, 0};
    const struct mq_attr *attr = NULL;
    struct queue_descriptor *queue;
    int error;
    if (flags & O_CREAT) {
        va_list more;
        va_start(more, flags);
        (void)va_arg(more, int);
        attr = va_arg(more, const struct mq_attr *);
        va_end(more);
    }
    name = posix_name(name);
    if (!name)
        return -1;
    if ((flags & O_ACCMODE) == O_ACCMODE || (attr && (attr->mq_maxmsg <= 0 || attr->mq_msgsize <= 0)))
        return posix_fail(EINVAL);
    riposte_mutex_lock(&lock);
    free_closed();
    queue = free_descriptor();
    error = queue ? open_any(queue, name, flags, attr ? attr : &usual) : EMFILE;
    riposte_mutex_unlock(&lock);
    return error ? posix_fail(error) : (mqd_t)(queue - posix_queues);
}

int mq_close(mqd_t it)
{
    struct queue_descriptor *queue;
    riposte_mutex_lock(&lock);
    queue = queue_of(it);
    if (queue) {
        queue->sends = queue->receives = 0;
        if (posix_queue_forget)
            posix_queue_forget(queue);
        free_closed();
    }
    riposte_mutex_unlock(&lock);
    return queue ? 0 : posix_fail(EBADF);
}

int mq_unlink(const char *name)
{
    struct queue_own *found;
    name = posix_name(name);
    if (!name)
        return -1;
    /* The name is the manifest's. */
    if (posix_region(name, sizeof(struct queue_state), NULL))
        return posix_fail(EACCES);
    riposte_mutex_lock(&lock);
    found = *find(name);
    if (found) {
        found->has_name = false;
        end_unused(found);
    }
    riposte_mutex_unlock(&lock);
    return found ? 0 : posix_fail(ENOENT);
}
