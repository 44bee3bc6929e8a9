/* An address and its port as text. */

#include "netdb.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>

#define FLAGS (NI_NOFQDN | NI_NUMERICHOST | NI_NAMEREQD | NI_NUMERICSERV | NI_NUMERICSCOPE | NI_DGRAM)

/* Writes a number, if there is room for it. */
static int write_port(uint16_t port, char *text, socklen_t room)
{
    char digits[5];
    socklen_t count = 0;
    do {
        digits[count++] = (char)('0' + port % 10);
        port /= 10;
    } while (port);
    if (count >= room)
        return EAI_OVERFLOW;
    while (count)
        *text++ = digits[--count];
    *text = '\0';
    return 0;
}

int getnameinfo(const struct sockaddr *__restrict address, socklen_t length, char *__restrict host, socklen_t host_room,
                char *__restrict service, socklen_t service_room, int flags)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    bool is_ipv6;
    const int wants_host = host && host_room, wants_service = service && service_room;
    if (flags & ~FLAGS)
        return EAI_BADFLAGS;
    if (length < sizeof address->sa_family)
        return EAI_FAMILY;
    is_ipv6 = address->sa_family == AF_INET6;
    if ((!is_ipv6 && address->sa_family != AF_INET) || length < (is_ipv6 ? sizeof in6 : sizeof in))
        return EAI_FAMILY;
    if ((!wants_host && !wants_service) || (wants_host && flags & NI_NAMEREQD))
        return EAI_NONAME;
    if (is_ipv6)
        memcpy(&in6, address, sizeof in6);
    else
        memcpy(&in, address, sizeof in);
    if (wants_host
        && !inet_ntop(address->sa_family, is_ipv6 ? (const void *)&in6.sin6_addr : &in.sin_addr, host, host_room))
        return EAI_OVERFLOW;
    return wants_service ? write_port(ntohs(is_ipv6 ? in6.sin6_port : in.sin_port), service, service_room) : 0;
}
