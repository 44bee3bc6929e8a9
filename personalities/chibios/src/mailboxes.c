/* Mailboxes. */

#include <ch.h>

void chMBObjectInit(mailbox_t *mailbox, msg_t *buffer, size_t size)
{
    mailbox->buffer = buffer;
    mailbox->size = size;
    mailbox->first = 0;
    mailbox->count = 0;
    mailbox->reset = 0;
    mailbox->lock = (riposte_mutex_t)RIPOSTE_MUTEX;
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

/* Takes a unit of a semaphore of a mailbox, within a time, and the mailbox's lock. What the unit stands
 * for is forgotten if the mailbox was reset in between. */
RIPOSTE_INLINE msg_t begin(mailbox_t *mailbox, semaphore_t *semaphore, sysinterval_t timeout)
{
    const uint32_t resets = riposte_word_load(&semaphore->resets);
    msg_t result;
    if (riposte_word_load(&mailbox->reset) != 0)
        return MSG_RESET;
    result = RIPOSTE_LIKELY(timeout == TIME_INFINITE) ? chSemWait(semaphore)
                                                      : chSemWaitTimeout(semaphore, timeout);
    if (result != MSG_OK)
        return result;
    ch_lock(&mailbox->lock);
    if (RIPOSTE_LIKELY(semaphore->resets == resets))
        return MSG_OK;
    ch_unlock(&mailbox->lock);
    return MSG_RESET;
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
