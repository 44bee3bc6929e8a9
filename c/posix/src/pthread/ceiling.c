/* PTHREAD_PRIO_PROTECT: while a thread holds such mutexes it runs at least at the highest of their ceilings. */

#include "mutex.h"

/* The mutexes with a ceiling that the thread holds, the last one first; and its priority without them. */
static __thread pthread_mutex_t *held;
static __thread uint32_t base;

/* The priority that the caller's mutexes ask for, with one that it wants. */
static uint32_t wanted(uint32_t ceiling)
{
    const pthread_mutex_t *mutex;
    uint32_t priority = ceiling > base ? ceiling : base;
    for (mutex = held; mutex; mutex = mutex->__next)
        if (mutex->__ceiling > priority)
            priority = mutex->__ceiling;
    return priority;
}

int posix_ceiling_enter(pthread_mutex_t *mutex)
{
    const riposte_thread_t own = riposte_thread_current();
    if (!held && riposte_thread_schedule(own, &base, NULL) != RIPOSTE_OK)
        return EINVAL;
    if (base > mutex->__ceiling)
        return EINVAL;
    return riposte_thread_set_priority(own, wanted(mutex->__ceiling), NULL) == RIPOSTE_OK ? 0 : EINVAL;
}

void posix_ceiling_hold(pthread_mutex_t *mutex)
{
    mutex->__next = held;
    held = mutex;
}

void posix_ceiling_release(pthread_mutex_t *mutex)
{
    pthread_mutex_t **link = &held;
    while (*link != mutex)
        link = &(*link)->__next;
    *link = mutex->__next;
}

void posix_ceiling_leave(pthread_mutex_t *mutex)
{
    (void)mutex;
    riposte_thread_set_priority(riposte_thread_current(), wanted(0), NULL);
}

bool posix_ceiling_rebase(uint32_t priority, riposte_error_t *error)
{
    const uint32_t before = base;
    if (!held)
        return false;
    base = priority;
    *error = riposte_thread_set_priority(riposte_thread_current(), wanted(0), NULL);
    if (*error != RIPOSTE_OK)
        base = before;
    return true;
}

bool posix_ceiling_base(uint32_t *priority)
{
    if (!held)
        return false;
    *priority = base;
    return true;
}

/* Here, so that a program has ceilings if it may ask for them. */
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol)
{
    if (protocol < PTHREAD_PRIO_NONE || protocol > PTHREAD_PRIO_PROTECT)
        return ENOTSUP;
    attr->__protocol = (uint8_t)protocol;
    return 0;
}
