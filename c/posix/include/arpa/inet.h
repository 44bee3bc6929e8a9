/* <arpa/inet.h>: addresses as text, and numbers in the network's order of bytes. */

#ifndef _ARPA_INET_H
#define _ARPA_INET_H

#include <netinet/in.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stores the address of AF_INET or AF_INET6 that a text says: 1, or 0 if it says none. -1: EAFNOSUPPORT. */
int inet_pton(int family, const char *text, void *address);

/* Writes an address of AF_INET or AF_INET6 as text, and returns that. NULL: ENOSPC if `room` is too little,
 * EAFNOSUPPORT. */
const char *inet_ntop(int family, const void *address, char *text, socklen_t room);

/* The address that `a.b.c.d` says, (in_addr_t)-1 if it is none. Numbers are decimal, and there are four: inet_pton tells
 * 255.255.255.255 from an error. */
in_addr_t inet_addr(const char *text);

/* Absent: docs/src/posix.md says why. */
char *inet_ntoa(struct in_addr address);

#ifdef __cplusplus
}
#endif

#endif
