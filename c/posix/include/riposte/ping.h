/* Echoes of hosts, for which POSIX has no call. */

#ifndef RIPOSTE_PING_H
#define RIPOSTE_PING_H

#include <stddef.h>
#include <stdint.h>

#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Has a host send back so many bytes, which are sent once, and stores how many microseconds that took. Waits for so many
 * milliseconds at most, and for 10,000 if that is 0 or more than those. The port of the address says nothing. 0; or -1 and errno:
 *
 * ETIMEDOUT     nothing came back in time
 * EHOSTUNREACH  there is no way to that host, it is this one or no single one, or somebody on the way says so
 * EMSGSIZE      more bytes than a datagram has
 * EMFILE        this program waits for as many as it may: for none, unless `pings` of the network server's settings says so
 * ENOBUFS       as many of its threads wait for the server as may
 * EINVAL, EAFNOSUPPORT, EACCES, EIO, EINTR  as of connect() and socket() */
int riposte_ping(const struct sockaddr *host, socklen_t length, size_t bytes, uint32_t milliseconds, uint32_t *microseconds);

#ifdef __cplusplus
}
#endif

#endif
