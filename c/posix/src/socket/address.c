/* Addresses as programs and as requests have them. */

#include "socket.h"

#include <netinet/in.h>
#include <string.h>

/* Where in an address of IPv6 one of IPv4 begins, and what is before it. */
static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

int posix_address_in(const struct sockaddr *address, socklen_t length, uint8_t bytes[NETWORK_ADDRESS])
{
    struct sockaddr_in in;
    uint16_t port;
    if (!address || length < sizeof address->sa_family)
        return -EINVAL;
    if (address->sa_family != AF_INET)
        return -EAFNOSUPPORT;
    if (length < sizeof in)
        return -EINVAL;
    memcpy(&in, address, sizeof in);
    port = ntohs(in.sin_port);
    memset(bytes, 0, NETWORK_ADDRESS);
    memcpy(bytes, mapped, sizeof mapped);
    memcpy(bytes + sizeof mapped, &in.sin_addr, sizeof in.sin_addr);
    memcpy(bytes + NETWORK_PORT, &port, sizeof port);
    return 0;
}

void posix_address_out(const uint8_t bytes[NETWORK_ADDRESS], struct sockaddr *address, socklen_t *length)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    uint16_t port;
    if (!address || !length)
        return;
    memcpy(&port, bytes + NETWORK_PORT, sizeof port);
    in.sin_port = htons(port);
    memcpy(&in.sin_addr, bytes + sizeof mapped, sizeof in.sin_addr);
    memcpy(address, &in, *length < sizeof in ? *length : sizeof in);
    *length = sizeof in;
}
