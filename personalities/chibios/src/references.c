/* Thread references and queues of threads. */

#include <ch.h>

/* A thread that was woken takes the system's lock before it goes on, so that whoever wakes it, within the lock,
 * wakes a thread that is still there. */
bool ch_park(sysinterval_t timeout, msg_t *message)
{
    thread_t *const self = chThdGetSelfX();
    const riposte_deadline_t deadline = ch_deadline(timeout);
    bool was_woken;
    riposte_word_store(&self->parked, 1);
    chSysUnlock();
    while (riposte_word_load(&self->parked) != 0)
        if (ch_wait_until(&self->parked, 1, deadline) == RIPOSTE_ERROR_TIMED_OUT)
            break;
    chSysLock();
    was_woken = self->parked == 0;
    self->parked = 0;
    *message = was_woken ? self->woken_with : MSG_TIMEOUT;
    return was_woken;
}

void ch_unpark(thread_t *thread, msg_t message)
{
    thread->woken_with = message;
    riposte_word_store(&thread->parked, 0);
    ch_wake(&thread->parked);
}

msg_t chThdSuspendTimeoutS(thread_reference_t *reference, sysinterval_t timeout)
{
    thread_t *const self = chThdGetSelfX();
    msg_t message;
    chDbgCheckClassS();
    chDbgAssert(*reference == NULL, "chThdSuspendTimeoutS: another thread waits there");
    if (timeout == TIME_IMMEDIATE)
        return MSG_TIMEOUT;
    *reference = self;
    /* Who resumes it clears the reference, which may be something else by now. */
    if (!ch_park(timeout, &message))
        *reference = NULL;
    return message;
}

msg_t chThdSuspendS(thread_reference_t *reference)
{
    return chThdSuspendTimeoutS(reference, TIME_INFINITE);
}

void chThdResumeI(thread_reference_t *reference, msg_t message)
{
    thread_t *const thread = *reference;
    chDbgCheckClassI();
    if (thread != NULL) {
        *reference = NULL;
        ch_unpark(thread, message);
    }
}

void chThdResume(thread_reference_t *reference, msg_t message)
{
    chSysLock();
    chThdResumeI(reference, message);
    chSysUnlock();
}

/* Takes the calling thread out of a queue in which it is. */
static void leave(threads_queue_t *queue, thread_t *self)
{
    thread_t *before = NULL;
    thread_t *thread = queue->first;
    while (thread != self) {
        before = thread;
        thread = thread->behind;
    }
    if (before == NULL)
        queue->first = self->behind;
    else
        before->behind = self->behind;
    if (queue->last == self)
        queue->last = before;
}

msg_t chThdEnqueueTimeoutS(threads_queue_t *queue, sysinterval_t timeout)
{
    thread_t *const self = chThdGetSelfX();
    msg_t message;
    chDbgCheckClassS();
    if (timeout == TIME_IMMEDIATE)
        return MSG_TIMEOUT;
    self->behind = NULL;
    if (queue->first == NULL)
        queue->first = self;
    else
        queue->last->behind = self;
    queue->last = self;
    /* Who wakes it takes it out before, and the queue may be something else by now. */
    if (!ch_park(timeout, &message))
        leave(queue, self);
    return message;
}

void chThdDoDequeueNextI(threads_queue_t *queue, msg_t message)
{
    thread_t *const first = queue->first;
    chDbgCheckClassI();
    chDbgAssert(first != NULL, "chThdDoDequeueNextI: nobody waits there");
    queue->first = first->behind;
    ch_unpark(first, message);
}

void chThdDequeueNextI(threads_queue_t *queue, msg_t message)
{
    chDbgCheckClassI();
    if (queue->first != NULL)
        chThdDoDequeueNextI(queue, message);
}

void chThdDequeueAllI(threads_queue_t *queue, msg_t message)
{
    chDbgCheckClassI();
    while (queue->first != NULL)
        chThdDoDequeueNextI(queue, message);
}
