/* Sockets of AF_INET6, and names and texts for them. The peer at fd00::2 says back what it is told. */

#include "verdict.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <riposte.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define ADDRESS(address) ((struct sockaddr *)&(address)), sizeof(address)
#define PEER "fd00::2"
#define MAPPED "::ffff:10.0.0.2"
#define OWN "fd00::ff:fe00:1"

static struct sockaddr_in6 at(const char *host, uint16_t port)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    inet_pton(AF_INET6, host, &address.sin6_addr);
    return address;
}

static struct sockaddr_in at_ipv4(const char *host, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, host, &address.sin_addr);
    return address;
}

static bool is(const struct sockaddr_in6 *found, socklen_t length, const char *host, uint16_t port)
{
    const struct sockaddr_in6 wanted = at(host, port);
    return length == sizeof wanted && !memcmp(found, &wanted, sizeof wanted);
}

static void waits(int descriptor, long seconds)
{
    const struct timeval time = {.tv_sec = seconds};
    CHECK(setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0);
}

static void streams(void)
{
    struct sockaddr_in6 found;
    socklen_t length = sizeof found;
    char bytes[16];
    for (int n = 0; n < 2; n++) {
        struct sockaddr_in6 there = at(n ? MAPPED : PEER, 7);
        const int one = socket(AF_INET6, SOCK_STREAM, 0);
        begin(n ? "connect: a socket of AF_INET6 reaches an address of IPv4" : "connect, getpeername, getsockname: over IPv6");
        CHECK(connect(one, ADDRESS(there)) == 0 && send(one, "hello", 5, 0) == 5);
        CHECK(recv(one, bytes, 5, MSG_WAITALL) == 5 && !memcmp(bytes, "hello", 5));
        length = sizeof found;
        CHECK(getpeername(one, (struct sockaddr *)&found, &length) == 0 && is(&found, length, n ? MAPPED : PEER, 7));
        length = sizeof found;
        CHECK(getsockname(one, (struct sockaddr *)&found, &length) == 0);
        CHECK(is(&found, length, n ? "::ffff:10.0.0.1" : OWN, ntohs(found.sin6_port)));
        CHECK(close(one) == 0);
        end();
    }
}

static void datagrams(void)
{
    struct sockaddr_in6 there = at(PEER, 7), found, any = at("::", 5000), other = at("fd00::1", 1);
    struct sockaddr_in old = at_ipv4("10.0.0.2", 7);
    static char longest[1453];
    socklen_t length = sizeof found;
    char bytes[16];
    const int one = socket(AF_INET6, SOCK_DGRAM, 0);
    begin("sendto, recvfrom: a datagram over IPv6, and one over IPv4 by the same socket");
    waits(one, 5);
    CHECK(bind(one, ADDRESS(any)) == 0);
    CHECK(sendto(one, "abc", 3, 0, ADDRESS(there)) == 3);
    CHECK(recvfrom(one, bytes, sizeof bytes, 0, (struct sockaddr *)&found, &length) == 3 && is(&found, length, PEER, 7));
    there = at(MAPPED, 7);
    length = sizeof found;
    CHECK(sendto(one, "old", 3, 0, ADDRESS(there)) == 3);
    CHECK(recvfrom(one, bytes, sizeof bytes, 0, (struct sockaddr *)&found, &length) == 3 && is(&found, length, MAPPED, 7));
    end();
    begin("sendto EMSGSIZE, EAFNOSUPPORT, EINVAL, EHOSTUNREACH; bind EADDRNOTAVAIL: an address that is none of these");
    there = at(PEER, 7);
    CHECK(FAILS(sendto(one, longest, sizeof longest, 0, ADDRESS(there)), EMSGSIZE));
    CHECK(sendto(one, longest, sizeof longest - 1, 0, ADDRESS(there)) == 1452);
    CHECK(FAILS(sendto(one, "x", 1, 0, ADDRESS(old)), EAFNOSUPPORT));
    CHECK(FAILS(sendto(one, "x", 1, 0, (struct sockaddr *)&there, sizeof old), EINVAL));
    there = at("::1", 7);
    CHECK(FAILS(sendto(one, "x", 1, 0, ADDRESS(there)), EHOSTUNREACH));
    there = at("::", 7);
    CHECK(FAILS(sendto(one, "x", 1, 0, ADDRESS(there)), EHOSTUNREACH));
    CHECK(close(one) == 0);
    const int two = socket(AF_INET6, SOCK_DGRAM, 0);
    CHECK(FAILS(bind(two, ADDRESS(other)), EADDRNOTAVAIL) && FAILS(bind(two, ADDRESS(old)), EAFNOSUPPORT));
    /* An address that ends with zeros is not every one. */
    other = at("fd00::", 5000);
    CHECK(FAILS(bind(two, ADDRESS(other)), EADDRNOTAVAIL));
    CHECK(close(two) == 0);
    end();
}

/* Has the peer come to a port, by the family of that address of its. */
static void call(bool is_ipv4, uint16_t port)
{
    const uint8_t bytes[3] = {'c', (uint8_t)port, (uint8_t)(port >> 8)};
    struct sockaddr_in6 there = at(is_ipv4 ? MAPPED : PEER, 7);
    const int one = socket(AF_INET6, SOCK_DGRAM, 0);
    CHECK(sendto(one, bytes, sizeof bytes, 0, ADDRESS(there)) == sizeof bytes);
    riposte_sleep(20000000);
    CHECK(close(one) == 0);
}

/* Whether the peer, called so, is a client of a socket of that family. */
static bool comes(int family, int is_only, bool is_ipv4)
{
    static uint16_t port = 8000;
    struct sockaddr_in6 any = at("::", ++port), found;
    struct sockaddr_in any_ipv4 = at_ipv4("0.0.0.0", port);
    socklen_t length = sizeof found;
    char bytes[4];
    const int one = socket(family, SOCK_STREAM, 0);
    int client;
    waits(one, 1);
    if (family == AF_INET6)
        CHECK(setsockopt(one, IPPROTO_IPV6, IPV6_V6ONLY, &is_only, sizeof is_only) == 0 && bind(one, ADDRESS(any)) == 0);
    else
        CHECK(bind(one, ADDRESS(any_ipv4)) == 0);
    CHECK(listen(one, 1) == 0);
    call(is_ipv4, port);
    errno = 0;
    client = accept(one, (struct sockaddr *)&found, &length);
    if (client >= 0) {
        CHECK(recv(client, bytes, 4, MSG_WAITALL) == 4 && !memcmp(bytes, "here", 4));
        CHECK(found.sin6_family == family && length == (family == AF_INET6 ? sizeof found : sizeof any_ipv4));
        CHECK(family == AF_INET || is(&found, length, is_ipv4 ? MAPPED : PEER, ntohs(found.sin6_port)));
        CHECK(close(client) == 0);
    } else {
        CHECK(errno == EAGAIN);
    }
    CHECK(close(one) == 0);
    return client >= 0;
}

static void families(void)
{
    struct sockaddr_in6 there = at(MAPPED, 7), any = at("::", 0);
    socklen_t length = sizeof(int);
    int word = 7;
    begin("accept: a socket of AF_INET6 takes clients of both families, and tells of which they are");
    CHECK(comes(AF_INET6, 0, false) && comes(AF_INET6, 0, true));
    end();
    begin("accept: IPV6_V6ONLY takes those of IPv6 alone, and AF_INET those of IPv4");
    CHECK(comes(AF_INET6, 1, false) && !comes(AF_INET6, 1, true));
    CHECK(comes(AF_INET, 0, true) && !comes(AF_INET, 0, false));
    end();
    begin("setsockopt, getsockopt: IPV6_V6ONLY is 0 at first, of AF_INET6, and before there is a port");
    const int one = socket(AF_INET6, SOCK_DGRAM, 0), two = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(getsockopt(one, IPPROTO_IPV6, IPV6_V6ONLY, &word, &length) == 0 && word == 0 && length == sizeof word);
    word = 1;
    CHECK(FAILS(setsockopt(two, IPPROTO_IPV6, IPV6_V6ONLY, &word, sizeof word), ENOPROTOOPT));
    CHECK(FAILS(setsockopt(one, IPPROTO_IPV6, IPV6_V6ONLY + 1, &word, sizeof word), ENOPROTOOPT));
    CHECK(FAILS(setsockopt(one, IPPROTO_IPV6, IPV6_V6ONLY, &word, 1), EINVAL));
    CHECK(setsockopt(one, IPPROTO_IPV6, IPV6_V6ONLY, &word, sizeof word) == 0);
    word = 0;
    CHECK(getsockopt(one, IPPROTO_IPV6, IPV6_V6ONLY, &word, &length) == 0 && word == 1);
    CHECK(FAILS(sendto(one, "x", 1, 0, ADDRESS(there)), EHOSTUNREACH));
    CHECK(FAILS(connect(one, ADDRESS(there)), EHOSTUNREACH));
    CHECK(bind(one, ADDRESS(any)) == 0);
    CHECK(FAILS(setsockopt(one, IPPROTO_IPV6, IPV6_V6ONLY, &word, sizeof word), EINVAL));
    CHECK(close(one) == 0 && close(two) == 0);
    end();
}

/* Whether what was found is these addresses, each of a stream, and no more. */
static bool are(const char *host, int family, int flags, const char *const *all)
{
    const struct addrinfo wanted = {.ai_family = family, .ai_flags = flags, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found, *it;
    char text[INET6_ADDRSTRLEN], port[6];
    bool is_it = true;
    if (getaddrinfo(host, "80", &wanted, &found))
        return false;
    for (it = found; it && *all && is_it; it = it->ai_next, all++) {
        is_it = getnameinfo(it->ai_addr, it->ai_addrlen, text, sizeof text, port, sizeof port, 0) == 0
                && !strcmp(text, *all) && !strcmp(port, "80") && it->ai_family == it->ai_addr->sa_family;
    }
    is_it = is_it && !it && !*all;
    freeaddrinfo(found);
    return is_it;
}

static void names(void)
{
#define ARE(host, family, flags, ...) CHECK(are(host, family, flags, (const char *const[]){__VA_ARGS__, NULL}))
    struct addrinfo *found;
    struct in6_addr address;
    begin("getaddrinfo: of AF_UNSPEC those of IPv6 come first; of a family those of the family");
    ARE("one.test", AF_UNSPEC, 0, "fd01::1", "10.1.0.1");
    ARE("one.test", AF_INET6, 0, "fd01::1");
    ARE("one.test", AF_INET, 0, "10.1.0.1");
    ARE("six.test", AF_UNSPEC, 0, "fd01::6");
    CHECK(getaddrinfo("four.test", NULL, &(struct addrinfo){.ai_family = AF_INET6}, &found) == EAI_NONAME);
    CHECK(getaddrinfo("six.test", NULL, &(struct addrinfo){.ai_family = AF_INET}, &found) == EAI_NONAME);
    end();
    begin("getaddrinfo: AI_V4MAPPED, of a host without IPv6, and with AI_ALL of each");
    ARE("four.test", AF_INET6, AI_V4MAPPED, "::ffff:10.1.0.4");
    ARE("one.test", AF_INET6, AI_V4MAPPED, "fd01::1");
    ARE("one.test", AF_INET6, AI_V4MAPPED | AI_ALL, "fd01::1", "::ffff:10.1.0.1");
    ARE("10.1.0.4", AF_INET6, AI_V4MAPPED, "::ffff:10.1.0.4");
    end();
    begin("getaddrinfo: addresses of IPv6 as texts, and the own machine");
    ARE("fd00::5", AF_UNSPEC, AI_NUMERICHOST, "fd00::5");
    CHECK(getaddrinfo("fd00::5", NULL, &(struct addrinfo){.ai_family = AF_INET}, &found) == EAI_NONAME);
    CHECK(getaddrinfo("10.0.0.5", NULL, &(struct addrinfo){.ai_family = AF_INET6}, &found) == EAI_NONAME);
    ARE(NULL, AF_UNSPEC, AI_PASSIVE, "::", "0.0.0.0");
    ARE(NULL, AF_INET6, 0, "::1");
    CHECK(!memcmp(&in6addr_any, &(struct in6_addr)IN6ADDR_ANY_INIT, sizeof address));
    CHECK(inet_pton(AF_INET6, "::1", &address) == 1 && !memcmp(&in6addr_loopback, &address, sizeof address));
    end();
    begin("getnameinfo EAI_FAMILY, EAI_OVERFLOW: an address that is too short, and too little room");
    struct sockaddr_in6 in6 = at(PEER, 443);
    char text[8];
    CHECK(getnameinfo((struct sockaddr *)&in6, sizeof in6 - 1, text, sizeof text, NULL, 0, 0) == EAI_FAMILY);
    CHECK(getnameinfo(ADDRESS(in6), text, sizeof text - 1, NULL, 0, 0) == EAI_OVERFLOW);
    CHECK(getnameinfo(ADDRESS(in6), text, sizeof text, NULL, 0, 0) == 0 && !strcmp(text, PEER));
    end();
}

int main(void)
{
    riposte_channel_t channel;
    riposte_message_t message;
    /* When the judge has made the network. */
    if (riposte_channel("sockets", &channel) || riposte_receive(channel, NULL, 0, &message))
        return 1;
    streams();
    datagrams();
    families();
    names();
    riposte_reply_words(message.token, 0, NULL, 0);
    return 0;
}
