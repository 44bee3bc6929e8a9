/* Echoes of hosts. */

#include <riposte/ping.h>

#include <string.h>

#include "../posix.h"
#include "socket.h"

static int ping(const struct sockaddr *host, socklen_t length, size_t bytes, uint32_t milliseconds, uint32_t *microseconds)
{
    uint8_t to[NETWORK_ADDRESS];
    const riposte_part_t more[2] = {{to, sizeof to}, {NULL, 0}};
    const riposte_part_t into = {microseconds, sizeof *microseconds};
    const riposte_deadline_t deadline = posix_patience(milliseconds);
    riposte_connection_t server;
    ssize_t told;
    int error;
    if (!host || length < sizeof host->sa_family)
        return -EINVAL;
    if (host->sa_family != AF_INET && host->sa_family != AF_INET6)
        return -EAFNOSUPPORT;
    error = posix_address_in(host->sa_family, host, length, to);
    if (!error)
        error = posix_find_network(&server);
    if (error)
        return error;
    memset(to + NETWORK_PORT, 0, sizeof(uint16_t));
    told = posix_ask_network(server, NETWORK_PING, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX, more, &into, 1, deadline);
    if (told < 0)
        return (int)told;
    return told == sizeof *microseconds ? 0 : -EIO;
}

int riposte_ping(const struct sockaddr *host, socklen_t length, size_t bytes, uint32_t milliseconds, uint32_t *microseconds)
{
    return (int)posix_result(ping(host, length, bytes, milliseconds, microseconds));
}
