/* Cancellation points of <poll.h> and <sys/select.h>. */

#include <poll.h>
#include <sys/select.h>

#include "point.h"

POINT(int, poll, (struct pollfd *descriptors, nfds_t count, int timeout), (descriptors, count, timeout), result < 0)
POINT(int, select, (int count, fd_set *reads, fd_set *writes, fd_set *fails, struct timeval *timeout),
      (count, reads, writes, fails, timeout), result < 0)
