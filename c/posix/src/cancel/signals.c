/* Cancellation points of <signal.h>. */

#include <signal.h>
#include <unistd.h>

#include "point.h"

POINT(int, pause, (void), (), true)
POINT(int, sigpause, (int number), (number), true)
POINT(int, sigsuspend, (const sigset_t *set), (set), true)
POINT(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *timeout), (set, info, timeout),
      result < 0)
POINT(int, sigwait, (const sigset_t *set, int *number), (set, number), result != 0)
POINT(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info), result < 0)
