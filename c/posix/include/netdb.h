/* <netdb.h>: addresses of hosts by their names (DNS), and numbers for both.
 *
 * The network server to which the manifest connects the program as `network` asks for names; numbers need nobody.
 * getaddrinfo and getnameinfo return 0 or an EAI_ error. */

#ifndef _NETDB_H
#define _NETDB_H

#include <netinet/in.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is wanted of an address, and one that was found, with the next one. */
struct addrinfo {
    int ai_flags;
    int ai_family;
    int ai_socktype;
    int ai_protocol;
    socklen_t ai_addrlen;
    struct sockaddr *ai_addr;
    /* Of the first one, with AI_CANONNAME. */
    char *ai_canonname;
    struct addrinfo *ai_next;
};

struct hostent;
struct netent;
struct protoent;
struct servent;

#define IPPORT_RESERVED 1024

/* Without a host: every address of the own machine, and not the loopback's. */
#define AI_PASSIVE 0x0001
#define AI_CANONNAME 0x0002
/* Nobody is asked: the host is an address, the service a number. */
#define AI_NUMERICHOST 0x0004
#define AI_NUMERICSERV 0x0008
/* With AF_INET6: addresses of IPv4, as ::ffff:a.b.c.d, of a host that has none of IPv6; or with AI_ALL those, too. */
#define AI_V4MAPPED 0x0010
#define AI_ALL 0x0020
/* This changes nothing: with AF_UNSPEC none are told of a family of which the board has no address. */
#define AI_ADDRCONFIG 0x0040

#define NI_NOFQDN 0x0001
#define NI_NUMERICHOST 0x0002
/* An error rather than a number. */
#define NI_NAMEREQD 0x0004
#define NI_NUMERICSERV 0x0008
#define NI_NUMERICSCOPE 0x0010
#define NI_DGRAM 0x0020

#define EAI_AGAIN 2
#define EAI_BADFLAGS 3
#define EAI_FAIL 4
#define EAI_FAMILY 5
#define EAI_MEMORY 6
#define EAI_NONAME 8
#define EAI_SERVICE 9
#define EAI_SOCKTYPE 10
#define EAI_SYSTEM 11
#define EAI_OVERFLOW 14

/* Finds the addresses of a host, which is a name, `a.b.c.d`, or one of IPv6, with the port that `service` says, a decimal number. Either
 * may be NULL: no host is the own machine, no service is port 0. `hints`, which may be NULL, says of what kind they are to be;
 * without a kind of socket, each address comes once for each kind. A name has up to four addresses. It needs a heap.
 *
 * Waits for servers of names: up to 20 s. EAI_NONAME: there is no such host, none can be called so, or neither was
 * given. EAI_AGAIN: no server of names answers, or can; or there is none, or no network yet. EAI_FAIL: its answer
 * is none. EAI_BADFLAGS, EAI_FAMILY (of others than AF_UNSPEC, AF_INET and AF_INET6), EAI_SOCKTYPE, EAI_SERVICE (of what is no number), EAI_MEMORY.
 * EAI_SYSTEM, with errno: EACCES if the manifest has no connection `network`; EMFILE if the program asks for as many names as
 * it may (`names` of the server's settings); ENOBUFS of more threads than the server lets wait; EIO if the server has ended;
 * EINTR. */
int getaddrinfo(const char *__restrict host, const char *__restrict service, const struct addrinfo *__restrict hints,
                struct addrinfo **__restrict found);

/* Gives back what getaddrinfo() has found: all of the list from here on. Never blocks. */
void freeaddrinfo(struct addrinfo *list);

/* Writes an address and its port as text: numbers. Either text may be NULL, or without room. EAI_FAMILY of another
 * address than AF_INET's and AF_INET6's, or of too short a one; EAI_OVERFLOW if there is too little room; EAI_NONAME with
 * NI_NAMEREQD, or if neither is wanted; EAI_BADFLAGS. Never blocks. */
int getnameinfo(const struct sockaddr *__restrict address, socklen_t length, char *__restrict host, socklen_t host_room,
                char *__restrict service, socklen_t service_room, int flags);

/* What an EAI_ error says. Never blocks. */
const char *gai_strerror(int error);

/* These are absent: docs/src/posix.md says why. */
void endhostent(void);
void endnetent(void);
void endprotoent(void);
void endservent(void);
struct hostent *gethostent(void);
struct netent *getnetbyaddr(uint32_t net, int family);
struct netent *getnetbyname(const char *name);
struct netent *getnetent(void);
struct protoent *getprotobyname(const char *name);
struct protoent *getprotobynumber(int number);
struct protoent *getprotoent(void);
struct servent *getservbyname(const char *name, const char *protocol);
struct servent *getservbyport(int port, const char *protocol);
struct servent *getservent(void);
void sethostent(int stay_open);
void setnetent(int stay_open);
void setprotoent(int stay_open);
void setservent(int stay_open);

#ifdef __cplusplus
}
#endif

#endif
