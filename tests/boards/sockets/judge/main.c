/* Sockets, function by function, against the text of IEEE 1003.1-2017. */

#include "check.h"

#include <riposte.h>
#include <unistd.h>

struct sockaddr_in peer_at(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, "10.0.0.2", &address.sin_addr);
    return address;
}

struct sockaddr_in any_at(uint16_t port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_ANY)}};
}

int stream_to(uint16_t port)
{
    struct sockaddr_in there = peer_at(port);
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    while (connect(made, ADDRESS(there)) && errno == ECONNREFUSED)
        riposte_sleep(1000000);
    return made;
}

int main(void)
{
    texts();
    hosts();
    making();
    streams();
    waiting();
    datagrams();
    options();
    ends();
    puts("@done");
    return (int)riposte_shutdown(0);
}
