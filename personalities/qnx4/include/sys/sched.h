/* QNX 4's <sys/sched.h>: priorities and policies, of this process. */

#ifndef QNX4_SYS_SCHED_H
#define QNX4_SYS_SCHED_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The policies, by the names of <sched.h>, which has the same numbers: adaptive, FIFO, round-robin. */
#ifndef SCHED_OTHER
#define SCHED_OTHER 0
#endif
#ifndef SCHED_FIFO
#define SCHED_FIFO 1
#endif
#ifndef SCHED_RR
#define SCHED_RR 2
#endif
/** The adaptive policy: who uses up its time slice drops one priority until it blocks. */
#define SCHED_ADAPTIVE SCHED_OTHER

/** Tells the priority of the calling thread.
 *
 * @param pid This process: 0, or its pid.
 * @return The priority; -1.
 * @errno ESRCH It is another process.
 * @blocks Never.
 * @from Any thread. */
int getprio(pid_t pid);

/** Gives the calling thread another priority.
 *
 * @param pid This process: 0, or its pid.
 * @param prio The priority, from 1 to the manifest's `priority_limit`.
 * @return The priority before; -1.
 * @errno ESRCH It is another process.
 * @errno EINVAL There is no such priority.
 * @errno EPERM It is above the limit.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread. */
int setprio(pid_t pid, int prio);

/** Gives the calling thread another policy and priority.
 *
 * @param proc_pid The process manager: 0 or PROC_PID.
 * @param pid This process: 0, or its pid.
 * @param alg SCHED_FIFO, SCHED_RR, SCHED_OTHER; -1 leaves it as it is.
 * @param prio The priority; -1 leaves it as it is.
 * @param ret What to return: 0 the policy before, else the priority before.
 * @return That; -1.
 * @errno ESRCH EINVAL EPERM As setprio; nothing has changed then.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread. */
int qnx_scheduler(pid_t proc_pid, pid_t pid, int alg, int prio, int ret);

#ifdef __cplusplus
}
#endif

#endif
