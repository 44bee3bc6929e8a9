/* <sys/socket.h>: sockets, by the network server to which the manifest connects the program as `network`.
 *
 * Every function here returns -1 and sets errno: EBADF of what is not open, ENOTSOCK of what is no socket, EIO if the
 * network server has ended since the socket was made. (A new socket finds its next life.) A call that waits in vain for
 * as long as SO_RCVTIMEO or SO_SNDTIMEO says is EAGAIN, as is one that would wait with O_NONBLOCK or MSG_DONTWAIT; one
 * that a signal ends, EINTR; of more threads than the server lets wait, ENOBUFS. */

#ifndef _SYS_SOCKET_H
#define _SYS_SOCKET_H

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t socklen_t;
typedef uint16_t sa_family_t;

struct sockaddr {
    sa_family_t sa_family;
    char sa_data[14];
};

/* As large as an address of any kind. */
struct sockaddr_storage {
    sa_family_t ss_family;
    uint32_t ss_room[6];
};

struct msghdr;

#define AF_UNSPEC 0
#define AF_INET 2
#define AF_INET6 10

#define SOCK_STREAM 1
#define SOCK_DGRAM 2

#define SOL_SOCKET 0xFFFF
#define SO_REUSEADDR 0x0004
#define SO_KEEPALIVE 0x0008
#define SO_BROADCAST 0x0020
#define SO_ACCEPTCONN 0x0002
#define SO_SNDTIMEO 0x1005
#define SO_RCVTIMEO 0x1006
#define SO_ERROR 0x1007
#define SO_TYPE 0x1008

#define SOMAXCONN 4

#define MSG_WAITALL 0x0001
#define MSG_DONTWAIT 0x0002
#define MSG_NOSIGNAL 0x0004
#define MSG_PEEK 0x0008
#define MSG_OOB 0x0010

#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2

/* Makes a socket of AF_INET or AF_INET6, of which the latter needs the program `network-ipv6`: SOCK_STREAM (TCP) or SOCK_DGRAM (UDP). `protocol` is 0 or that protocol's. Never blocks.
 * EAFNOSUPPORT, EPROTOTYPE, EPROTONOSUPPORT; EACCES if the manifest has no connection `network`; EMFILE; ENOBUFS of more
 * than 20 at once. */
int socket(int family, int type, int protocol);

/* Gives a socket a port, any if it is 0, at INADDR_ANY or in6addr_any. EINVAL if it has one, or if `length` is none; EAFNOSUPPORT;
 * EADDRNOTAVAIL of another address than these; EADDRINUSE, which of a stream listen() says. Never blocks. */
int bind(int descriptor, const struct sockaddr *address, socklen_t length);

/* Waits for clients of the port. Of those that have come and were not accepted there are up to `backlog`, and at most
 * SOMAXCONN. EDESTADDRREQ without a port; EINVAL of what is connected; EOPNOTSUPP of datagrams; EADDRINUSE; EMFILE if the
 * program has as many streams as it may. */
int listen(int descriptor, int backlog);

/* Waits for a client to come; where it is. EINVAL of what does not listen, EOPNOTSUPP of datagrams, EMFILE. */
int accept(int descriptor, struct sockaddr *address, socklen_t *length);

/* Of a stream: connects it, and waits for the other side, for a minute at most. Of datagrams: says to whom send() sends
 * and from whom recv() takes any; AF_UNSPEC undoes that. ECONNREFUSED if nobody is there or says nothing, after which it
 * can be tried again; EHOSTUNREACH; EISCONN; EALREADY; EOPNOTSUPP of what listens or was bound; EMFILE as listen();
 * EINPROGRESS with O_NONBLOCK, or when SO_SNDTIMEO is over: then POLLOUT says when there is something to know, and
 * SO_ERROR what. EINTR: it goes on, as with O_NONBLOCK. */
int connect(int descriptor, const struct sockaddr *address, socklen_t length);

/* Sends bytes: all of them, or with O_NONBLOCK as many as there is room for; of datagrams, one. How many. `flags`:
 * MSG_DONTWAIT; MSG_NOSIGNAL keeps SIGPIPE away, which comes with EPIPE. EPIPE after the own end; ECONNRESET; ENOTCONN; EDESTADDRREQ; EMSGSIZE of
 * more than 1,472 bytes in a datagram, or 1,452 over IPv6; EHOSTUNREACH; EOPNOTSUPP of other flags. */
ssize_t send(int descriptor, const void *bytes, size_t length, int flags);

/* As send(), of a datagram to somebody. Of a stream the address is not looked at. */
ssize_t sendto(int descriptor, const void *bytes, size_t length, int flags, const struct sockaddr *address,
               socklen_t address_length);

/* Waits for bytes: how many; 0 is the end. Of datagrams: the next one, of which what there is no room for is lost. `flags`:
 * MSG_DONTWAIT; MSG_WAITALL, of a stream: all, unless it ends. ECONNRESET, ECONNREFUSED, ENOTCONN; EOPNOTSUPP of other
 * flags. */
ssize_t recv(int descriptor, void *bytes, size_t length, int flags);

/* As recv(), and from whom. */
ssize_t recvfrom(int descriptor, void *bytes, size_t length, int flags, struct sockaddr *address,
                 socklen_t *address_length);

/* Ends reading (SHUT_RD), writing (SHUT_WR), or both. The other side finds the end behind what was sent. ENOTCONN,
 * EINVAL. Never blocks. */
int shutdown(int descriptor, int how);

/* The own address. A socket that has no port has the port 0. Never blocks. */
int getsockname(int descriptor, struct sockaddr *address, socklen_t *length);

/* The other side's. ENOTCONN. Never blocks. */
int getpeername(int descriptor, struct sockaddr *address, socklen_t *length);

/* SO_RCVTIMEO, SO_SNDTIMEO (struct timeval; all zeros: for ever). SO_REUSEADDR, SO_KEEPALIVE and SO_BROADCAST are always
 * on, and can be set to 1. IPV6_V6ONLY of IPPROTO_IPV6: EINVAL of a socket that has a port. EDOM of a time that is none, EINVAL of a length that is none, ENOPROTOOPT of what is not
 * there. */
int setsockopt(int descriptor, int level, int option, const void *value, socklen_t length);

/* Those, and SO_TYPE, SO_ACCEPTCONN, and SO_ERROR: what became of a connect() that had not waited for it. */
int getsockopt(int descriptor, int level, int option, void *value, socklen_t *length);

/* These are absent: docs/src/posix.md says why. */
ssize_t recvmsg(int descriptor, struct msghdr *message, int flags);
ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags);
int sockatmark(int descriptor);
int socketpair(int family, int type, int protocol, int descriptors[2]);

#ifdef __cplusplus
}
#endif

#endif
