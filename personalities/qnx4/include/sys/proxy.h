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

/** Gets the right to trigger another process's proxy now, instead of at the first Trigger.
 *
 * @param nid The node: 0.
 * @param proxy The proxy, of a process of which this one has located a name.
 * @return The number to trigger, which is the same; -1.
 * @errno ESRCH EDEADLK As Trigger.
 * @errno EHOSTUNREACH The node is another one.
 * @blocks Until the other process receives.
 * @from One thread of the process. */
pid_t qnx_proxy_rem_attach(nid_t nid, pid_t proxy);

/** Gives the right up again.
 *
 * @param nid The node: 0.
 * @param proxy The proxy.
 * @return 0, or -1.
 * @errno ESRCH This process could not trigger it.
 * @errno EHOSTUNREACH The node is another one.
 * @blocks Never.
 * @from One thread of the process. */
int qnx_proxy_rem_detach(nid_t nid, pid_t proxy);

#ifdef __cplusplus
}
#endif

#endif
