/* Virtual circuits, within one node. */

#include <errno.h>
#include <sys/name.h>
#include <sys/vc.h>

#include "qnx4.h"

int qnx_vc_poll(pid_t vid)
{
    return (unsigned)vid < QNX4_PIDS && qnx4_private_connections[vid] ? 0 : qnx4_fail(ESRCH);
}

pid_t qnx_vc_attach(nid_t nid, pid_t pid, unsigned length, int flags)
{
    (void)length;
    (void)flags;
    if (nid != 0)
        return qnx4_fail(EHOSTUNREACH);
    return qnx_vc_poll(pid) == 0 ? pid : -1;
}

pid_t qnx_vc_name_attach(nid_t nid, unsigned length, const char *name)
{
    return qnx_name_locate(nid, name, length, NULL);
}

int qnx_vc_detach(pid_t vid)
{
    return qnx_vc_poll(vid);
}
