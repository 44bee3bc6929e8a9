/* setsockopt, getsockopt. */

#include "check.h"

#include <sys/time.h>
#include <unistd.h>

int option(int descriptor, int which)
{
    int value = -1;
    socklen_t length = sizeof value;
    return getsockopt(descriptor, SOL_SOCKET, which, &value, &length) || length != sizeof value ? -2 : value;
}

void options(void)
{
    static const int always[] = {SO_REUSEADDR, SO_KEEPALIVE, SO_BROADCAST};
    struct sockaddr_in any = any_at(81);
    struct timeval time = {2, 1500}, again = {9, 9};
    socklen_t length = sizeof again;
    const int yes = 1, no = 0, one = socket(AF_INET, SOCK_STREAM, 0), two = socket(AF_INET, SOCK_DGRAM, 0);
    int value;
    begin("getsockopt: SO_TYPE, SO_ACCEPTCONN, SO_ERROR");
    CHECK(option(one, SO_TYPE) == SOCK_STREAM && option(two, SO_TYPE) == SOCK_DGRAM && option(one, SO_ACCEPTCONN) == 0);
    CHECK(bind(one, ADDRESS(any)) == 0 && listen(one, 1) == 0 && option(one, SO_ACCEPTCONN) == 1 && option(one, SO_ERROR) == 0);
    end();
    begin("setsockopt, getsockopt: a time, in milliseconds upwards");
    CHECK(getsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &again, &length) == 0 && again.tv_sec == 0 && again.tv_usec == 0);
    CHECK(setsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0);
    CHECK(getsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &again, &length) == 0 && again.tv_sec == 2 && again.tv_usec == 2000);
    CHECK(getsockopt(one, SOL_SOCKET, SO_SNDTIMEO, &again, &length) == 0 && again.tv_sec == 0 && again.tv_usec == 0);
    time.tv_usec = 1000000;
    CHECK(FAILS(setsockopt(one, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time), EDOM));
    CHECK(FAILS(setsockopt(one, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time - 1), EINVAL));
    end();
    begin("setsockopt: what is always on can be set, and not be cleared (ENOPROTOOPT)");
    for (int n = 0; n < 3; n++) {
        CHECK(option(one, always[n]) == 1 && setsockopt(one, SOL_SOCKET, always[n], &yes, sizeof yes) == 0);
        CHECK(FAILS(setsockopt(one, SOL_SOCKET, always[n], &no, sizeof no), ENOPROTOOPT));
        CHECK(FAILS(setsockopt(one, SOL_SOCKET, always[n], &yes, 1), EINVAL));
    }
    end();
    begin("setsockopt, getsockopt ENOPROTOOPT: there is no such option, or level; ENOTSOCK, EBADF");
    CHECK(FAILS(setsockopt(one, SOL_SOCKET, 0x7777, &yes, sizeof yes), ENOPROTOOPT));
    CHECK(FAILS(setsockopt(one, IPPROTO_TCP, SO_KEEPALIVE, &yes, sizeof yes), ENOPROTOOPT));
    length = sizeof value;
    CHECK(FAILS(getsockopt(one, SOL_SOCKET, 0x7777, &value, &length), ENOPROTOOPT));
    CHECK(FAILS(getsockopt(one, IPPROTO_TCP, SO_TYPE, &value, &length), ENOPROTOOPT));
    CHECK(FAILS(getsockopt(1, SOL_SOCKET, SO_TYPE, &value, &length), ENOTSOCK));
    CHECK(FAILS(setsockopt(12, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes), EBADF));
    CHECK(close(one) == 0 && close(two) == 0);
    end();
}
