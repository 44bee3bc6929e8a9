/* Clients that are handed on. */

#include <errno.h>

#include "qnx4.h"

#ifdef QNX4_RELAYS

/* What the processes that wait have sent in registers: the kernel does not keep it. */
static struct {
    uint32_t words[RIPOSTE_MESSAGE_WORDS];
    size_t length;
} kept[QNX4_PRIVATE_PLACES];

void qnx4_private_keep(pid_t pid, const riposte_message_t *message)
{
    memcpy(kept[pid].words, message->words, sizeof kept[pid].words);
    kept[pid].length = message->length;
}

int Relay(pid_t pid, pid_t to)
{
    const riposte_token_t token = qnx4_client(pid);
    riposte_connection_t connection = {0};
    riposte_error_t error;
    if ((unsigned)to < QNX4_PRIVATE_PLACES)
        connection.handle = qnx4_private_connections[to];
    if (!token.tag || !connection.handle)
        return qnx4_fail(ESRCH);
    error = riposte_relay(token, connection, kept[pid].words, kept[pid].length);
    if (error != RIPOSTE_OK)
        return error == RIPOSTE_ERROR_BAD_CALL ? qnx4_fail(EPERM) : qnx4_private_fail(error);
    qnx4_private_clients[pid].tag = 0;
    return 0;
}

#endif
