/* Virtual circuits: to a process of another node leads a connection to a channel of the manager of the network, and a virtual
 * process stands for it here. Within one node the circuit is the process. */

#include <errno.h>
#include <sys/name.h>
#include <sys/vc.h>
#include <unistd.h>

#include "qnx4.h"

/* The node of each virtual process, and the name by which it was located. */
static nid_t nodes[QNX4_CIRCUITS];
static char paths[QNX4_CIRCUITS][QNX4_LONGEST_NAME + 1];

nid_t qnx4_node(void)
{
    uint32_t node = 0;
    return riposte_setting("node", &node) == RIPOSTE_OK ? (nid_t)node : 0;
}

nid_t getnid(void)
{
    return qnx4_node();
}

bool qnx4_is_here(nid_t nid)
{
    return nid == 0 || nid == qnx4_node();
}

static bool is_circuit(pid_t vid)
{
    return vid >= QNX4_PIDS && vid < QNX4_PRIVATE_PLACES && qnx4_private_connections[vid];
}

const char *qnx4_path(pid_t vid)
{
    return is_circuit(vid) ? paths[vid - QNX4_PIDS] : NULL;
}

pid_t qnx4_circuit(nid_t nid, const char *path, riposte_connection_t connection)
{
    const pid_t vid = qnx4_free_circuit();
    if (vid == QNX4_PRIVATE_PLACES) {
        riposte_close(connection);
        return qnx4_fail(ENOMEM);
    }
    nodes[vid - QNX4_PIDS] = nid;
    strcpy(paths[vid - QNX4_PIDS], path);
    qnx4_private_connections[vid] = connection.handle;
    return vid;
}

pid_t qnx4_next_circuit(nid_t nid, pid_t behind)
{
    pid_t vid = behind < QNX4_PIDS ? QNX4_PIDS : behind + 1;
    while (vid < QNX4_PRIVATE_PLACES && !(is_circuit(vid) && nodes[vid - QNX4_PIDS] == nid))
        vid++;
    return vid;
}

int qnx_vc_poll(pid_t vid)
{
    return (unsigned)vid < QNX4_PRIVATE_PLACES && qnx4_private_connections[vid] ? 0 : qnx4_fail(ESRCH);
}

pid_t qnx_vc_attach(nid_t nid, pid_t pid, unsigned length, int flags)
{
    (void)length;
    (void)flags;
    if (!qnx4_is_here(nid) && qnx4_next_circuit(nid, 0) == QNX4_PRIVATE_PLACES)
        return qnx4_fail(EHOSTUNREACH);
    if (qnx_vc_poll(pid) < 0)
        return -1;
    if (is_circuit(pid) ? nodes[pid - QNX4_PIDS] != nid : !qnx4_is_here(nid))
        return qnx4_fail(ESRCH);
    return pid;
}

pid_t qnx_vc_name_attach(nid_t nid, unsigned length, const char *name)
{
    return qnx_name_locate(nid, name, length, NULL);
}

int qnx_vc_detach(pid_t vid)
{
    riposte_connection_t connection;
    if (qnx_vc_poll(vid) < 0)
        return -1;
    if (is_circuit(vid)) {
        connection.handle = qnx4_private_connections[vid];
        qnx4_private_connections[vid] = 0;
        riposte_close(connection);
    }
    return 0;
}
