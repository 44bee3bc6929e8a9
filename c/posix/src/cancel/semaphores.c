/* Cancellation points of <semaphore.h>. */

#include <semaphore.h>

#include "point.h"

POINT(int, sem_wait, (sem_t *sem), (sem), result != 0)
POINT(int, sem_timedwait, (sem_t *sem, const struct timespec *until), (sem, until), result != 0)
