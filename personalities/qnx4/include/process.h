/* QNX 4's <process.h>: children. They are programs that the manifest names (`[[program]]`), and that it lets this process
 * spawn (`spawns`, `children`). Their ends are waited for with <sys/wait.h>. */

#ifndef QNX4_PROCESS_H
#define QNX4_PROCESS_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is in a message to QNX 4's process manager. */
struct _proc_spawn;

/* Flags of qnx_spawn that change nothing here: there are no sessions, process groups or terminals. */
#define _SPAWN_BGROUND 0x0004
#define _SPAWN_NEWPGRP 0x0008
#define _SPAWN_TCSETPGRP 0x0010
#define _SPAWN_SIGCLR 0x0080
#define _SPAWN_SETSID 0x0100
#define _SPAWN_NOHUP 0x0200

/** Descriptors that a child can be given. */
#define QNX4_IOV 10

/** Starts a program as a child.
 *
 * @param exec 0: a process does not become another program.
 * @param msgbuf Of no meaning here; NULL.
 * @param node The node: 0.
 * @param prio The priority: -1, which is the program's in the manifest.
 * @param sched_algo The policy: -1, which is the program's in the manifest.
 * @param flags The sum of flags above.
 * @param path The program; only what is behind the last `/` counts.
 * @param argv Its arguments, with a NULL behind them.
 * @param envp Its environment, with a NULL behind it; or NULL: none.
 * @param iov QNX4_IOV descriptors, which become the child's 0, 1 and so on; (char)-1 is the same one here. NULL: all
 *        are. A child has those below 2 only.
 * @param ctfd Of no meaning here.
 * @return The child's number, which waitpid takes; -1. To send it a message, locate a name of it.
 * @errno ENOENT There is no such program.
 * @errno EPERM The manifest does not let this process spawn it.
 * @errno EAGAIN All its instances run, or this process has as many children as it may.
 * @errno E2BIG There are too many bytes of arguments and environment.
 * @errno EBADF A descriptor is none.
 * @errno ENOTSUP exec, the priority, the policy, a flag, or a descriptor that a child cannot get.
 * @errno EHOSTUNREACH The node is another one.
 * @blocks Only for the process manager.
 * @from One thread of the process. */
pid_t qnx_spawn(int exec, struct _proc_spawn *msgbuf, nid_t node, int prio, int sched_algo, int flags, const char *path,
                char **argv, char **envp, char *iov, int ctfd);

#ifdef __cplusplus
}
#endif

#endif
