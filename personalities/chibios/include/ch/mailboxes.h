/* Mailboxes: queues of words, of a fixed length. Included by ch.h. */

#ifndef CH_MAILBOXES_H
#define CH_MAILBOXES_H

/* One semaphore counts the messages, one the room; the lock keeps the places. After a reset there can be a
 * unit too many, of what was posted or fetched just before: who gets it finds no message, or no room. */
typedef struct ch_mailbox {
    msg_t *buffer;
    msg_t *top;     /* behind the last place */
    msg_t *wrptr;   /* the place of the next message */
    msg_t *rdptr;   /* that of the oldest one */
    uint32_t cnt;   /* messages */
    uint32_t reset; /* whether it takes and gives none */
    riposte_mutex_t lock;
    semaphore_t messages;
    semaphore_t room;
} mailbox_t;

/* What a mailbox begins as that is a part of something. */
#define _MAILBOX_DATA(name, buffer, size)                                                            \
    {(msg_t *)(buffer), (msg_t *)(buffer) + (size), (msg_t *)(buffer), (msg_t *)(buffer), 0, 0,      \
     RIPOSTE_MUTEX, _SEMAPHORE_DATA((name).messages, 0), _SEMAPHORE_DATA((name).room, (size))}
#define MAILBOX_DECL(name, buffer, size) mailbox_t name = _MAILBOX_DATA(name, buffer, size)

/** Makes a mailbox, which is empty.
 *
 * @param mailbox Where it is to be.
 * @param buffer Where its messages are.
 * @param size How many there can be; none stops the process. */
void chMBObjectInit(mailbox_t *mailbox, msg_t *buffer, size_t size);

/** Forgets all messages, and lets all that wait go on with MSG_RESET; so do all later calls, until
 * chMBResumeX.
 *
 * @param mailbox The mailbox.
 * @blocks Never; a more urgent thread that is woken runs at once. */
void chMBReset(mailbox_t *mailbox);
#define chMBResetI(mailbox) chMBReset(mailbox)
/* As chMBReset, but the mailbox can be used again at once, as that of version 2.4. */
void ch_mailbox_reset_2_4(mailbox_t *mailbox);

/** Uses a mailbox again after chMBReset.
 *
 * @param mailbox The mailbox. */
RIPOSTE_PRIVATE_INLINE void chMBResumeX(mailbox_t *mailbox)
{
    riposte_word_store(&mailbox->reset, 0);
}

/** Puts a message behind the others.
 *
 * @param mailbox The mailbox.
 * @param message The message.
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return MSG_OK, MSG_RESET or MSG_TIMEOUT.
 * @blocks Until there is room, or for the time.
 * @from Any thread. */
msg_t chMBPostTimeout(mailbox_t *mailbox, msg_t message, sysinterval_t timeout);
#define chMBPostI(mailbox, message) chMBPostTimeout((mailbox), (message), TIME_IMMEDIATE)

/** As chMBPostTimeout, within chSysLock, which a thread that waits is out of. */
msg_t chMBPostTimeoutS(mailbox_t *mailbox, msg_t message, sysinterval_t timeout);

/** As chMBPostTimeout, but before the others. */
msg_t chMBPostAheadTimeout(mailbox_t *mailbox, msg_t message, sysinterval_t timeout);
#define chMBPostAheadI(mailbox, message) chMBPostAheadTimeout((mailbox), (message), TIME_IMMEDIATE)

/** As chMBPostAheadTimeout, within chSysLock, which a thread that waits is out of. */
msg_t chMBPostAheadTimeoutS(mailbox_t *mailbox, msg_t message, sysinterval_t timeout);

/** Takes the first message.
 *
 * @param mailbox The mailbox.
 * @param message Where it is stored.
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return MSG_OK, MSG_RESET or MSG_TIMEOUT.
 * @blocks Until there is one, or for the time.
 * @from Any thread. */
msg_t chMBFetchTimeout(mailbox_t *mailbox, msg_t *message, sysinterval_t timeout);
#define chMBFetchI(mailbox, message) chMBFetchTimeout((mailbox), (message), TIME_IMMEDIATE)

/** As chMBFetchTimeout, within chSysLock, which a thread that waits is out of. */
msg_t chMBFetchTimeoutS(mailbox_t *mailbox, msg_t *message, sysinterval_t timeout);

/** Tells how many messages there can be. */
RIPOSTE_PRIVATE_INLINE size_t chMBGetSizeI(const mailbox_t *mailbox)
{
    return (size_t)(mailbox->top - mailbox->buffer);
}

/** Tells how many messages there are. */
RIPOSTE_PRIVATE_INLINE size_t chMBGetUsedCountI(const mailbox_t *mailbox)
{
    return riposte_word_load(&mailbox->cnt);
}

/** Tells for how many messages there is room. */
RIPOSTE_PRIVATE_INLINE size_t chMBGetFreeCountI(const mailbox_t *mailbox)
{
    return chMBGetSizeI(mailbox) - chMBGetUsedCountI(mailbox);
}

/** Tells the first message of a mailbox that is not empty. */
RIPOSTE_PRIVATE_INLINE msg_t chMBPeekI(const mailbox_t *mailbox)
{
    return *mailbox->rdptr;
}

#endif
