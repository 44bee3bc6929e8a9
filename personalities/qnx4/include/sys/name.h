/* QNX 4's <sys/name.h> over the names server: names of processes. The manifest says who may attach and locate which
 * (`registers`, `finds`). A name begins with `/`. */

#ifndef QNX4_SYS_NAME_H
#define QNX4_SYS_NAME_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Names that a process can have attached at once. */
#define QNX4_NAMES 4

/** Gives this process a name, by which others locate it. It is gone with the process.
 *
 * @param nid This node: 0, or its number (`node` of the settings).
 * @param name The name.
 * @return The name's id, from 1; or -1.
 * @errno EBUSY The name is taken.
 * @errno EINVAL It is no name.
 * @errno EACCES The manifest does not let this process have the name, or it has no channel.
 * @errno EAGAIN This process has as many names as it may.
 * @errno EHOSTUNREACH The node is another one.
 * @blocks Only for the names server.
 * @from One thread of the process. */
int qnx_name_attach(nid_t nid, const char *name);

/** Gives a name up. Who has located it keeps its pid.
 *
 * @param nid This node: 0, or its number (`node` of the settings).
 * @param name_id The name's id.
 * @return 0, or -1.
 * @errno EINVAL There is no such name of this process.
 * @errno EHOSTUNREACH The node is another one.
 * @blocks Only for the names server.
 * @from One thread of the process. */
int qnx_name_detach(nid_t nid, int name_id);

/** Tells which process has a name. From then on this one can send to it.
 *
 * A process of another node is a virtual one here, to which a circuit leads that the manifest lists, as `//node/name`; each
 * call makes another, which qnx_vc_detach ends. A node has the number with which its name in the manifest ends: `node2` is 2.
 *
 * @param nid The node; 0 is this one and, if nobody has the name here, any other.
 * @param name The name, or with node 0 `//node/name`.
 * @param size Bytes of the longest message, on a network. Of no meaning here: the manifest says that.
 * @param copies Where it is stored how many processes have the name, which is 1; or NULL.
 * @return The pid, or -1.
 * @errno ESRCH No process has the name.
 * @errno EINVAL It is no name.
 * @errno EACCES The manifest does not let this process find the name.
 * @errno ENOMEM This process has no room for another connection (`handles`), or the pid is beyond QNX4_PIDS, or there are
 *     QNX4_CIRCUITS virtual processes.
 * @errno EHOSTUNREACH The manifest has no circuit to that name of that node which this process may find. Whether the node is
 *     there, and has the name, the first Send says.
 * @blocks Only for the names server.
 * @from One thread of the process. */
pid_t qnx_name_locate(nid_t nid, const char *name, unsigned size, unsigned *copies);

/** A name, as qnx_name_query tells it. */
struct _nameinfo {
    /** The node: 0 is this one, or one whose name ends with no number. */
    nid_t nid;
    /** The process that has the name; 0 if it is one of another node. */
    pid_t pid;
    /** The name. */
    char name[33];
};

/** Tells a name: that of the id or, if there is none, of the next higher id. So one who begins with 1, and goes on behind
 * what is returned, sees all names that the manifest lets this process find. The ids are of the table of all names, and
 * not those of qnx_name_attach.
 *
 * @param proc_pid The process manager of the node: 0 or PROC_PID.
 * @param name_id The id.
 * @param buffer Where the name is stored. Nothing is, where the call fails.
 * @return The name's id; -1.
 * @errno EINVAL There is no such name, and none behind.
 * @errno ESRCH The process manager is another one.
 * @errno ENOMEM This process has no room for another connection (`handles`).
 * @errno EACCES This process finds no names.
 * @blocks Only for the names server.
 * @from One thread of the process. */
int qnx_name_query(pid_t proc_pid, int name_id, struct _nameinfo *buffer);

#ifdef __cplusplus
}
#endif

#endif
