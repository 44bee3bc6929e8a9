/* Addresses of hosts: of names, and of numbers. */

#include "netdb.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "../posix.h"

#define FLAGS                                                                                                          \
    (AI_PASSIVE | AI_CANONNAME | AI_NUMERICHOST | AI_NUMERICSERV | AI_V4MAPPED | AI_ALL | AI_ADDRCONFIG)
#define LOOPBACK 0x7F000001

/* The kinds of sockets, each with its protocol. */
static const struct kind {
    int type, protocol;
} kinds[] = {{SOCK_STREAM, IPPROTO_TCP}, {SOCK_DGRAM, IPPROTO_UDP}};
#define KINDS (sizeof kinds / sizeof *kinds)

/* One that was found, in one piece, so that any part of a list can be given back. */
struct found {
    struct addrinfo info;
    struct sockaddr_in address;
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
    if (hints->ai_family != AF_UNSPEC && hints->ai_family != AF_INET)
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

/* The addresses: how many, or an EAI_ error as a negative number. */
static int find(const char *host, int flags, struct in_addr addresses[NETDB_ADDRESSES])
{
    if (!host) {
        addresses[0].s_addr = htonl(flags & AI_PASSIVE ? INADDR_ANY : LOOPBACK);
        return 1;
    }
    if (inet_pton(AF_INET, host, &addresses[0]) == 1)
        return 1;
    return flags & AI_NUMERICHOST ? -EAI_NONAME : netdb_ask(host, addresses);
}

static struct addrinfo *make(const struct kind *kind, const struct sockaddr_in *address, const char *name)
{
    const size_t length = name ? strlen(name) + 1 : 0;
    struct found *const made = malloc(sizeof *made + length);
    if (!made)
        return NULL;
    made->address = *address;
    made->info = (struct addrinfo){.ai_family = AF_INET,
                                   .ai_socktype = kind->type,
                                   .ai_protocol = kind->protocol,
                                   .ai_addrlen = sizeof made->address,
                                   .ai_addr = (struct sockaddr *)&made->address};
    if (name)
        made->info.ai_canonname = memcpy(made->name, name, length);
    return &made->info;
}

int getaddrinfo(const char *__restrict host, const char *__restrict service, const struct addrinfo *__restrict hints,
                struct addrinfo **__restrict found)
{
    static const struct addrinfo any;
    const struct addrinfo *const wanted = hints ? hints : &any;
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct in_addr addresses[NETDB_ADDRESSES];
    struct addrinfo *list = NULL, **last = &list;
    const char *name = wanted->ai_flags & AI_CANONNAME ? host : NULL;
    int count, error;
    if (!host && !service)
        return EAI_NONAME;
    error = check(host, wanted);
    if (!error)
        error = read_port(service, wanted->ai_flags, &address.sin_port);
    if (error)
        return error;
    count = find(host, wanted->ai_flags, addresses);
    if (count < 0)
        return -count;
    for (int n = 0; n < count; n++)
        for (size_t kind = 0; kind < KINDS; kind++) {
            if (!is_wanted(wanted, &kinds[kind]))
                continue;
            address.sin_addr = addresses[n];
            *last = make(&kinds[kind], &address, name);
            if (!*last) {
                freeaddrinfo(list);
                return EAI_MEMORY;
            }
            last = &(*last)->ai_next;
            name = NULL;
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
