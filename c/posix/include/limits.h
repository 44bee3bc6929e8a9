/* <limits.h>: what the C library says, and of files what is so here. OPEN_MAX, CHILD_MAX and the like are for
 * sysconf() to say: they differ by program. */

#pragma GCC system_header
#include_next <limits.h>

#ifndef RIPOSTE_LIMITS_H
#define RIPOSTE_LIMITS_H

#ifndef SSIZE_MAX
#define SSIZE_MAX INT_MAX
#endif

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

#undef OPEN_MAX
#undef CHILD_MAX
#undef NAME_MAX
#define NAME_MAX 32
#undef PATH_MAX
#define PATH_MAX 256
#undef PIPE_BUF
#define PIPE_BUF 512

#endif
