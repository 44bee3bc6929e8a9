/* Datagrams. */

#include "check.h"

#include <fcntl.h>
#include <poll.h>
#include <riposte.h>
#include <riposte/ping.h>
#include <string.h>
#include <unistd.h>

void datagrams(void)
{
    static char long_one[1473];
    struct sockaddr_in there = peer_at(7), any = any_at(5000), found, nobody = peer_at(0);
    struct sockaddr none = {.sa_family = AF_UNSPEC};
    socklen_t length = sizeof found;
    char bytes[64];
    int one = socket(AF_INET, SOCK_DGRAM, 0), two = socket(AF_INET, SOCK_DGRAM, 0);
    begin("sendto, recvfrom: one comes back, and from where; a port is found for who has none");
    CHECK(getsockname(one, (struct sockaddr *)&found, &length) == 0 && found.sin_port == 0);
    CHECK(sendto(one, "abc", 3, 0, ADDRESS(there)) == 3);
    CHECK(recvfrom(one, bytes, sizeof bytes, 0, (struct sockaddr *)&found, &length) == 3 && !memcmp(bytes, "abc", 3));
    CHECK(found.sin_family == AF_INET && found.sin_port == there.sin_port && found.sin_addr.s_addr == there.sin_addr.s_addr);
    CHECK(getsockname(one, (struct sockaddr *)&found, &length) == 0 && ntohs(found.sin_port) >= 49152);
    end();
    begin("recv: a datagram of no bytes is one; what there is no room for is lost, and the next one is whole");
    CHECK(sendto(one, "", 0, 0, ADDRESS(there)) == 0 && recv(one, bytes, sizeof bytes, 0) == 0);
    CHECK(sendto(one, "abcdef", 6, 0, ADDRESS(there)) == 6 && sendto(one, "xyz", 3, 0, ADDRESS(there)) == 3);
    CHECK(recv(one, bytes, 2, 0) == 2 && recv(one, bytes, sizeof bytes, 0) == 3 && !memcmp(bytes, "xyz", 3));
    CHECK(FAILS(recv(one, bytes, 1, MSG_DONTWAIT), EAGAIN));
    end();
    begin("sendto EMSGSIZE: longer than one can be; the longest comes back");
    CHECK(FAILS(sendto(one, long_one, 1473, 0, ADDRESS(there)), EMSGSIZE));
    CHECK(sendto(one, long_one, 1472, 0, ADDRESS(there)) == 1472 && recv(one, long_one, sizeof long_one, 0) == 1472);
    end();
    begin("send EDESTADDRREQ: to nobody; EHOSTUNREACH: to where nobody can be; EINVAL, EAFNOSUPPORT");
    CHECK(FAILS(send(one, "x", 1, 0), EDESTADDRREQ) && FAILS(sendto(one, "x", 1, 0, ADDRESS(nobody)), EHOSTUNREACH));
    CHECK(FAILS(sendto(one, "x", 1, 0, (struct sockaddr *)&there, 4), EINVAL));
    CHECK(FAILS(sendto(one, "x", 1, 0, &none, sizeof none), EAFNOSUPPORT));
    /* Nothing leads to the first two, and all hear the others. */
    static const char *const far[] = {"192.168.0.1", "10.0.0.1", "10.0.0.255", "255.255.255.255", "224.0.0.1"};
    for (int n = 0; n < 5; n++) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = inet_addr(far[n])};
        CHECK(n < 2 ? FAILS(sendto(one, "x", 1, 0, ADDRESS(to)), EHOSTUNREACH) : sendto(one, "x", 1, 0, ADDRESS(to)) == 1);
    }
    end();
    begin("connect: send goes there, and nothing comes from elsewhere; AF_UNSPEC undoes it");
    CHECK(FAILS(connect(two, ADDRESS(nobody)), EHOSTUNREACH) && connect(two, ADDRESS(there)) == 0);
    CHECK(getpeername(two, (struct sockaddr *)&found, &length) == 0 && found.sin_port == there.sin_port);
    CHECK(send(two, "abc", 3, 0) == 3 && write(two, "de", 2) == 2 && read(two, bytes, sizeof bytes) == 3);
    CHECK(recv(two, bytes, sizeof bytes, 0) == 2 && connect(two, &none, sizeof none) == 0);
    CHECK(FAILS(getpeername(two, (struct sockaddr *)&found, &length), ENOTCONN));
    /* From the port that says back, to one that is to hear somebody else. */
    there.sin_port = htons(6);
    CHECK(sendto(two, "abc", 3, 0, (struct sockaddr *)&found, length) == 3 && connect(two, ADDRESS(there)) == 0);
    struct pollfd reads = {two, POLLIN, 0};
    CHECK(poll(&reads, 1, 100) == 0 && FAILS(recv(two, bytes, sizeof bytes, MSG_DONTWAIT), EAGAIN));
    /* Nor does one take another one's room. */
    there.sin_port = htons(7);
    for (int n = 0; n < 8; n++)
        CHECK(sendto(two, long_one, 1472, 0, ADDRESS(there)) == 1472 && poll(&reads, 1, 20) == 0);
    CHECK(connect(two, ADDRESS(there)) == 0 && send(two, long_one, 1472, 0) == 1472);
    CHECK(recv(two, long_one, sizeof long_one, 0) == 1472 && close(two) == 0);
    end();
    begin("poll: a datagram is something to be read; a socket without a port waits, too");
    two = socket(AF_INET, SOCK_DGRAM, 0);
    reads.fd = two;
    CHECK(poll(&reads, 1, 2) == 0 && sendto(two, "abc", 3, 0, ADDRESS(there)) == 3 && poll(&reads, 1, -1) == 1);
    CHECK(reads.revents == POLLIN && close(two) == 0 && close(one) == 0);
    end();
    begin("bind: the port is that one");
    one = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(bind(one, ADDRESS(any)) == 0 && getsockname(one, (struct sockaddr *)&found, &length) == 0);
    CHECK(found.sin_port == htons(5000) && close(one) == 0);
    end();
    begin("riposte_ping: a host that is there sends back, and one that is not is waited for; EHOSTUNREACH, EMSGSIZE, EINVAL");
    uint32_t took = 0;
    CHECK(riposte_ping(ADDRESS(there), 1472, 0, &took) == 0 && took > 0);
    CHECK(FAILS(riposte_ping(ADDRESS(there), 1473, 0, &took), EMSGSIZE));
    CHECK(FAILS(riposte_ping(ADDRESS(any), 56, 0, &took), EHOSTUNREACH));
    CHECK(FAILS(riposte_ping((struct sockaddr *)&there, 4, 56, 0, &took), EINVAL));
    CHECK(FAILS(riposte_ping(&none, sizeof none, 56, 0, &took), EAFNOSUPPORT));
    nobody.sin_addr.s_addr = inet_addr("10.0.0.77");
    const uint64_t start = riposte_clock();
    CHECK(FAILS(riposte_ping(ADDRESS(nobody), 56, 50, &took), ETIMEDOUT) && riposte_clock() - start >= 50000000);
    CHECK(FAILS(riposte_ping(ADDRESS(nobody), 56, 0, &took), ETIMEDOUT));
    end();
}
