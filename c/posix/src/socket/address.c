/* Addresses as programs and as requests have them. */

#include "socket.h"

#include <netinet/in.h>
#include <string.h>

/* Where in an address of IPv6 one of IPv4 begins, and what is before it. */
static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

bool posix_is_ipv4(const uint8_t host[NETWORK_HOST])
{
    return !memcmp(host, mapped, sizeof mapped);
}

uint32_t posix_families(const struct posix_socket *socket)
{
    if (socket->family == AF_INET)
        return (uint32_t)NETWORK_IPV4 << NETWORK_FAMILIES;
    return (uint32_t)(socket->is_ipv6_only ? NETWORK_IPV6 : NETWORK_BOTH) << NETWORK_FAMILIES;
}

int posix_address_in(int family, const struct sockaddr *address, socklen_t length, uint8_t bytes[NETWORK_ADDRESS])
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    uint16_t port;
    if (!address || length < sizeof address->sa_family)
        return -EINVAL;
    if (address->sa_family != family)
        return -EAFNOSUPPORT;
    if (length < (family == AF_INET6 ? sizeof in6 : sizeof in))
        return -EINVAL;
    memset(bytes, 0, NETWORK_ADDRESS);
    if (family == AF_INET6) {
        memcpy(&in6, address, sizeof in6);
        memcpy(bytes, &in6.sin6_addr, NETWORK_HOST);
        port = ntohs(in6.sin6_port);
    } else {
        memcpy(&in, address, sizeof in);
        memcpy(bytes, mapped, sizeof mapped);
        memcpy(bytes + sizeof mapped, &in.sin_addr, sizeof in.sin_addr);
        port = ntohs(in.sin_port);
    }
    memcpy(bytes + NETWORK_PORT, &port, sizeof port);
    return 0;
}

void posix_address_out(int family, const uint8_t bytes[NETWORK_ADDRESS], struct sockaddr *address, socklen_t *length)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    const size_t whole = family == AF_INET6 ? sizeof in6 : sizeof in;
    uint16_t port;
    if (!address || !length)
        return;
    memcpy(&port, bytes + NETWORK_PORT, sizeof port);
    in.sin_port = in6.sin6_port = htons(port);
    memcpy(&in.sin_addr, bytes + sizeof mapped, sizeof in.sin_addr);
    memcpy(&in6.sin6_addr, bytes, NETWORK_HOST);
    memcpy(address, family == AF_INET6 ? (const void *)&in6 : &in, *length < whole ? *length : whole);
    *length = (socklen_t)whole;
}
