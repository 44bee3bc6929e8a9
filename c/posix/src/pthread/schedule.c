/* Priorities and policies of threads. */

#include "mutex.h"

uint32_t posix_policy_to_kernel(int policy)
{
    switch (policy) {
    case SCHED_FIFO:
        return RIPOSTE_POLICY_FIFO;
    case SCHED_RR:
        return RIPOSTE_POLICY_ROUND_ROBIN;
    case SCHED_OTHER:
        return RIPOSTE_POLICY_ADAPTIVE;
    default:
        return RIPOSTE_POLICY_SAME;
    }
}

int posix_policy_of_kernel(uint32_t policy)
{
    switch (policy) {
    case RIPOSTE_POLICY_FIFO:
        return SCHED_FIFO;
    case RIPOSTE_POLICY_ROUND_ROBIN:
        return SCHED_RR;
    default:
        return SCHED_OTHER;
    }
}

static int number_of(riposte_error_t error)
{
    switch (error) {
    case RIPOSTE_OK:
        return 0;
    case RIPOSTE_ERROR_NOT_PERMITTED:
        return EPERM;
    case RIPOSTE_ERROR_BAD_HANDLE:
        return ESRCH;
    default:
        return EINVAL;
    }
}

/* What was set last, whatever mutexes the thread holds. To the kernel 0 is the caller; here it is nobody. */
int pthread_getschedparam(pthread_t thread, int *restrict policy, struct sched_param *restrict param)
{
    uint32_t priority, kernel_policy;
    riposte_error_t error = RIPOSTE_ERROR_BAD_HANDLE;
    if (thread)
        error = posix_ceiling_schedule ? posix_ceiling_schedule(thread, &priority, &kernel_policy)
                                       : riposte_thread_schedule((riposte_thread_t){thread}, &priority, &kernel_policy);
    if (error != RIPOSTE_OK)
        return number_of(error);
    *policy = posix_policy_of_kernel(kernel_policy);
    param->sched_priority = (int)priority;
    return 0;
}

int pthread_setschedprio(pthread_t thread, int priority)
{
    if (priority < 1)
        return EINVAL;
    if (!thread)
        return ESRCH;
    return number_of(posix_ceiling_set_priority
                         ? posix_ceiling_set_priority(thread, (uint32_t)priority)
                         : riposte_thread_set_priority((riposte_thread_t){thread}, (uint32_t)priority, NULL));
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
    const uint32_t kernel_policy = posix_policy_to_kernel(policy);
    int error;
    if (kernel_policy == RIPOSTE_POLICY_SAME)
        return EINVAL;
    /* The priority, which may be refused, comes first: nothing has changed then. */
    error = pthread_setschedprio(thread, param->sched_priority);
    if (!error)
        error = number_of(riposte_thread_set_policy((riposte_thread_t){thread}, kernel_policy, NULL));
    /* The kernel leaves the caller in front of its equals. */
    if (!error && thread == riposte_private_own_id())
        riposte_yield();
    return error;
}
