/* Mailboxes. */

#include <ch.h>

void chMBObjectInit(mailbox_t *mailbox, msg_t *buffer, size_t size)
{
    const riposte_mutex_t free = RIPOSTE_MUTEX;
    chDbgCheck(size != 0);
    mailbox->buffer = buffer;
    mailbox->top = buffer + size;
    mailbox->wrptr = buffer;
    mailbox->rdptr = buffer;
    mailbox->cnt = 0;
    mailbox->reset = 0;
    mailbox->lock = free;
    chSemObjectInit(&mailbox->messages, 0);
    chSemObjectInit(&mailbox->room, (cnt_t)size);
}

/* Who is let go finds by the lock whether the mailbox can be used, and may run as soon as that is free. */
static void reset(mailbox_t *mailbox, bool stays)
{
    ch_lock(&mailbox->lock);
    mailbox->reset = stays;
    mailbox->wrptr = mailbox->buffer;
    mailbox->rdptr = mailbox->buffer;
    mailbox->cnt = 0;
    chSemReset(&mailbox->room, (cnt_t)chMBGetSizeI(mailbox));
    chSemReset(&mailbox->messages, 0);
    ch_unlock(&mailbox->lock);
}

void chMBReset(mailbox_t *mailbox)
{
    reset(mailbox, true);
}

void ch_mailbox_reset_2_4(mailbox_t *mailbox)
{
    reset(mailbox, false);
}

/* Whether there is what a unit of the semaphore stands for. */
RIPOSTE_PRIVATE_INLINE bool is_there(const mailbox_t *mailbox, const semaphore_t *semaphore)
{
    const bool is_empty = mailbox->cnt == 0;
    return semaphore == &mailbox->messages ? !is_empty : is_empty || mailbox->wrptr != mailbox->rdptr;
}

/* Takes a mailbox's lock and a unit of one of its semaphores, within a time. A unit that is there is taken
 * under the lock alone, so that no reset comes between: it would be lost. */
RIPOSTE_PRIVATE_INLINE msg_t begin(mailbox_t *mailbox, semaphore_t *semaphore, sysinterval_t timeout)
{
    riposte_deadline_t deadline = 0;
    for (;;) {
        uint32_t resets;
        msg_t message;
        bool is_reset;
        ch_lock(&mailbox->lock);
        is_reset = !RIPOSTE_PRIVATE_LIKELY(mailbox->reset == 0);
        if (!is_reset && ch_semaphore_take(semaphore, CH_ONE_UNIT) && RIPOSTE_PRIVATE_LIKELY(is_there(mailbox, semaphore)))
            return MSG_OK;
        resets = ch_semaphore_resets(semaphore);
        ch_unlock(&mailbox->lock);
        if (is_reset)
            return MSG_RESET;
        if (timeout == TIME_IMMEDIATE)
            return MSG_TIMEOUT;
        if (deadline == 0)
            deadline = ch_deadline(timeout);
        message = ch_semaphore_sleep(semaphore, &resets, deadline);
        if (RIPOSTE_PRIVATE_LIKELY(message == MSG_OK)) {
            ch_lock(&mailbox->lock);
            is_reset = !RIPOSTE_PRIVATE_LIKELY(semaphore->resets == resets);
            if (!is_reset && RIPOSTE_PRIVATE_LIKELY(is_there(mailbox, semaphore)))
                return MSG_OK;
            ch_unlock(&mailbox->lock);
            message = is_reset ? MSG_RESET : CH_AGAIN;
        }
        if (message == MSG_RESET) {
            /* Who resets the mailbox is not done with it yet. */
            ch_lock(&mailbox->lock);
            ch_unlock(&mailbox->lock);
        }
        if (message != CH_AGAIN)
            return message;
    }
}

/* The place behind another one. */
RIPOSTE_PRIVATE_INLINE msg_t *behind(const mailbox_t *mailbox, msg_t *place)
{
    return place + 1 < mailbox->top ? place + 1 : mailbox->buffer;
}

msg_t chMBPostTimeout(mailbox_t *mailbox, msg_t message, sysinterval_t timeout)
{
    const msg_t result = begin(mailbox, &mailbox->room, timeout);
    if (result != MSG_OK)
        return result;
    msg_t *const place = mailbox->wrptr;
    mailbox->cnt++;
    *place = message;
    mailbox->wrptr = place + 1 == mailbox->top ? mailbox->buffer : place + 1;
    ch_unlock(&mailbox->lock);
    chSemSignal(&mailbox->messages);
    return MSG_OK;
}

msg_t chMBPostAheadTimeout(mailbox_t *mailbox, msg_t message, sysinterval_t timeout)
{
    const msg_t result = begin(mailbox, &mailbox->room, timeout);
    if (result != MSG_OK)
        return result;
    mailbox->rdptr = (mailbox->rdptr == mailbox->buffer ? mailbox->top : mailbox->rdptr) - 1;
    *mailbox->rdptr = message;
    mailbox->cnt++;
    ch_unlock(&mailbox->lock);
    chSemSignal(&mailbox->messages);
    return MSG_OK;
}

msg_t chMBFetchTimeout(mailbox_t *mailbox, msg_t *message, sysinterval_t timeout)
{
    const msg_t result = begin(mailbox, &mailbox->messages, timeout);
    if (result != MSG_OK)
        return result;
    msg_t *const place = mailbox->rdptr;
    mailbox->cnt--;
    mailbox->rdptr = place + 1 == mailbox->top ? mailbox->buffer : place + 1;
    *message = *place;
    ch_unlock(&mailbox->lock);
    chSemSignal(&mailbox->room);
    return MSG_OK;
}

/* A call of class S is out of chSysLock only while it waits: if it must, and may. */
static bool must_wait(msg_t result, sysinterval_t timeout)
{
    if (result != MSG_TIMEOUT || timeout == TIME_IMMEDIATE)
        return false;
    chSysUnlock();
    return true;
}

msg_t chMBPostTimeoutS(mailbox_t *mailbox, msg_t message, sysinterval_t timeout)
{
    msg_t result;
    chDbgCheckClassS();
    result = chMBPostI(mailbox, message);
    if (must_wait(result, timeout)) {
        result = chMBPostTimeout(mailbox, message, timeout);
        chSysLock();
    }
    return result;
}

msg_t chMBPostAheadTimeoutS(mailbox_t *mailbox, msg_t message, sysinterval_t timeout)
{
    msg_t result;
    chDbgCheckClassS();
    result = chMBPostAheadI(mailbox, message);
    if (must_wait(result, timeout)) {
        result = chMBPostAheadTimeout(mailbox, message, timeout);
        chSysLock();
    }
    return result;
}

msg_t chMBFetchTimeoutS(mailbox_t *mailbox, msg_t *message, sysinterval_t timeout)
{
    msg_t result;
    chDbgCheckClassS();
    result = chMBFetchI(mailbox, message);
    if (must_wait(result, timeout)) {
        result = chMBFetchTimeout(mailbox, message, timeout);
        chSysLock();
    }
    return result;
}
