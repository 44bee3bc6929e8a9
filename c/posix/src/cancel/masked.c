/* A cancellation point of <sys/select.h> whose programs have signals. */

#include <signal.h>
#include <sys/select.h>

#include "point.h"

POINT(int, pselect, (int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict fails,
                     const struct timespec *restrict timeout, const sigset_t *restrict mask),
      (count, reads, writes, fails, timeout, mask), result < 0)
