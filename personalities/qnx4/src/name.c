/* Names: what the names server is asked (servers/names/client/src/protocol.rs has the protocol). */

#include <errno.h>
#include <sys/name.h>

#include "qnx4.h"

enum {
    LONGEST_NAME = 32,
    LONGEST_PATH = 64,
    OPERATION_REGISTER = 0,
    OPERATION_UNREGISTER = 1,
    OPERATION_LOCATE = 2,
    TRY = 1 << 8
};

struct request {
    uint32_t operation;
    char path[LONGEST_PATH];
};

/* The names of this process, by their ids from 1; an empty one is none. */
static char names[QNX4_NAMES][LONGEST_NAME + 1];

/* The errors that the server answers with, from 1. */
static int refused(uint32_t status)
{
    static const int numbers[] = {EINVAL, EACCES, ESRCH, EBUSY, EAGAIN, ESRCH, EAGAIN, ENOMEM, EINVAL};
    return qnx4_fail(status <= sizeof numbers / sizeof numbers[0] ? numbers[status - 1] : EINVAL);
}

/* Opens the connection to the server; where there is none, nothing has or finds a name. */
static int server(riposte_connection_t *connection)
{
    return riposte_connect("names", connection) == RIPOSTE_OK ? 0 : qnx4_fail(EACCES);
}

/* Asks the server about a name; the connection that it brings, if one is wanted. */
static int ask(uint32_t operation, const char *name, riposte_reply_t *reply, riposte_connection_t *brought)
{
    struct request request = {operation, {0}};
    riposte_connection_t names_server;
    riposte_error_t error;
    const size_t length = strlen(name);
    if (length > LONGEST_PATH)
        return qnx4_fail(EINVAL);
    if (server(&names_server) < 0)
        return -1;
    memcpy(request.path, name, length);
    error = riposte_send_bytes_for_handle_until(names_server, &request, sizeof request.operation + length,
                                                RIPOSTE_FOREVER, reply, brought);
    if (error != RIPOSTE_OK)
        return qnx4_private_fail(error);
    return reply->status ? refused(reply->status) : 0;
}

int qnx_name_attach(nid_t nid, const char *name)
{
    riposte_channel_t channel;
    riposte_reply_t reply;
    int id;
    if (nid != 0)
        return qnx4_fail(EHOSTUNREACH);
    if (strlen(name) > LONGEST_NAME)
        return qnx4_fail(EINVAL);
    if (!qnx4_find_channel(&channel))
        return qnx4_fail(EACCES);
    for (id = 0; names[id][0]; id++)
        if (id == QNX4_NAMES - 1)
            return qnx4_fail(EAGAIN);
    if (ask(OPERATION_REGISTER, name, &reply, NULL) < 0)
        return -1;
    strcpy(names[id], name);
    return id + 1;
}

int qnx_name_detach(nid_t nid, int name_id)
{
    riposte_reply_t reply;
    if (nid != 0)
        return qnx4_fail(EHOSTUNREACH);
    if (name_id < 1 || name_id > QNX4_NAMES || !names[name_id - 1][0])
        return qnx4_fail(EINVAL);
    if (ask(OPERATION_UNREGISTER, names[name_id - 1], &reply, NULL) < 0)
        return -1;
    names[name_id - 1][0] = 0;
    return 0;
}

pid_t qnx_name_locate(nid_t nid, const char *name, unsigned size, unsigned *copies)
{
    riposte_connection_t connection, known;
    riposte_reply_t reply;
    uint32_t pid;
    (void)size;
    if (nid != 0)
        return qnx4_fail(EHOSTUNREACH);
    if (ask(OPERATION_LOCATE | TRY, name, &reply, &connection) < 0)
        return -1;
    pid = reply.words[1] - RIPOSTE_PROCESS_BADGES + QNX4_PRIVATE_FIRST;
    /* It leads to a folder above the name, which is somebody else's name. */
    if (reply.words[0] != strlen(name) || pid >= QNX4_PIDS) {
        riposte_close(connection);
        return qnx4_fail(reply.words[0] != strlen(name) ? ESRCH : ENOMEM);
    }
    /* The newer one is of the life that has the name now. */
    known.handle = qnx4_private_connections[pid];
    if (known.handle && known.handle != connection.handle)
        riposte_close(known);
    qnx4_private_connections[pid] = connection.handle;
    if (copies)
        *copies = 1;
    return (pid_t)pid;
}
