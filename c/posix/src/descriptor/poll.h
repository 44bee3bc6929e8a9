/* What select and pselect have in common. */

#ifndef RIPOSTE_POSIX_POLL_H
#define RIPOSTE_POSIX_POLL_H

#include <sys/select.h>

#include <riposte.h>

/* select, until a deadline; the result, or an error as a negative number. With `handled`, as many signals as the calling thread had
 * handled, each one more ends it, also if that came before it waited, some time later. */
int posix_select_until(int count, fd_set *reads, fd_set *writes, fd_set *fails, riposte_deadline_t deadline,
                       const uint32_t *handled);

#endif
