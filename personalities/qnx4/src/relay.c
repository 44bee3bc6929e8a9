/* Clients that are handed on. */

#include <errno.h>

#include "qnx4.h"

int Relay(pid_t pid, pid_t to)
{
    const riposte_token_t token = qnx4_client(pid);
    riposte_connection_t connection = {0};
    riposte_error_t error;
    if ((unsigned)to < QNX4_PRIVATE_PLACES)
        connection.handle = qnx4_private_connections[to];
    if (!token.tag || !connection.handle)
        return qnx4_fail(ESRCH);
    qnx4_private_free(pid);
    error = riposte_relay(token, connection, qnx4_private_kept[pid], token.tag & RIPOSTE_INFO_LENGTH_MASK);
    if (error == RIPOSTE_OK)
        return 0;
    qnx4_private_not_replied(pid, token, error);
    return error == RIPOSTE_ERROR_BAD_CALL ? qnx4_fail(EPERM) : -1;
}
