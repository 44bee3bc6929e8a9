/* What is not inline of messages. */

#include <ch.h>

thread_t *ch_inbox_oldest(thread_t *self, thread_t *newest)
{
    thread_t *newer = NULL;
    thread_t *sender = newest;
    while (sender->next != NULL) {
        thread_t *older = sender->next;
        sender->next = newer;
        newer = sender;
        sender = older;
    }
    self->seen = newer;
    return sender;
}

thread_t *chMsgWaitTimeout(sysinterval_t timeout)
{
    thread_t *self = chThdGetSelfX();
    const riposte_deadline_t deadline = ch_deadline(timeout);
    uint32_t newest;
    if (self->seen != NULL)
        return ch_seen_take(self);
    while (newest = riposte_word_swap(&self->inbox, 0), newest == 0) {
        const riposte_error_t error = ch_wait_until(&self->inbox, 0, deadline);
        const bool is_over = error == RIPOSTE_ERROR_TIMED_OUT || deadline == RIPOSTE_IMMEDIATE;
        if (is_over && riposte_word_load(&self->inbox) == 0)
            return NULL;
    }
    return ch_inbox_take(self, newest);
}

thread_t *chMsgWaitTimeoutS(sysinterval_t timeout)
{
    thread_t *sender = chMsgPoll();
    chDbgCheckClassS();
    if (sender == NULL && timeout != TIME_IMMEDIATE) {
        chSysUnlock();
        sender = chMsgWaitTimeout(timeout);
        chSysLock();
    }
    return sender;
}
