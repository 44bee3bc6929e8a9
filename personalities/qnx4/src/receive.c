/* Receiving, where it is more than a message of any process. */

#include <errno.h>

#include "qnx4.h"

uint32_t qnx4_private_connections[QNX4_PIDS];
riposte_token_t qnx4_private_clients[QNX4_PIDS];
riposte_channel_t qnx4_private_channel;

bool qnx4_find_channel(void)
{
    return qnx4_private_channel.handle || riposte_channel(NULL, &qnx4_private_channel) == RIPOSTE_OK;
}

/* Whether a client waits for its answer still. */
static bool waits(riposte_token_t token)
{
    return token.tag && riposte_read(token, 0, NULL, 0, NULL) == RIPOSTE_OK;
}

/* Takes a message that the inline half did not; 0 if it is nothing for a program. */
static pid_t take(const riposte_message_t *message, void *msg, unsigned nbytes)
{
    const uint32_t pid = message->badge - RIPOSTE_PROCESS_BADGES + QNX4_PRIVATE_FIRST;
    if (message->notice)
        return 0;
    if (message->memory == RIPOSTE_INFO_MOVED)
        riposte_release((void *)(uintptr_t)message->words[0]);
    /* A client that left without an answer, or has ended, has left its place. */
    if (!message->memory && pid < QNX4_PIDS && !waits(qnx4_private_clients[pid])) {
        qnx4_private_clients[pid].tag = 0;
        return qnx4_private_take(message, msg, nbytes);
    }
    riposte_reply_error(message->token, EAGAIN);
    return 0;
}

pid_t qnx4_private_received(riposte_error_t error, const riposte_message_t *message, void *msg, unsigned nbytes)
{
    pid_t from;
    if (error != RIPOSTE_OK)
        return qnx4_private_fail(error);
    from = take(message, msg, nbytes);
    return from ? from : qnx4_private_receive(0, msg, nbytes, RIPOSTE_FOREVER);
}

pid_t qnx4_private_receive(pid_t pid, void *msg, unsigned nbytes, riposte_deadline_t deadline)
{
    riposte_message_t message;
    riposte_error_t error;
    pid_t from = 0;
    if (!qnx4_find_channel())
        return qnx4_fail(EPERM);
    while (from == 0) {
        if (pid == 0)
            error = riposte_receive_until(qnx4_private_channel, msg, nbytes, deadline, &message);
        else
            error = riposte_receive_from_until(
                qnx4_private_channel,
                riposte_peer_badge(RIPOSTE_PROCESS_BADGES + (uint32_t)pid - QNX4_PRIVATE_FIRST), msg, nbytes, deadline,
                &message);
        if (error != RIPOSTE_OK)
            return qnx4_private_fail(error);
        from = qnx4_private_take(&message, msg, nbytes);
        if (from == 0)
            from = take(&message, msg, nbytes);
    }
    return from;
}
