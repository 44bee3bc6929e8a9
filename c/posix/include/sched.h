/* <sched.h>: who runs.
 *
 * SCHED_FIFO and SCHED_RR are the kernel's first-in-first-out and round robin; SCHED_OTHER is its adaptive policy: as
 * round robin, and a thread that uses up its slice drops one level until it blocks. A larger number is more urgent. */

#ifndef _SCHED_H_
#define _SCHED_H_

#include <sys/types.h>
#include <sys/_timespec.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2

struct sched_param {
    int sched_priority;
};

int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
int sched_getparam(pid_t pid, struct sched_param *param);
int sched_getscheduler(pid_t pid);
int sched_rr_get_interval(pid_t pid, struct timespec *interval);
int sched_setparam(pid_t pid, const struct sched_param *param);
int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param);
int sched_yield(void);

#ifdef __cplusplus
}
#endif

#endif
