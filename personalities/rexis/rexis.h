/* The message calls of REXIS (ImageCraft) over Riposte: docs/src/personalities/rexis.md says what is
 * supported, and what is not.
 *
 * A task of REXIS is a process here, which receives from the channel that it owns; others reach it by a
 * connection of the manifest. Names and order of arguments are those of the published benchmark
 * ("Synchronous Message Passing and REXIS Benchmarking"), so that a program written for them compiles
 * as it is. A timeout is in milliseconds, and 0 is none. */

#ifndef REXIS_H
#define REXIS_H

#include <riposte.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A task that messages can be sent to. */
typedef riposte_connection_t REXIS_PID;

/** A task that sent a message and waits for the reply. */
typedef riposte_token_t REXIS_SENDER;

/* The moment at which a timeout ends, as a deadline. */
RIPOSTE_PRIVATE_INLINE riposte_deadline_t rexis_deadline(unsigned timeout)
{
    return timeout ? riposte_clock() + timeout * UINT64_C(1000000) : RIPOSTE_FOREVER;
}

/** Tells the pid of the task behind a connection of the manifest. REXIS gives it to whoever creates the
 * task; here the manifest has created it.
 *
 * @param name The connection's name in app.toml.
 * @return The pid; its handle is 0 if the manifest gives this task no such connection, or the task is
 * dead.
 * @blocks Never.
 * @from Any thread. */
static inline REXIS_PID REXIS_TaskPid(const char *name)
{
    REXIS_PID pid = {0};
    if (riposte_connect(name, &pid) != RIPOSTE_OK)
        pid.handle = 0;
    return pid;
}

/** Sends a message to a task and waits until that has replied.
 *
 * @param pid The task.
 * @param msg The message.
 * @param len Its bytes.
 * @param reply Where the reply is stored, as far as there is room.
 * @param reply_len Bytes of room.
 * @return Whether the message was answered: not if the pid is none, or the task has died, or a signal was handled
 * meanwhile: the task may then have the message. Where its channel has `notify = ["unblock"]` in app.toml, it has
 * not: a message that it has received is waited for until it is answered.
 * @blocks Until the task replies.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE bool REXIS_MessageSend(REXIS_PID pid, const void *msg, size_t len, void *reply,
                                              size_t reply_len)
{
    return riposte_send(pid, msg, len, reply, reply_len, NULL) == RIPOSTE_OK;
}

/* The channel of this task, found once; its handle is 0 if it owns none. */
__attribute__((weak)) riposte_channel_t rexis_channel;

RIPOSTE_PRIVATE_COLD bool rexis_find_channel(void)
{
    return riposte_channel(NULL, &rexis_channel) == RIPOSTE_OK;
}

/* Whether what was received is a message; its bytes are then in the buffer. */
RIPOSTE_PRIVATE_INLINE bool rexis_accept(const riposte_message_t *message, void *buf, size_t len)
{
    if (message->notice || message->memory)
        return false;
    /* The words behind the message are zeros. What the buffer holds behind it is an earlier one, of somebody else. */
    size_t known = message->length;
    if (!message->buffer) {
        known = len < sizeof message->words ? len : sizeof message->words;
        memcpy(buf, message->words, known);
    }
    if (known < len)
        memset((char *)buf + known, 0, len - known);
    return true;
}

/* What was moved here would have its window for ever. */
RIPOSTE_PRIVATE_COLD void rexis_refuse_memory(const riposte_message_t *message)
{
    if (message->memory == RIPOSTE_INFO_MOVED)
        riposte_release((void *)(uintptr_t)message->words[0]);
    if (message->memory)
        riposte_reply_error(message->token, RIPOSTE_ERROR_BAD_ARGUMENT);
}

/* What is no message of REXIS's wakes no task: the sender of memory is refused, notices are nobody's, and signals are
 * handled meanwhile. */
RIPOSTE_PRIVATE_COLD bool rexis_receive_until(REXIS_SENDER *sender, void *buf, size_t len,
                                              riposte_deadline_t deadline)
{
    riposte_message_t message;
    riposte_error_t error;
    while ((error = riposte_receive_until(rexis_channel, buf, len, deadline, &message)) == RIPOSTE_OK
           || error == RIPOSTE_ERROR_INTERRUPTED) {
        if (error != RIPOSTE_OK)
            continue;
        if (rexis_accept(&message, buf, len)) {
            *sender = message.token;
            return true;
        }
        rexis_refuse_memory(&message);
    }
    return false;
}

/* As a receive went that was made: goes on waiting if it brought no message. */
RIPOSTE_PRIVATE_INLINE bool rexis_received(riposte_error_t error, const riposte_message_t *message,
                                           REXIS_SENDER *sender, void *buf, size_t len)
{
    if (!RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK)) {
        if (error != RIPOSTE_ERROR_INTERRUPTED)
            return false;
    } else if (RIPOSTE_PRIVATE_LIKELY(rexis_accept(message, buf, len))) {
        *sender = message->token;
        return true;
    } else {
        rexis_refuse_memory(message);
    }
    return rexis_receive_until(sender, buf, len, RIPOSTE_FOREVER);
}

/** Waits for a message of any task.
 *
 * @param sender Where it is stored who waits for the reply.
 * @param buf Where the message is stored, as far as there is room; what lies behind the message
 * becomes zeros.
 * @param len Bytes of room.
 * @param timeout How long, in milliseconds; 0 is for ever.
 * @return Whether there is a message: not after the timeout, nor if this task owns no channel.
 * @blocks Until a message comes, or the timeout.
 * @from The task's main thread. */
RIPOSTE_PRIVATE_INLINE bool REXIS_MessageReceive(REXIS_SENDER *sender, void *buf, size_t len, unsigned timeout)
{
    riposte_message_t message;
    riposte_error_t error;
    if (!RIPOSTE_PRIVATE_LIKELY(rexis_channel.handle != 0) && !rexis_find_channel())
        return false;
    if (!(__builtin_constant_p(timeout) && timeout == 0))
        return rexis_receive_until(sender, buf, len, rexis_deadline(timeout));
    error = riposte_receive(rexis_channel, buf, len, &message);
    return rexis_received(error, &message, sender, buf, len);
}

/** Replies to a task that waits for it.
 *
 * @param sender The task.
 * @param buf The reply.
 * @param len Its bytes.
 * @return Whether the task got it: not if it no longer waits.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE bool REXIS_MessageReply(REXIS_SENDER sender, const void *buf, size_t len)
{
    return riposte_reply(sender, 0, buf, len, NULL) == RIPOSTE_OK;
}

/** REXIS_MessageReply, then REXIS_MessageReceive, in one system call. REXIS has no such call: who ports a
 * server joins its two calls into this one.
 *
 * @param sender The task; then where it is stored who waits for the next reply.
 * @param reply The reply.
 * @param reply_len Its bytes.
 * @param buf Where the next message is stored, as far as there is room.
 * @param len Bytes of room.
 * @param timeout How long to wait for it, in milliseconds; 0 is for ever.
 * @return What the receive returns. A task that no longer waits for its reply is no error.
 * @blocks Until a message comes, or the timeout.
 * @from The task's main thread. */
RIPOSTE_PRIVATE_INLINE bool REXIS_MessageReplyReceive(REXIS_SENDER *sender, const void *reply, size_t reply_len,
                                                      void *buf, size_t len, unsigned timeout)
{
    riposte_message_t message;
    riposte_error_t error;
    if (!(__builtin_constant_p(timeout) && timeout == 0) || rexis_channel.handle == 0) {
        REXIS_MessageReply(*sender, reply, reply_len);
        return REXIS_MessageReceive(sender, buf, len, timeout);
    }
    error = riposte_reply_and_receive(rexis_channel, *sender, 0, reply, reply_len, buf, len, &message);
    if (!RIPOSTE_PRIVATE_LIKELY(error != RIPOSTE_ERROR_NO_SUCH_CLIENT))
        return rexis_receive_until(sender, buf, len, RIPOSTE_FOREVER);
    return rexis_received(error, &message, sender, buf, len);
}

/* --- Mailboxes and mutexes ---------------------------------------------------------------------- */

/** A mailbox of one slot, static or in a region that processes share; all zeros is an empty one. */
typedef riposte_mailbox_t REXIS_MAILBOX;

/** A mutex, static or in a region that processes share; all zeros is a free one. */
typedef riposte_mutex_t REXIS_MUTEX;

/** Posts a pointer, or any other word but 0, and waits for the mailbox to be empty. Between processes
 * that is no address: each has its own memory.
 *
 * @param mailbox The mailbox.
 * @param message The pointer, not NULL.
 * @return 0; less if the pointer is NULL.
 * @blocks Until the mailbox is empty.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int REXIS_MailboxPost(REXIS_MAILBOX *mailbox, void *message)
{
    riposte_error_t error;
    do
        error = riposte_mailbox_post(mailbox, (uint32_t)(uintptr_t)message);
    while (!RIPOSTE_PRIVATE_LIKELY(error != RIPOSTE_ERROR_INTERRUPTED));
    return error == RIPOSTE_OK ? 0 : -1;
}

/** Posts a pointer if the mailbox is empty.
 *
 * @param mailbox The mailbox.
 * @param message The pointer, not NULL.
 * @return 0; less if the mailbox is full, or the pointer is NULL.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int REXIS_MailboxTryPost(REXIS_MAILBOX *mailbox, void *message)
{
    return riposte_mailbox_try_post(mailbox, (uint32_t)(uintptr_t)message) == RIPOSTE_OK ? 0 : -1;
}

/** Fetches what was posted.
 *
 * @param mailbox The mailbox.
 * @param message Where the pointer is stored.
 * @param timeout How long to wait for it, in milliseconds; 0 is for ever.
 * @return 0; less after the timeout.
 * @blocks Until something is posted, or the timeout.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int REXIS_MailboxFetch(REXIS_MAILBOX *mailbox, void **message, unsigned timeout)
{
    const riposte_deadline_t deadline = rexis_deadline(timeout);
    riposte_error_t error;
    uint32_t word;
    do
        error = riposte_mailbox_fetch_until(mailbox, deadline, &word);
    while (!RIPOSTE_PRIVATE_LIKELY(error != RIPOSTE_ERROR_INTERRUPTED));
    if (error != RIPOSTE_OK)
        return -1;
    *message = (void *)(uintptr_t)word;
    return 0;
}

/** Fetches what was posted, if something was.
 *
 * @param mailbox The mailbox.
 * @param message Where the pointer is stored.
 * @return 0; less if the mailbox is empty.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int REXIS_MailboxTryFetch(REXIS_MAILBOX *mailbox, void **message)
{
    uint32_t word;
    if (riposte_mailbox_try_fetch(mailbox, &word) != RIPOSTE_OK)
        return -1;
    *message = (void *)(uintptr_t)word;
    return 0;
}

/** Takes a mutex. Its holder has at least the priority of who waits.
 *
 * @param mutex The mutex.
 * @param timeout How long to wait for it, in milliseconds; 0 is for ever.
 * @return 0; less after the timeout, or if the holder waits for the caller in the end, or is the caller.
 * @blocks Until the mutex is free, or the timeout.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int REXIS_MutexLock(REXIS_MUTEX *mutex, unsigned timeout)
{
    return riposte_mutex_lock_until(mutex, rexis_deadline(timeout)) == RIPOSTE_OK ? 0 : -1;
}

/** Gives a mutex up: the most urgent thread that waits gets it.
 *
 * @param mutex The mutex.
 * @return 0; less if the caller does not hold it.
 * @blocks Never.
 * @from The thread that holds it. */
RIPOSTE_PRIVATE_INLINE int REXIS_MutexUnlock(REXIS_MUTEX *mutex)
{
    return riposte_mutex_unlock(mutex) == RIPOSTE_OK ? 0 : -1;
}

#ifdef __cplusplus
}
#endif

#endif
