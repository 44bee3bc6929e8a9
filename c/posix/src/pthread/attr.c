/* Attributes of threads. */

#include <pthread.h>

#include "../posix.h"

int pthread_attr_init(pthread_attr_t *attr)
{
    static const pthread_attr_t fresh = {PTHREAD_STACK_MIN, 0, 0, 0, SCHED_FIFO, 1};
    *attr = fresh;
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state)
{
    *state = attr->__detached;
    return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state)
{
    if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED)
        return EINVAL;
    attr->__detached = (uint8_t)state;
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *restrict attr, size_t *restrict size)
{
    *size = attr->__guard;
    return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size)
{
    /* Below each stack of the image lies a guard; it can be neither larger nor left away. */
    attr->__guard = size;
    return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *restrict attr, int *restrict inherit)
{
    *inherit = attr->__explicit;
    return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit)
{
    if (inherit != PTHREAD_INHERIT_SCHED && inherit != PTHREAD_EXPLICIT_SCHED)
        return EINVAL;
    attr->__explicit = (uint8_t)inherit;
    return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *restrict attr, struct sched_param *restrict param)
{
    param->sched_priority = attr->__priority;
    return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *restrict attr, const struct sched_param *restrict param)
{
    if (param->sched_priority < sched_get_priority_min(SCHED_FIFO)
        || param->sched_priority > sched_get_priority_max(SCHED_FIFO))
        return EINVAL;
    attr->__priority = (uint8_t)param->sched_priority;
    return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *restrict attr, int *restrict policy)
{
    *policy = attr->__policy;
    return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy)
{
    if (posix_policy_to_kernel(policy) == RIPOSTE_POLICY_SAME)
        return EINVAL;
    attr->__policy = (uint8_t)policy;
    return 0;
}

int pthread_attr_getscope(const pthread_attr_t *restrict attr, int *restrict scope)
{
    (void)attr;
    *scope = PTHREAD_SCOPE_SYSTEM;
    return 0;
}

int pthread_attr_setscope(pthread_attr_t *attr, int scope)
{
    (void)attr;
    if (scope == PTHREAD_SCOPE_PROCESS)
        return ENOTSUP;
    return scope == PTHREAD_SCOPE_SYSTEM ? 0 : EINVAL;
}

int pthread_attr_getstacksize(const pthread_attr_t *restrict attr, size_t *restrict size)
{
    *size = attr->__stack;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
    if (size < PTHREAD_STACK_MIN)
        return EINVAL;
    attr->__stack = size;
    return 0;
}
