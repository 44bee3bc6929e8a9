/* An address and its port as text. */

#include "netdb.h"

#include <arpa/inet.h>
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
    const int wants_host = host && host_room, wants_service = service && service_room;
    if (flags & ~FLAGS)
        return EAI_BADFLAGS;
    if (length < sizeof in || address->sa_family != AF_INET)
        return EAI_FAMILY;
    if ((!wants_host && !wants_service) || (wants_host && flags & NI_NAMEREQD))
        return EAI_NONAME;
    memcpy(&in, address, sizeof in);
    if (wants_host && !inet_ntop(AF_INET, &in.sin_addr, host, host_room))
        return EAI_OVERFLOW;
    return wants_service ? write_port(ntohs(in.sin_port), service, service_room) : 0;
}
