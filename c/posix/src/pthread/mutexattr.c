/* Attributes of mutexes. */

#include <sched.h>

#include "mutex.h"

int pthread_mutexattr_init(pthread_mutexattr_t *attr)
{
    static const pthread_mutexattr_t fresh;
    *attr = fresh;
    attr->__ceiling = (uint8_t)sched_get_priority_max(SCHED_FIFO);
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *restrict attr, int *restrict type)
{
    *type = attr->__type;
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type)
{
    if (type < PTHREAD_MUTEX_DEFAULT || type > PTHREAD_MUTEX_ERRORCHECK)
        return EINVAL;
    attr->__type = (uint8_t)type;
    return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *restrict attr, int *restrict protocol)
{
    *protocol = attr->__protocol;
    return 0;
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *restrict attr, int *restrict robust)
{
    *robust = attr->__robust;
    return 0;
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust)
{
    if (robust != PTHREAD_MUTEX_STALLED && robust != PTHREAD_MUTEX_ROBUST)
        return EINVAL;
    attr->__robust = (uint8_t)robust;
    return 0;
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *restrict attr, int *restrict ceiling)
{
    *ceiling = attr->__ceiling;
    return 0;
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling)
{
    if (ceiling < sched_get_priority_min(SCHED_FIFO) || ceiling > sched_get_priority_max(SCHED_FIFO))
        return EINVAL;
    attr->__ceiling = (uint8_t)ceiling;
    return 0;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *restrict attr, int *restrict shared)
{
    *shared = attr->__shared;
    return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    /* One that lies in memory that processes share is theirs either way. */
    attr->__shared = (uint8_t)shared;
    return 0;
}
