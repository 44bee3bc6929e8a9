/* <mqueue.h>: message queues. None of it is there yet; docs/src/posix.md says so. */

#ifndef _MQUEUE_H_
#define _MQUEUE_H_

#include <sys/types.h>
#include <sys/_timespec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int mqd_t;

struct mq_attr {
    long mq_flags, mq_maxmsg, mq_msgsize, mq_curmsgs;
};

struct sigevent;

int mq_close(mqd_t queue);
int mq_getattr(mqd_t queue, struct mq_attr *attr);
int mq_notify(mqd_t queue, const struct sigevent *how);
mqd_t mq_open(const char *name, int flags, ...);
ssize_t mq_receive(mqd_t queue, char *message, size_t size, unsigned *priority);
int mq_send(mqd_t queue, const char *message, size_t length, unsigned priority);
int mq_setattr(mqd_t queue, const struct mq_attr *__restrict attr, struct mq_attr *__restrict before);
ssize_t mq_timedreceive(mqd_t queue, char *__restrict message, size_t size, unsigned *__restrict priority,
                        const struct timespec *__restrict until);
int mq_timedsend(mqd_t queue, const char *message, size_t length, unsigned priority, const struct timespec *until);
int mq_unlink(const char *name);

#ifdef __cplusplus
}
#endif

#endif
