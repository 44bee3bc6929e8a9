/* A host's addresses, as the network server finds them. */

#include "netdb.h"

#include <string.h>

#include "../posix.h"
#include "../socket/socket.h"

/* What an error of the server is: an EAI_ error. */
static int error_of(int error)
{
    switch (error) {
    case ENOENT:
    case EINVAL:
    case EMSGSIZE:
        /* No host has that name, or can. */
        return EAI_NONAME;
    case EPROTO:
    case EHOSTUNREACH:
        return EAI_AGAIN;
    default:
        errno = error;
        return EAI_SYSTEM;
    }
}

int netdb_ask(const char *name, int family, struct in6_addr addresses[NETDB_ADDRESSES])
{
    const uint32_t families = family == AF_UNSPEC ? NETWORK_BOTH : family == AF_INET ? NETWORK_IPV4 : NETWORK_IPV6;
    uint8_t told[NETDB_ADDRESSES][NETWORK_ADDRESS];
    const riposte_part_t more[2] = {{(void *)(uintptr_t)name, strlen(name)}, {NULL, 0}};
    const riposte_part_t into = {told, sizeof told};
    riposte_connection_t server;
    const riposte_error_t connected = riposte_connect("network", &server);
    ssize_t length;
    int count;
    if (connected != RIPOSTE_OK)
        return -error_of(connected == RIPOSTE_ERROR_NOT_PERMITTED ? EACCES : posix_error_of(connected));
    length = posix_ask_network(server, NETWORK_RESOLVE, families, more, &into, 1, RIPOSTE_FOREVER);
    if (length < 0)
        return -error_of((int)-length);
    count = (int)(length / NETWORK_ADDRESS);
    if (!count || length % NETWORK_ADDRESS)
        return -EAI_FAIL;
    for (int n = 0; n < count; n++)
        memcpy(&addresses[n], told[n], sizeof addresses[n]);
    return count;
}
