/* Synchronous messages from thread to thread, of a word each way. Included by ch.h.
 *
 * A sender puts itself in front of the receiver's `inbox` and wakes it; the receiver takes the whole
 * inbox at a time, and turns it round, so that who came first is served first. */

#ifndef CH_MESSAGES_H
#define CH_MESSAGES_H

/** Sends a message to a thread, and waits for its answer.
 *
 * @param to The thread.
 * @param message The message.
 * @return The answer.
 * @blocks Until the thread has received the message and answered it.
 * @from Another thread. */
RIPOSTE_PRIVATE_INLINE msg_t chMsgSend(thread_t *to, msg_t message)
{
    thread_t *self = chThdGetSelfX();
    uint32_t newest = riposte_word_load(&to->inbox);
    self->message = message;
    self->answered = 0;
    do
        self->next = (thread_t *)(uintptr_t)newest;
    while (!riposte_word_compare_exchange(&to->inbox, &newest, (uint32_t)(uintptr_t)self));
    /* It waits only where there was nobody. */
    if (newest == 0)
        ch_wake(&to->inbox);
    while (riposte_word_load(&self->answered) == 0)
        ch_wait(&self->answered, 0);
    return self->message;
}

/* Takes the senders of the inbox, which has some: the oldest. */
thread_t *ch_inbox_oldest(thread_t *self, thread_t *newest);

RIPOSTE_PRIVATE_INLINE thread_t *ch_inbox_take(thread_t *self, uint32_t newest)
{
    thread_t *sender = (thread_t *)(uintptr_t)newest;
    if (RIPOSTE_PRIVATE_LIKELY(sender->next == NULL))
        return sender;
    return ch_inbox_oldest(self, sender);
}

/* The next sender that the calling thread has seen, which is not NULL. */
RIPOSTE_PRIVATE_INLINE thread_t *ch_seen_take(thread_t *self)
{
    thread_t *sender = self->seen;
    self->seen = sender->next;
    return sender;
}

/** Waits for a message.
 *
 * @return Who sent it, for chMsgGet and chMsgRelease. The sender waits until it is answered; other
 * messages can be received before.
 * @blocks Until there is one.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE thread_t *chMsgWait(void)
{
    thread_t *self = chThdGetSelfX();
    uint32_t newest;
    if (self->seen != NULL)
        return ch_seen_take(self);
    while (newest = riposte_word_swap(&self->inbox, 0), newest == 0)
        ch_wait(&self->inbox, 0);
    return ch_inbox_take(self, newest);
}

/** As chMsgWait, but not for longer than a time.
 *
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return Who sent it, or NULL.
 * @blocks Until there is one, or for the time.
 * @from Any thread. */
thread_t *chMsgWaitTimeout(sysinterval_t timeout);
#define chMsgPoll() chMsgWaitTimeout(TIME_IMMEDIATE)
/** As chMsgWaitTimeout, within chSysLock, which a thread that waits is out of. */
thread_t *chMsgWaitTimeoutS(sysinterval_t timeout);
#define chMsgWaitS() chMsgWaitTimeoutS(TIME_INFINITE)
#define chMsgPollS() chMsgWaitTimeoutS(TIME_IMMEDIATE)

/** Tells what a thread has sent.
 *
 * @param sender The thread, from chMsgWait.
 * @return Its message. */
RIPOSTE_PRIVATE_INLINE msg_t chMsgGet(thread_t *sender)
{
    return sender->message;
}

/** Answers a message.
 *
 * @param sender Who sent it, from chMsgWait.
 * @param message The answer.
 * @blocks Never; a more urgent sender runs at once.
 * @from The thread that has received it. */
RIPOSTE_PRIVATE_INLINE void chMsgRelease(thread_t *sender, msg_t message)
{
    sender->message = message;
    riposte_word_store(&sender->answered, 1);
    ch_wake(&sender->answered);
}

#define chMsgReleaseS(sender, message) chMsgRelease((sender), (message))

/** Tells whether a thread has messages that it has not received.
 *
 * @param thread The thread.
 * @return Whether. */
RIPOSTE_PRIVATE_INLINE bool chMsgIsPendingI(const thread_t *thread)
{
    return thread->seen != NULL || riposte_word_load(&thread->inbox) != 0;
}

#endif
