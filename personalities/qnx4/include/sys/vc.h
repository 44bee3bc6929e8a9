/* QNX 4's <sys/vc.h>: virtual circuits to processes of other nodes. Which there can be the manifest lists, by the names of the
 * processes that they lead to: qnx_name_locate finds one, and a virtual process stands for it. On the same node a circuit to a
 * process is the process. */

#ifndef QNX4_SYS_VC_H
#define QNX4_SYS_VC_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sets up a circuit to a process. To one of another node this has located a name, which has made the circuit: it is
 * returned.
 *
 * @param nid The node; 0 is this one.
 * @param pid A process of which this one has located a name, by the number that was returned.
 * @param length Bytes of the longest message. Of no meaning here.
 * @param flags Of no meaning here.
 * @return The circuit, by whose number one sends: the pid; -1.
 * @errno ESRCH There is no such process, it is none of that node, or no name of it was located.
 * @errno EHOSTUNREACH No name of that node was located.
 * @blocks Never.
 * @from One thread of the process. */
pid_t qnx_vc_attach(nid_t nid, pid_t pid, unsigned length, int flags);

/** Sets up a circuit to the process that has a name, as qnx_name_locate.
 *
 * @param nid The node, as there.
 * @param length Bytes of the longest message. Of no meaning here.
 * @param name The name.
 * @return The circuit; -1.
 * @errno As qnx_name_locate.
 * @blocks Only for the names server.
 * @from One thread of the process. */
pid_t qnx_vc_name_attach(nid_t nid, unsigned length, const char *name);

/** Gives a circuit up, and its virtual process with it. One can still send to a process of this node.
 *
 * @param vid The circuit.
 * @return 0, or -1.
 * @errno ESRCH There is none.
 * @blocks Never.
 * @from One thread of the process. */
int qnx_vc_detach(pid_t vid);

/** Tells whether there is such a circuit. That its process has ended, or its node is gone, the next Send says: to stand by, a
 * circuit sends nothing.
 *
 * @param vid The circuit.
 * @return 0, or -1.
 * @errno ESRCH There is none.
 * @blocks Never.
 * @from One thread of the process. */
int qnx_vc_poll(pid_t vid);

#ifdef __cplusplus
}
#endif

#endif
