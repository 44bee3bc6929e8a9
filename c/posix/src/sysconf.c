/* sysconf: what there is of POSIX's options, and of what there can be how much. */

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "posix.h"
#include "process/manager.h"

/* As posix_descriptor_count, but for programs without descriptors. */
extern const size_t posix_descriptor_count __attribute__((weak));
#define USUAL_DESCRIPTORS 20

/* The last number of <unistd.h>. */
#define LAST_NAME _SC_POSIX_26_VERSION

/* Of what the manifest limits, or memory does, and of options that are not there. */
#define NO_LIMIT (-1)

long sysconf(int name)
{
    switch (name) {
    case _SC_VERSION:
        return _POSIX_VERSION;
    case _SC_ARG_MAX:
        return MANAGER_BLOCK;
    case _SC_CLK_TCK:
        return CLOCKS_PER_SEC;
    case _SC_DELAYTIMER_MAX:
        return DELAYTIMER_MAX;
    case _SC_LINE_MAX:
        return LINE_MAX;
    case _SC_MQ_OPEN_MAX:
        return MQ_OPEN_MAX;
    case _SC_MQ_PRIO_MAX:
        return MQ_PRIO_MAX;
    case _SC_NGROUPS_MAX:
        return NGROUPS_MAX;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
        return 1;
    case _SC_OPEN_MAX:
        return &posix_descriptor_count ? (long)posix_descriptor_count : USUAL_DESCRIPTORS;
    case _SC_PAGESIZE:
        return PAGESIZE;
    case _SC_RTSIG_MAX:
        return RTSIG_MAX;
    case _SC_SEM_VALUE_MAX:
        return SEM_VALUE_MAX;
    case _SC_THREAD_DESTRUCTOR_ITERATIONS:
        return PTHREAD_DESTRUCTOR_ITERATIONS;
    case _SC_THREAD_KEYS_MAX:
        return PTHREAD_KEYS_MAX;
    case _SC_THREAD_STACK_MIN:
        return PTHREAD_STACK_MIN;
    case _SC_ASYNCHRONOUS_IO:
        return _POSIX_ASYNCHRONOUS_IO;
    case _SC_BARRIERS:
        return _POSIX_BARRIERS;
    case _SC_CLOCK_SELECTION:
        return _POSIX_CLOCK_SELECTION;
    case _SC_CPUTIME:
        return _POSIX_CPUTIME;
    case _SC_FSYNC:
        return _POSIX_FSYNC;
    case _SC_MAPPED_FILES:
        return _POSIX_MAPPED_FILES;
    case _SC_MEMLOCK:
        return _POSIX_MEMLOCK;
    case _SC_MEMLOCK_RANGE:
        return _POSIX_MEMLOCK_RANGE;
    case _SC_MEMORY_PROTECTION:
        return _POSIX_MEMORY_PROTECTION;
    case _SC_SHARED_MEMORY_OBJECTS:
        return _POSIX_SHARED_MEMORY_OBJECTS;
    case _SC_MESSAGE_PASSING:
        return _POSIX_MESSAGE_PASSING;
    case _SC_MONOTONIC_CLOCK:
        return _POSIX_MONOTONIC_CLOCK;
    case _SC_PRIORITIZED_IO:
        return _POSIX_PRIORITIZED_IO;
    case _SC_PRIORITY_SCHEDULING:
        return _POSIX_PRIORITY_SCHEDULING;
    case _SC_READER_WRITER_LOCKS:
        return _POSIX_READER_WRITER_LOCKS;
    case _SC_REALTIME_SIGNALS:
        return _POSIX_REALTIME_SIGNALS;
    case _SC_SEMAPHORES:
        return _POSIX_SEMAPHORES;
    case _SC_SPAWN:
        return _POSIX_SPAWN;
    case _SC_SPIN_LOCKS:
        return _POSIX_SPIN_LOCKS;
    case _SC_SPORADIC_SERVER:
        return _POSIX_SPORADIC_SERVER;
    case _SC_THREADS:
        return _POSIX_THREADS;
    case _SC_THREAD_ATTR_STACKADDR:
        return _POSIX_THREAD_ATTR_STACKADDR;
    case _SC_THREAD_ATTR_STACKSIZE:
        return _POSIX_THREAD_ATTR_STACKSIZE;
    case _SC_THREAD_CPUTIME:
        return _POSIX_THREAD_CPUTIME;
    case _SC_THREAD_PRIORITY_SCHEDULING:
        return _POSIX_THREAD_PRIORITY_SCHEDULING;
    case _SC_THREAD_PRIO_INHERIT:
        return _POSIX_THREAD_PRIO_INHERIT;
    case _SC_THREAD_PRIO_PROTECT:
        return _POSIX_THREAD_PRIO_PROTECT;
    case _SC_THREAD_PROCESS_SHARED:
        return _POSIX_THREAD_PROCESS_SHARED;
    case _SC_THREAD_ROBUST_PRIO_INHERIT:
        return _POSIX_THREAD_ROBUST_PRIO_INHERIT;
    case _SC_THREAD_ROBUST_PRIO_PROTECT:
        return _POSIX_THREAD_ROBUST_PRIO_PROTECT;
    case _SC_THREAD_SAFE_FUNCTIONS:
        return _POSIX_THREAD_SAFE_FUNCTIONS;
    case _SC_THREAD_SPORADIC_SERVER:
        return _POSIX_THREAD_SPORADIC_SERVER;
    case _SC_TIMEOUTS:
        return _POSIX_TIMEOUTS;
    case _SC_TIMERS:
        return _POSIX_TIMERS;
    default:
        if (name < 0 || name > LAST_NAME)
            return posix_fail(EINVAL);
        return NO_LIMIT;
    }
}
