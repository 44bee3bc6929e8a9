/* Names: what the names server is asked (servers/names/client/src/protocol.rs has the protocol). */

#include <errno.h>
#include <sys/name.h>

#include "qnx4.h"

enum {
    LONGEST_PATH = 64,
    IDS = 1 << 16,
    ARGUMENT = 16,
    OPERATION_REGISTER = 0,
    OPERATION_UNREGISTER = 1,
    OPERATION_LOCATE = 2,
    OPERATION_LIST = 3,
    TRY = 1 << 8,
    /* A process's badge is RIPOSTE_PROCESS_BADGES and its place in the manifest, and no place is beyond this. */
    LAST_PROCESS = 255
};

struct request {
    uint32_t operation;
    char path[LONGEST_PATH];
};

/* The names of this process, by their ids from 1; an empty one is none. */
static char names[QNX4_NAMES][QNX4_LONGEST_NAME + 1];

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

/* The place of a name of this process, or a free one of none; QNX4_NAMES if there is none. */
static int place_of(const char *name)
{
    int id = 0;
    while (id < QNX4_NAMES && strcmp(names[id], name) != 0)
        id++;
    return id;
}

int qnx_name_attach(nid_t nid, const char *name)
{
    riposte_channel_t channel;
    riposte_reply_t reply;
    int id;
    if (!qnx4_is_here(nid))
        return qnx4_fail(EHOSTUNREACH);
    if (strlen(name) > QNX4_LONGEST_NAME)
        return qnx4_fail(EINVAL);
    if (!qnx4_find_channel(&channel))
        return qnx4_fail(EACCES);
    /* The server gives a process its own name again: that is one name, and one place. */
    id = place_of(name);
    if (id == QNX4_NAMES)
        id = place_of("");
    if (id == QNX4_NAMES)
        return qnx4_fail(EAGAIN);
    if (ask(OPERATION_REGISTER, name, &reply, NULL) < 0)
        return -1;
    strcpy(names[id], name);
    return id + 1;
}

int qnx_name_detach(nid_t nid, int name_id)
{
    riposte_reply_t reply;
    if (!qnx4_is_here(nid))
        return qnx4_fail(EHOSTUNREACH);
    if (name_id < 1 || name_id > QNX4_NAMES || !names[name_id - 1][0])
        return qnx4_fail(EINVAL);
    /* A server that has begun anew does not know it: it is detached all the same. */
    if (ask(OPERATION_UNREGISTER, names[name_id - 1], &reply, NULL) < 0 && errno != ESRCH)
        return -1;
    names[name_id - 1][0] = 0;
    return 0;
}

pid_t qnx4_find(const char *name, riposte_connection_t *connection)
{
    riposte_reply_t reply;
    uint32_t process;
    if (ask(OPERATION_LOCATE | TRY, name, &reply, connection) < 0)
        return -1;
    process = reply.words[1] - RIPOSTE_PROCESS_BADGES;
    /* It leads to a folder above the name, which is somebody else's name; or the server says what none says. */
    if (reply.words[0] != strlen(name) || process > LAST_PROCESS) {
        riposte_close(*connection);
        return qnx4_fail(ESRCH);
    }
    return (pid_t)(process + QNX4_PRIVATE_FIRST);
}

/* The process of this node that has a name. */
static pid_t locate_here(const char *name)
{
    riposte_connection_t connection, known;
    const pid_t pid = qnx4_find(name, &connection);
    if (pid == -1)
        return -1;
    if (pid >= QNX4_PIDS) {
        riposte_close(connection);
        return qnx4_fail(ENOMEM);
    }
    /* The newer one is of the life that has the name now. */
    known.handle = qnx4_private_connections[pid];
    if (known.handle && known.handle != connection.handle)
        riposte_close(known);
    qnx4_private_connections[pid] = connection.handle;
    return pid;
}

/* Whether a name is one of another node: //node/name. Its node's number, with which the node's name ends, or 0; and the name
 * there. */
static bool is_remote(const char *name, nid_t *nid, const char **rest)
{
    nid_t number = 0;
    const char *at = name + 2;
    if (name[0] != '/' || name[1] != '/')
        return false;
    for (; *at && *at != '/'; at++)
        number = *at >= '0' && *at <= '9' && number < 1000 ? number * 10 + (*at - '0') : 0;
    *nid = number;
    *rest = at;
    return true;
}

/* A virtual process for the process of another node that has this name, //node/name. */
static pid_t locate_there(const char *path)
{
    riposte_connection_t connection;
    const char *rest;
    nid_t nid;
    if (strlen(path) > QNX4_LONGEST_NAME)
        return qnx4_fail(ESRCH);
    if (!is_remote(path, &nid, &rest) || qnx4_find(path, &connection) == -1)
        return -1;
    return qnx4_circuit(nid, path, connection);
}

/* Asks for the first name from an id on; the id behind it, or -1 if there is none. */
static int list(int from, char name[QNX4_LONGEST_NAME + 1])
{
    struct {
        uint32_t next;
        char name[QNX4_LONGEST_NAME];
    } answer;
    const uint32_t request = OPERATION_LIST | (uint32_t)from << ARGUMENT;
    riposte_connection_t names_server;
    riposte_reply_t reply;
    riposte_error_t error;
    if (server(&names_server) < 0)
        return -1;
    error = riposte_send(names_server, &request, sizeof request, &answer, sizeof answer, &reply);
    if (error != RIPOSTE_OK)
        return qnx4_private_fail(error);
    if (reply.status) {
        refused(reply.status);
        return errno == ESRCH ? qnx4_fail(EINVAL) : -1;
    }
    /* Each name is behind the one before. */
    if (reply.length < sizeof answer.next || answer.next <= (uint32_t)from || answer.next > IDS)
        return qnx4_fail(EINVAL);
    memcpy(name, answer.name, reply.length - sizeof answer.next);
    name[reply.length - sizeof answer.next] = 0;
    return (int)answer.next;
}

/* The virtual process for the first one of another node, which is `nid` if that is not 0, that has this name there. */
static pid_t locate_elsewhere(nid_t nid, const char *name)
{
    char path[QNX4_LONGEST_NAME + 1];
    const char *rest;
    nid_t node;
    int id = 0;
    while (id < IDS && (id = list(id, path)) != -1)
        if (is_remote(path, &node, &rest) && strcmp(rest, name) == 0 && (nid == 0 || nid == node))
            return locate_there(path);
    return qnx4_fail(EHOSTUNREACH);
}

pid_t qnx_name_locate(nid_t nid, const char *name, unsigned size, unsigned *copies)
{
    pid_t pid;
    (void)size;
    if (name[0] == '/' && name[1] == '/') {
        pid = nid == 0 ? locate_there(name) : qnx4_fail(EINVAL);
    } else if (qnx4_is_here(nid)) {
        pid = locate_here(name);
        /* A name that nobody has here is looked for in the network. */
        if (pid == -1 && nid == 0 && (errno == ESRCH || errno == EACCES)) {
            const int here = errno;
            pid = locate_elsewhere(0, name);
            if (pid == -1 && errno == EHOSTUNREACH)
                errno = here;
        }
    } else {
        pid = locate_elsewhere(nid, name);
    }
    if (pid != -1 && copies)
        *copies = 1;
    return pid;
}

int qnx_name_query(pid_t proc_pid, int name_id, struct _nameinfo *buffer)
{
    struct _nameinfo found = {0, 0, {0}};
    const char *rest;
    if (proc_pid != 0 && proc_pid != PROC_PID)
        return qnx4_fail(ESRCH);
    if (name_id > 0)
        name_id--;
    for (;;) {
        riposte_connection_t connection;
        if (name_id < 0 || name_id >= IDS)
            return qnx4_fail(EINVAL);
        name_id = list(name_id, found.name);
        if (name_id == -1)
            return -1;
        if (is_remote(found.name, &found.nid, &rest)) {
            *buffer = found;
            return name_id;
        }
        found.pid = qnx4_find(found.name, &connection);
        if (found.pid != -1) {
            /* The kernel may have handed over one that this process keeps. */
            if (found.pid >= QNX4_PIDS || qnx4_private_connections[found.pid] != connection.handle)
                riposte_close(connection);
            *buffer = found;
            return name_id;
        }
        /* Its owner ended between the two questions. */
        if (errno != ESRCH)
            return -1;
    }
}
