/* Cancellation points of <sys/wait.h>. */

#include <sys/wait.h>

#include "point.h"

POINT(pid_t, wait, (int *status), (status), result < 0)
POINT(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options), result < 0)
