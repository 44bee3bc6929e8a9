/* Priorities and policies of this process. The manifest gives the others theirs. */

#include <errno.h>
#include <sys/sched.h>

#include "qnx4.h"

static const uint32_t policies[] = {
    [SCHED_OTHER] = RIPOSTE_POLICY_ADAPTIVE,
    [SCHED_FIFO] = RIPOSTE_POLICY_FIFO,
    [SCHED_RR] = RIPOSTE_POLICY_ROUND_ROBIN,
};

/* The priority without the ceilings of POSIX's mutexes, in a program that may have some (c/posix/src/pthread/ceiling.c). */
riposte_error_t posix_ceiling_set_priority(uint32_t thread, uint32_t priority) __attribute__((weak));
riposte_error_t posix_ceiling_schedule(uint32_t thread, uint32_t *priority, uint32_t *policy) __attribute__((weak));

static riposte_error_t schedule(uint32_t *priority, uint32_t *policy)
{
    const riposte_thread_t self = riposte_thread_current();
    return posix_ceiling_schedule ? posix_ceiling_schedule(self.id, priority, policy)
                                  : riposte_thread_schedule(self, priority, policy);
}

static riposte_error_t set_priority(int priority)
{
    const riposte_thread_t self = riposte_thread_current();
    return posix_ceiling_set_priority ? posix_ceiling_set_priority(self.id, (uint32_t)priority)
                                      : riposte_thread_set_priority(self, (uint32_t)priority, NULL);
}

static bool is_own(pid_t pid)
{
    return pid == 0 || pid == qnx4_own();
}

int getprio(pid_t pid)
{
    uint32_t priority;
    riposte_error_t error;
    if (!is_own(pid))
        return qnx4_fail(ESRCH);
    error = schedule(&priority, NULL);
    return error == RIPOSTE_OK ? (int)priority : qnx4_private_fail(error);
}

int setprio(pid_t pid, int prio)
{
    uint32_t before;
    riposte_error_t error;
    if (!is_own(pid))
        return qnx4_fail(ESRCH);
    if (prio < 1)
        return qnx4_fail(EINVAL);
    error = schedule(&before, NULL);
    if (error == RIPOSTE_OK)
        error = set_priority(prio);
    return error == RIPOSTE_OK ? (int)before : qnx4_private_fail(error);
}

int qnx_scheduler(pid_t proc_pid, pid_t pid, int alg, int prio, int ret)
{
    uint32_t priority, policy;
    riposte_error_t error;
    int before = 0;
    if ((proc_pid != 0 && proc_pid != PROC_PID) || !is_own(pid))
        return qnx4_fail(ESRCH);
    if (alg < -1 || alg > SCHED_RR || prio < -1 || prio == 0)
        return qnx4_fail(EINVAL);
    error = schedule(&priority, &policy);
    if (error == RIPOSTE_OK && prio != -1)
        error = set_priority(prio);
    if (error == RIPOSTE_OK && alg != -1)
        error = riposte_thread_set_policy(riposte_thread_current(), policies[alg], NULL);
    if (error != RIPOSTE_OK)
        return qnx4_private_fail(error);
    while (ret == 0 && policies[before] != policy)
        before++;
    return ret == 0 ? before : (int)priority;
}
