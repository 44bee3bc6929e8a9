/* What there is of POSIX's options: <unistd.h> shows these to programs, and the other headers declare by them.
 * docs/src/posix.md says what each function does and does not do. */

#ifndef RIPOSTE_POSIX_OPTIONS_H
#define RIPOSTE_POSIX_OPTIONS_H

/* IEEE 1003.1-2008 with its corrections up to 2017. */
#undef _POSIX_VERSION
#define _POSIX_VERSION 200809L

#define _POSIX_BARRIERS 200809L
#define _POSIX_CLOCK_SELECTION 200809L
#define _POSIX_FSYNC 200809L
#define _POSIX_MEMLOCK 200809L
#define _POSIX_MEMLOCK_RANGE 200809L
#define _POSIX_MONOTONIC_CLOCK 200809L
#define _POSIX_PRIORITY_SCHEDULING 200809L
#define _POSIX_READER_WRITER_LOCKS 200809L
#define _POSIX_REALTIME_SIGNALS 200809L
#define _POSIX_SEMAPHORES 200809L
#define _POSIX_SPAWN 200809L
#define _POSIX_SPIN_LOCKS 200809L
#define _POSIX_THREAD_ATTR_STACKSIZE 200809L
#define _POSIX_THREAD_PRIORITY_SCHEDULING 200809L
#define _POSIX_THREAD_PRIO_INHERIT 200809L
#define _POSIX_THREAD_PRIO_PROTECT 200809L
#define _POSIX_THREAD_PROCESS_SHARED 200809L
#define _POSIX_THREAD_ROBUST_PRIO_INHERIT 200809L
#define _POSIX_THREAD_ROBUST_PRIO_PROTECT 200809L
#define _POSIX_THREAD_SAFE_FUNCTIONS 200809L
#define _POSIX_THREADS 200809L
#define _POSIX_TIMEOUTS 200809L
#define _POSIX_TIMERS 200809L

/* What is not there, and why, is in docs/src/posix.md. */
#define _POSIX_ASYNCHRONOUS_IO (-1)
#define _POSIX_CPUTIME (-1)
/* Of files there are private mappings alone; who may open and remove which shared memory object, the manifest says. */
#define _POSIX_MAPPED_FILES (-1)
#define _POSIX_MEMORY_PROTECTION (-1)
#define _POSIX_SHARED_MEMORY_OBJECTS (-1)
/* A queue that processes share is a region of the manifest, in which not all is as the standard says. */
#define _POSIX_MESSAGE_PASSING (-1)
#define _POSIX_PRIORITIZED_IO (-1)
#define _POSIX_SPORADIC_SERVER (-1)
#define _POSIX_THREAD_ATTR_STACKADDR (-1)
#define _POSIX_THREAD_CPUTIME (-1)
#define _POSIX_THREAD_SPORADIC_SERVER (-1)

#endif
