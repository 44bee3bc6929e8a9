/* QNX 4's <unistd.h>: POSIX's, a sleep of milliseconds, and this node's number. */

#ifndef QNX4_UNISTD_H
#define QNX4_UNISTD_H

/* To include the next is no standard C, which -Wpedantic would say of the program. */
#pragma GCC system_header
#include_next <unistd.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sleeps.
 *
 * @param duration For how long at least, in milliseconds.
 * @return 0; or, if a signal was handled meanwhile, the milliseconds that are left, of which a part of one counts as one.
 * @blocks For the time.
 * @from Any thread. */
unsigned delay(unsigned duration);

/** Tells this node's number.
 *
 * @return `node` of the process's settings in the manifest; 0, which stands for this node in every call, if there is none.
 * @blocks Never.
 * @from Any thread. */
nid_t getnid(void);

#ifdef __cplusplus
}
#endif

#endif
