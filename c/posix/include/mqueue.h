/* <mqueue.h>: message queues. One whose name is that of a region of the manifest lies there, and is shared with all
 * processes that may write the region; any other one is its process's own, on its heap. */

#ifndef _MQUEUE_H_
#define _MQUEUE_H_

#include <sys/types.h>
#include <sys/_timespec.h>
#include <riposte/pthread_types.h>
/* The standard lets a queue's header show them, and programs that open one or ask for a signal count on it. */
#include <fcntl.h>
#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place among those that the process can have open. */
typedef int mqd_t;

struct mq_attr {
    /* O_NONBLOCK, or 0. */
    long mq_flags;
    /* Most messages, most bytes of one, and how many messages there are. */
    long mq_maxmsg, mq_msgsize, mq_curmsgs;
};

/* Gives a descriptor up. No other thread may be in a call with it. */
int mq_close(mqd_t queue);
int mq_getattr(mqd_t queue, struct mq_attr *attr);
int mq_notify(mqd_t queue, const struct sigevent *how);
/* With O_CREAT a mode_t and a const struct mq_attr * follow; of NULL, there are 8 messages of 64 bytes. */
mqd_t mq_open(const char *name, int flags, ...);
/* Receives the oldest message of the most urgent priority; blocks while there is none, but for O_NONBLOCK. */
ssize_t mq_receive(mqd_t queue, char *message, size_t size, unsigned *priority);
/* Sends a message with a priority below MQ_PRIO_MAX; blocks while the queue is full, but for O_NONBLOCK. */
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
