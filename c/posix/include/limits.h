/* <limits.h>: what the C library says, and of files what is so here. OPEN_MAX, CHILD_MAX and the like are for
 * sysconf() to say: they differ by program. */

#pragma GCC system_header
#include_next <limits.h>

#ifndef RIPOSTE_LIMITS_H
#define RIPOSTE_LIMITS_H

#ifndef SSIZE_MAX
#define SSIZE_MAX INT_MAX
#endif
#define LONG_BIT 32
#define WORD_BIT 32

/* What the standard asks for of any system. docs/src/posix.md says where there is less here. */
#define _POSIX_AIO_LISTIO_MAX 2
#define _POSIX_AIO_MAX 1
#define _POSIX_ARG_MAX 4096
#define _POSIX_CHILD_MAX 25
#define _POSIX_CLOCKRES_MIN 20000000
#define _POSIX_DELAYTIMER_MAX 32
#define _POSIX_HOST_NAME_MAX 255
#define _POSIX_LINK_MAX 8
#define _POSIX_LOGIN_NAME_MAX 9
#define _POSIX_MAX_CANON 255
#define _POSIX_MAX_INPUT 255
#define _POSIX_MQ_OPEN_MAX 8
#define _POSIX_MQ_PRIO_MAX 32
#define _POSIX_NAME_MAX 14
#define _POSIX_NGROUPS_MAX 8
#define _POSIX_OPEN_MAX 20
#define _POSIX_PATH_MAX 256
#define _POSIX_PIPE_BUF 512
#define _POSIX_RE_DUP_MAX 255
#define _POSIX_RTSIG_MAX 8
#define _POSIX_SEM_NSEMS_MAX 256
#define _POSIX_SEM_VALUE_MAX 32767
#define _POSIX_SIGQUEUE_MAX 32
#define _POSIX_SSIZE_MAX 32767
#define _POSIX_SS_REPL_MAX 4
#define _POSIX_STREAM_MAX 8
#define _POSIX_SYMLINK_MAX 255
#define _POSIX_SYMLOOP_MAX 8
#define _POSIX_THREAD_DESTRUCTOR_ITERATIONS 4
#define _POSIX_THREAD_KEYS_MAX 128
#define _POSIX_THREAD_THREADS_MAX 64
#define _POSIX_TIMER_MAX 32
#define _POSIX_TTY_NAME_MAX 9
#define _POSIX_TZNAME_MAX 6
#define _POSIX2_BC_BASE_MAX 99
#define _POSIX2_BC_DIM_MAX 2048
#define _POSIX2_BC_SCALE_MAX 99
#define _POSIX2_BC_STRING_MAX 1000
#define _POSIX2_CHARCLASS_NAME_MAX 14
#define _POSIX2_COLL_WEIGHTS_MAX 2
#define _POSIX2_EXPR_NEST_MAX 32
#define _POSIX2_LINE_MAX 2048
#undef _POSIX2_RE_DUP_MAX
#define _POSIX2_RE_DUP_MAX 255

/* Of threads and semaphores; <pthread.h> and <semaphore.h> say the same. */
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#define PTHREAD_KEYS_MAX 128
#define PTHREAD_STACK_MIN 256
#define SEM_VALUE_MAX 0x7FFFFFFF

/* Message queues that a process can have open, and their priorities. */
#define MQ_OPEN_MAX 8
#define MQ_PRIO_MAX 32

/* Memory is mapped by regions of the manifest, of any size; this is what the largest of the boards' pages have. */
#define PAGESIZE 4096
#define PAGE_SIZE PAGESIZE

/* Signals with a value; of each process as many wait as its manifest says, SIGQUEUE_MAX at most. */
#undef RTSIG_MAX
#define RTSIG_MAX 32
#undef SIGQUEUE_MAX
#define SIGQUEUE_MAX 32

/* Periods of a timer that are counted. */
#undef DELAYTIMER_MAX
#define DELAYTIMER_MAX INT_MAX

/* These differ by program, or by file. */
#undef ARG_MAX
#undef CHILD_MAX
#undef LINK_MAX
#undef OPEN_MAX
#undef NAME_MAX
#define NAME_MAX 32
#undef PATH_MAX
#define PATH_MAX 256
#undef PIPE_BUF
#define PIPE_BUF 512

#endif
