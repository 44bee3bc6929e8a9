/* QNX 4's <sys/vc.h>: virtual circuits to processes of other nodes. There is one node yet: a circuit to a process of it is
 * the process. */

#ifndef QNX4_SYS_VC_H
#define QNX4_SYS_VC_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sets up a circuit to a process.
 *
 * @param nid The node: 0.
 * @param pid A process of which this one has located a name.
 * @param length Bytes of the longest message. Of no meaning here.
 * @param flags Of no meaning here.
 * @return The circuit, by whose number one sends: the pid; -1.
 * @errno ESRCH There is no such process, or no name of it was located.
 * @errno EHOSTUNREACH The node is another one.
 * @blocks Never.
 * @from One thread of the process. */
pid_t qnx_vc_attach(nid_t nid, pid_t pid, unsigned length, int flags);

/** Sets up a circuit to the process that has a name, as qnx_name_locate.
 *
 * @param nid The node: 0.
 * @param length Bytes of the longest message. Of no meaning here.
 * @param name The name.
 * @return The circuit; -1.
 * @errno As qnx_name_locate.
 * @blocks Only for the names server.
 * @from One thread of the process. */
pid_t qnx_vc_name_attach(nid_t nid, unsigned length, const char *name);

/** Gives a circuit up. One can still send to a process of this node.
 *
 * @param vid The circuit.
 * @return 0, or -1.
 * @errno ESRCH There is none.
 * @blocks Never.
 * @from One thread of the process. */
int qnx_vc_detach(pid_t vid);

/** Tells whether a circuit stands. Within one node it does; that its process has ended, the next Send says.
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
