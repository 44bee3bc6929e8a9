/* <poll.h>: waiting at several descriptors at once. */

#ifndef _POLL_H
#define _POLL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int nfds_t;

struct pollfd {
    int fd;
    short events;
    short revents;
};

#define POLLIN 0x0001
#define POLLRDNORM 0x0002
#define POLLRDBAND 0x0004
#define POLLPRI 0x0008
#define POLLOUT 0x0010
#define POLLWRNORM POLLOUT
#define POLLWRBAND 0x0020
#define POLLERR 0x0040
#define POLLHUP 0x0080
#define POLLNVAL 0x0100

/* Waits until at one of the descriptors there is what its `events` ask for, or an error, or until `timeout`
 * milliseconds have passed (-1: for ever). Returns at how many there is, and which in `revents`. -1: EINVAL of more
 * descriptors than there can be, EAGAIN if the server of pipes or of the network lets no more threads wait, EINTR, EIO.
 * Files are always ready; waits in the servers of pipes, of the network and of the console, without looking again and
 * again. */
int poll(struct pollfd *descriptors, nfds_t count, int timeout);

#ifdef __cplusplus
}
#endif

#endif
