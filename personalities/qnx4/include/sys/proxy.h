/* QNX 4's <sys/proxy.h>: messages that a process has made beforehand, and that others trigger. */

#ifndef QNX4_SYS_PROXY_H
#define QNX4_SYS_PROXY_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Proxies that a process can have attached, and as many of others of which it keeps the right
 * to trigger them: that of the oldest is given up for a further one, and asked for again. */
#define QNX4_PROXIES 8

/** Makes a proxy, whose message this process receives whenever somebody triggers it. Whoever knows its number can, if
 * it has located a name of this process.
 *
 * @param pid This process: 0, or its pid.
 * @param data The message.
 * @param nbytes Its bytes, at most 100.
 * @param priority Of no meaning: messages come in the order of the channel. -1 where one does not care.
 * @return The proxy's number, of the space of pids; -1.
 * @errno EAGAIN This process has as many proxies as it may (`proxies` of the manifest, QNX4_PROXIES).
 * @errno EINVAL The message is too long.
 * @errno EFAULT The message is not in this process's memory.
 * @errno ESRCH The pid is another process's.
 * @errno EPERM The manifest gives this process no channel.
 * @blocks Never.
 * @from One thread of the process. */
pid_t qnx_proxy_attach(pid_t pid, const void *data, int nbytes, int priority);

/** Ends a proxy: what of it was not received is gone.
 *
 * @param proxy The proxy.
 * @return 0, or -1.
 * @errno ESRCH There is no such proxy.
 * @errno EPERM It is another process's.
 * @blocks Never.
 * @from One thread of the process. */
int qnx_proxy_detach(pid_t proxy);

/** Has processes of another node trigger a proxy of this one: by the number that is returned, which it sends them. Such a
 * process has to have located a name of this one, which the manifest lists as a circuit. With node 0 it gets the right to
 * trigger another process's proxy now, instead of at the first Trigger.
 *
 * @param nid The other node; 0 or this node's number is this one.
 * @param proxy The proxy: of this process; on this node, of any process of which this one has located a name.
 * @return The number to trigger there, which on this node is the same; -1.
 * @errno ESRCH EDEADLK As Trigger.
 * @errno EPERM It is another process's, and the node is another one.
 * @errno EHOSTUNREACH The manifest does not say this node's number (`node` of the process's settings, 1 to 63), or the other one is
 *     none.
 * @blocks Until the other process receives, on this node; else never.
 * @from One thread of the process. */
pid_t qnx_proxy_rem_attach(nid_t nid, pid_t proxy);

/** Gives the right up again. What another node's processes can trigger ends with the proxy alone (qnx_proxy_detach).
 *
 * @param nid The node, as qnx_proxy_rem_attach was told.
 * @param proxy What that has returned.
 * @return 0, or -1.
 * @errno ESRCH This process could not trigger it; of another node, it is none of this process.
 * @blocks Never.
 * @from One thread of the process. */
int qnx_proxy_rem_detach(nid_t nid, pid_t proxy);

#ifdef __cplusplus
}
#endif

#endif
