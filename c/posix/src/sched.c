/* <sched.h>: who runs. A process has no priority of its own here: these calls are about the calling thread. */

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "posix.h"

/* The largest priority that the process may give to a thread, once somebody has asked for it. */
static uint32_t most;

/* The kernel looks at the priority before the address at which a thread is to begin; at 0 none begins. */
static bool is_allowed(uint32_t priority)
{
    const riposte_thread_settings_t how = {priority, RIPOSTE_POLICY_FIFO, 0};
    return riposte_private_thread_create(0, 0, NULL, &how, NULL) != RIPOSTE_ERROR_NOT_PERMITTED;
}

static COLD uint32_t find_most(void)
{
    uint32_t allowed = 1, refused = RIPOSTE_MAX_PRIORITIES;
    while (refused - allowed > 1) {
        const uint32_t middle = (allowed + refused) / 2;
        if (is_allowed(middle))
            allowed = middle;
        else
            refused = middle;
    }
    return allowed;
}

int sched_get_priority_min(int policy)
{
    return posix_policy_to_kernel(policy) == RIPOSTE_POLICY_SAME ? posix_fail(EINVAL) : 1;
}

int sched_get_priority_max(int policy)
{
    if (posix_policy_to_kernel(policy) == RIPOSTE_POLICY_SAME)
        return posix_fail(EINVAL);
    if (most == 0)
        most = find_most();
    return (int)most;
}

/* Who never asks for its own number is never asked for it. */
#pragma weak getpid

/* Whether the caller's process is meant. */
static bool is_own(pid_t pid)
{
    return pid == 0 || (getpid && pid == getpid());
}

/* To the kernel a priority above the process's own largest is not permitted; it is also none of the range that is told. */
static int error_of(int error, int priority)
{
    return error == EPERM && priority > sched_get_priority_max(SCHED_FIFO) ? EINVAL : error;
}

int sched_getparam(pid_t pid, struct sched_param *param)
{
    int policy, error;
    if (!is_own(pid))
        return posix_fail(ESRCH);
    error = pthread_getschedparam(pthread_self(), &policy, param);
    return error ? posix_fail(error) : 0;
}

int sched_getscheduler(pid_t pid)
{
    struct sched_param param;
    int policy, error;
    if (!is_own(pid))
        return posix_fail(ESRCH);
    error = pthread_getschedparam(pthread_self(), &policy, &param);
    return error ? posix_fail(error) : policy;
}

int sched_setparam(pid_t pid, const struct sched_param *param)
{
    int error;
    if (!is_own(pid))
        return posix_fail(ESRCH);
    error = error_of(pthread_setschedprio(pthread_self(), param->sched_priority), param->sched_priority);
    if (error)
        return posix_fail(error);
    /* It goes behind its equals, which a thread does not by pthread_setschedprio. */
    riposte_yield();
    return 0;
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
    const int before = sched_getscheduler(pid);
    int error;
    if (before < 0)
        return -1;
    error = error_of(pthread_setschedparam(pthread_self(), policy, param), param->sched_priority);
    return error ? posix_fail(error) : before;
}

int sched_yield(void)
{
    riposte_yield();
    return 0;
}
