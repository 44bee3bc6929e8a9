/* Addresses of hosts: of names, and of numbers. */

#include "netdb.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "../posix.h"
#include "../socket/socket.h"

#define FLAGS                                                                                                          \
    (AI_PASSIVE | AI_CANONNAME | AI_NUMERICHOST | AI_NUMERICSERV | AI_V4MAPPED | AI_ALL | AI_ADDRCONFIG)

/* The kinds of sockets, each with its protocol. */
static const struct kind {
    int type, protocol;
} kinds[] = {{SOCK_STREAM, IPPROTO_TCP}, {SOCK_DGRAM, IPPROTO_UDP}};
#define KINDS (sizeof kinds / sizeof *kinds)

/* One that was found, in one piece, so that any part of a list can be given back. */
struct found {
    struct addrinfo info;
    union {
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
    } address;
    char name[];
};

static bool is_wanted(const struct addrinfo *hints, const struct kind *kind)
{
    return (!hints->ai_socktype || hints->ai_socktype == kind->type)
           && (!hints->ai_protocol || hints->ai_protocol == kind->protocol);
}

/* What is wrong with what is wanted; 0 if nothing. */
static int check(const char *host, const struct addrinfo *hints)
{
    if (hints->ai_flags & ~FLAGS || (hints->ai_flags & AI_CANONNAME && !host))
        return EAI_BADFLAGS;
    if (hints->ai_family != AF_UNSPEC && hints->ai_family != AF_INET && hints->ai_family != AF_INET6)
        return EAI_FAMILY;
    for (size_t n = 0; n < KINDS; n++)
        if (is_wanted(hints, &kinds[n]))
            return 0;
    return EAI_SOCKTYPE;
}

/* The port that a decimal number says, in the network's order of bytes. */
static int read_port(const char *service, int flags, in_port_t *port)
{
    unsigned long value = 0;
    *port = 0;
    if (!service)
        return 0;
    for (const char *at = service; *at || at == service; at++) {
        if (*at < '0' || *at > '9')
            return flags & AI_NUMERICSERV ? EAI_NONAME : EAI_SERVICE;
        value = value * 10 + (unsigned long)(*at - '0');
        if (value > UINT16_MAX)
            return EAI_SERVICE;
    }
    *port = htons((uint16_t)value);
    return 0;
}

/* Where in an address of IPv6 one of IPv4 is. */
#define IPV4(address) ((address)->s6_addr + 12)

static void map(struct in6_addr *address, const uint8_t bytes[4])
{
    *address = (struct in6_addr){.s6_addr = {[10] = 0xFF, [11] = 0xFF}};
    memcpy(IPV4(address), bytes, 4);
}

/* The own machine, of each family that is wanted. */
static int find_own(int family, int flags, struct in6_addr addresses[NETDB_ADDRESSES])
{
    static const uint8_t any[4], loopback[4] = {127, 0, 0, 1};
    int count = 0;
    if (family != AF_INET)
        addresses[count++] = flags & AI_PASSIVE ? in6addr_any : in6addr_loopback;
    if (family != AF_INET6)
        map(&addresses[count++], flags & AI_PASSIVE ? any : loopback);
    return count;
}

/* Whether addresses of IPv4 are wanted as some of IPv6. */
static bool wants_mapped(const struct addrinfo *hints)
{
    return hints->ai_family == AF_INET6 && hints->ai_flags & AI_V4MAPPED;
}

/* The address that a text says: 1, or 0 if it is none. */
static int find_number(const char *host, const struct addrinfo *hints, struct in6_addr *address)
{
    uint8_t bytes[4];
    if (inet_pton(AF_INET, host, bytes) == 1) {
        map(address, bytes);
        return hints->ai_family != AF_INET6 || wants_mapped(hints);
    }
    return hints->ai_family != AF_INET && inet_pton(AF_INET6, host, address) == 1;
}

/* The addresses: how many, or an EAI_ error as a negative number. */
static int find(const char *host, const struct addrinfo *hints, struct in6_addr addresses[NETDB_ADDRESSES])
{
    uint8_t bytes[16];
    int found;
    if (!host)
        return find_own(hints->ai_family, hints->ai_flags, addresses);
    if (find_number(host, hints, &addresses[0]))
        return 1;
    /* One of another family is none of those that are wanted, and no name. */
    if (hints->ai_flags & AI_NUMERICHOST || inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1)
        return -EAI_NONAME;
    if (wants_mapped(hints) && hints->ai_flags & AI_ALL)
        return netdb_ask(host, AF_UNSPEC, addresses);
    found = netdb_ask(host, hints->ai_family, addresses);
    if (found == -EAI_NONAME && wants_mapped(hints))
        return netdb_ask(host, AF_INET, addresses);
    return found;
}

static struct addrinfo *make(const struct kind *kind, int family, const struct in6_addr *address, in_port_t port,
                             const char *name)
{
    const size_t length = name ? strlen(name) + 1 : 0;
    struct found *const made = malloc(sizeof *made + length);
    if (!made)
        return NULL;
    memset(&made->address, 0, sizeof made->address);
    made->info = (struct addrinfo){.ai_family = family,
                                   .ai_socktype = kind->type,
                                   .ai_protocol = kind->protocol,
                                   .ai_addr = (struct sockaddr *)&made->address};
    if (family == AF_INET6) {
        made->address.in6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = *address};
        made->info.ai_addrlen = sizeof made->address.in6;
    } else {
        made->address.in.sin_family = AF_INET;
        made->address.in.sin_port = port;
        memcpy(&made->address.in.sin_addr, IPV4(address), 4);
        made->info.ai_addrlen = sizeof made->address.in;
    }
    if (name)
        made->info.ai_canonname = memcpy(made->name, name, length);
    return &made->info;
}

int getaddrinfo(const char *__restrict host, const char *__restrict service, const struct addrinfo *__restrict hints,
                struct addrinfo **__restrict found)
{
    static const struct addrinfo any;
    const struct addrinfo *const wanted = hints ? hints : &any;
    struct in6_addr addresses[NETDB_ADDRESSES];
    struct addrinfo *list = NULL, **last = &list;
    const char *name = wanted->ai_flags & AI_CANONNAME ? host : NULL;
    in_port_t port = 0;
    int count, error;
    if (!host && !service)
        return EAI_NONAME;
    error = check(host, wanted);
    if (!error)
        error = read_port(service, wanted->ai_flags, &port);
    if (error)
        return error;
    count = find(host, wanted, addresses);
    if (count < 0)
        return -count;
    for (int n = 0; n < count; n++) {
        const bool is_ipv4 = posix_is_ipv4(addresses[n].s6_addr) && wanted->ai_family != AF_INET6;
        for (size_t kind = 0; kind < KINDS; kind++) {
            if (!is_wanted(wanted, &kinds[kind]))
                continue;
            *last = make(&kinds[kind], is_ipv4 ? AF_INET : AF_INET6, &addresses[n], port, name);
            if (!*last) {
                freeaddrinfo(list);
                return EAI_MEMORY;
            }
            last = &(*last)->ai_next;
            name = NULL;
        }
    }
    *found = list;
    return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
    while (list) {
        struct addrinfo *const next = list->ai_next;
        free(list);
        list = next;
    }
}
