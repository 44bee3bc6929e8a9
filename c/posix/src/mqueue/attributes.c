/* Attributes of open message queues. */

#include <fcntl.h>

#include "queue.h"

static void tell(const struct queue_descriptor *queue, struct mq_attr *attr)
{
    attr->mq_flags = (long)queue->nonblocking;
    attr->mq_maxmsg = (long)queue->most;
    attr->mq_msgsize = (long)queue->size;
    attr->mq_curmsgs = (long)riposte_word_load(&queue->state->count);
}

int mq_getattr(mqd_t it, struct mq_attr *attr)
{
    const struct queue_descriptor *queue = queue_of(it);
    if (!queue)
        return posix_fail(EBADF);
    tell(queue, attr);
    return 0;
}

int mq_setattr(mqd_t it, const struct mq_attr *restrict attr, struct mq_attr *restrict before)
{
    struct queue_descriptor *queue = queue_of(it);
    if (!queue)
        return posix_fail(EBADF);
    if (before)
        tell(queue, before);
    queue->nonblocking = (uint32_t)attr->mq_flags & O_NONBLOCK;
    return 0;
}
