/* Mailboxes. */

#include <ch.h>

void chMBObjectInit(mailbox_t *mailbox, msg_t *buffer, size_t size)
{
    const riposte_mutex_t free = RIPOSTE_MUTEX;
    mailbox->buffer = buffer;
    mailbox->size = size;
    mailbox->first = 0;
    mailbox->count = 0;
    mailbox->reset = 0;
    mailbox->lock = free;
    chSemObjectInit(&mailbox->messages, 0);
    chSemObjectInit(&mailbox->room, (cnt_t)size);
}

void chMBReset(mailbox_t *mailbox)
{
    ch_lock(&mailbox->lock);
    mailbox->reset = 1;
    mailbox->first = 0;
    mailbox->count = 0;
    chSemReset(&mailbox->room, (cnt_t)mailbox->size);
    chSemReset(&mailbox->messages, 0);
    ch_unlock(&mailbox->lock);
}

/* Waits until a semaphore may have a unit, of which it had none; RIPOSTE_TIMED_OUT if that takes too
 * long. */
RIPOSTE_INLINE riposte_error_t await(semaphore_t *semaphore, riposte_deadline_t deadline)
{
    riposte_error_t error;
    riposte_word_add(&semaphore->waiting, 1);
    if (RIPOSTE_LIKELY(deadline == RIPOSTE_FOREVER))
        error = ch_wait(&semaphore->units, 0) ? RIPOSTE_OK : RIPOSTE_WOULD_BLOCK;
    else
        error = ch_wait_until(&semaphore->units, 0, deadline);
    /* Who was woken is counted no more already. */
    if (!RIPOSTE_LIKELY(error == RIPOSTE_OK))
        riposte_word_add(&semaphore->waiting, -1u);
    return error;
}

/* Takes a mailbox's lock and a unit of one of its semaphores, within a time. A unit is taken under the
 * lock alone, so that no reset comes between: it would be lost, or be one too many. */
RIPOSTE_INLINE msg_t begin(mailbox_t *mailbox, semaphore_t *semaphore, sysinterval_t timeout)
{
    const uint32_t resets = riposte_word_load(&semaphore->resets);
    riposte_deadline_t deadline = 0;
    if (riposte_word_load(&mailbox->reset) != 0)
        return MSG_RESET;
    for (;;) {
        ch_lock(&mailbox->lock);
        if (!RIPOSTE_LIKELY(semaphore->resets == resets)) {
            ch_unlock(&mailbox->lock);
            return MSG_RESET;
        }
        if (RIPOSTE_LIKELY(ch_semaphore_try(semaphore)))
            return MSG_OK;
        ch_unlock(&mailbox->lock);
        if (timeout == TIME_IMMEDIATE)
            return MSG_TIMEOUT;
        if (deadline == 0)
            deadline = ch_deadline(timeout);
        if (!RIPOSTE_LIKELY(await(semaphore, deadline) != RIPOSTE_TIMED_OUT))
            return riposte_word_load(&semaphore->resets) == resets ? MSG_TIMEOUT : MSG_RESET;
    }
}

/* The place that is `distance` behind another one. */
RIPOSTE_INLINE uint32_t behind(const mailbox_t *mailbox, uint32_t place, uint32_t distance)
{
    const uint32_t sum = place + distance;
    return sum < mailbox->size ? sum : sum - mailbox->size;
}

msg_t chMBPostTimeout(mailbox_t *mailbox, msg_t message, sysinterval_t timeout)
{
    const msg_t result = begin(mailbox, &mailbox->room, timeout);
    if (result != MSG_OK)
        return result;
    mailbox->buffer[behind(mailbox, mailbox->first, mailbox->count)] = message;
    mailbox->count++;
    ch_unlock(&mailbox->lock);
    chSemSignal(&mailbox->messages);
    return MSG_OK;
}

msg_t chMBPostAheadTimeout(mailbox_t *mailbox, msg_t message, sysinterval_t timeout)
{
    const msg_t result = begin(mailbox, &mailbox->room, timeout);
    if (result != MSG_OK)
        return result;
    mailbox->first = behind(mailbox, mailbox->first, mailbox->size - 1);
    mailbox->buffer[mailbox->first] = message;
    mailbox->count++;
    ch_unlock(&mailbox->lock);
    chSemSignal(&mailbox->messages);
    return MSG_OK;
}

msg_t chMBFetchTimeout(mailbox_t *mailbox, msg_t *message, sysinterval_t timeout)
{
    const msg_t result = begin(mailbox, &mailbox->messages, timeout);
    if (result != MSG_OK)
        return result;
    *message = mailbox->buffer[mailbox->first];
    mailbox->first = behind(mailbox, mailbox->first, 1);
    mailbox->count--;
    ch_unlock(&mailbox->lock);
    chSemSignal(&mailbox->room);
    return MSG_OK;
}
