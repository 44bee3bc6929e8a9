/* Cancellation points of <mqueue.h>. */

#include <mqueue.h>

#include "point.h"

POINT(int, mq_send, (mqd_t queue, const char *message, size_t length, unsigned priority),
      (queue, message, length, priority), result != 0)
POINT(int, mq_timedsend,
      (mqd_t queue, const char *message, size_t length, unsigned priority, const struct timespec *until),
      (queue, message, length, priority, until), result != 0)
POINT(ssize_t, mq_receive, (mqd_t queue, char *message, size_t size, unsigned *priority),
      (queue, message, size, priority), result < 0)
POINT(ssize_t, mq_timedreceive,
      (mqd_t queue, char *message, size_t size, unsigned *priority, const struct timespec *until),
      (queue, message, size, priority, until), result < 0)
