/* socket, bind, listen, and what of them makes no sense. */

#include "check.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void making(void)
{
    struct sockaddr_in any = any_at(80), there = peer_at(7);
    struct sockaddr other = {.sa_family = AF_INET6};
    struct stat is;
    char byte = 0;
    int one = -1, two = -1, all[5];
    begin("socket EAFNOSUPPORT, EPROTOTYPE, EPROTONOSUPPORT: there is no such");
    CHECK(FAILS(socket(77, SOCK_STREAM, 0), EAFNOSUPPORT) && FAILS(socket(AF_INET, 9, 0), EPROTOTYPE));
    CHECK(FAILS(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP), EPROTONOSUPPORT));
    end();
    begin("socket: the lowest descriptor, which is a socket's");
    CHECK((one = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP)) == 3 && (two = socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP)) == 4);
    CHECK(fstat(one, &is) == 0 && S_ISSOCK(is.st_mode) && FAILS(lseek(one, 0, SEEK_SET), ESPIPE));
    end();
    begin("bind, listen, accept, connect, shutdown, getsockname ENOTSOCK: it is none, EBADF: it is not open");
    CHECK(FAILS(bind(1, ADDRESS(any)), ENOTSOCK) && FAILS(bind(9, ADDRESS(any)), EBADF));
    CHECK(FAILS(listen(1, 1), ENOTSOCK) && FAILS(listen(9, 1), EBADF));
    CHECK(FAILS(accept(1, NULL, NULL), ENOTSOCK) && FAILS(accept(9, NULL, NULL), EBADF));
    CHECK(FAILS(connect(1, ADDRESS(there)), ENOTSOCK) && FAILS(connect(9, ADDRESS(there)), EBADF));
    CHECK(FAILS(shutdown(1, SHUT_RD), ENOTSOCK) && FAILS(getsockname(1, NULL, NULL), ENOTSOCK));
    CHECK(FAILS(send(1, "", 1, 0), ENOTSOCK) && FAILS(recv(1, &byte, 1, 0), ENOTSOCK));
    end();
    begin("bind EINVAL, EAFNOSUPPORT, EADDRNOTAVAIL: an address that is none, or not this machine's to choose");
    CHECK(FAILS(bind(one, NULL, 0), EINVAL) && FAILS(bind(one, (struct sockaddr *)&any, sizeof any - 1), EINVAL));
    CHECK(FAILS(bind(one, &other, sizeof other), EAFNOSUPPORT) && FAILS(bind(one, ADDRESS(there)), EADDRNOTAVAIL));
    end();
    begin("listen EDESTADDRREQ: it has no port; EOPNOTSUPP of datagrams");
    CHECK(FAILS(listen(one, 1), EDESTADDRREQ) && FAILS(listen(two, 1), EOPNOTSUPP));
    CHECK(FAILS(accept(two, NULL, NULL), EOPNOTSUPP));
    end();
    begin("bind, listen: once; EADDRINUSE: another one has the port");
    CHECK(bind(one, ADDRESS(any)) == 0 && FAILS(bind(one, ADDRESS(any)), EINVAL));
    CHECK(FAILS(accept(one, NULL, NULL), EINVAL) && listen(one, -1) == 0 && listen(one, 99) == 0);
    CHECK((all[0] = socket(AF_INET, SOCK_STREAM, 0)) == 5 && bind(all[0], ADDRESS(any)) == 0);
    CHECK(FAILS(listen(all[0], 1), EADDRINUSE) && close(one) == 0 && listen(all[0], 1) == 0 && close(all[0]) == 0);
    CHECK(bind(two, ADDRESS(any)) == 0 && FAILS(bind(two, ADDRESS(any)), EINVAL));
    CHECK((one = socket(AF_INET, SOCK_DGRAM, 0)) == 3 && FAILS(bind(one, ADDRESS(any)), EADDRINUSE));
    end();
    begin("send, recv, getpeername, shutdown ENOTCONN: nobody is there");
    CHECK((all[0] = socket(AF_INET, SOCK_STREAM, 0)) == 5);
    CHECK(FAILS(send(all[0], "", 1, 0), ENOTCONN) && FAILS(recv(all[0], &byte, 1, 0), ENOTCONN));
    CHECK(FAILS(write(all[0], "", 1), ENOTCONN) && FAILS(read(all[0], &byte, 1), ENOTCONN));
    CHECK(FAILS(getpeername(all[0], NULL, NULL), ENOTCONN) && FAILS(shutdown(all[0], SHUT_WR), ENOTCONN));
    CHECK(close(all[0]) == 0 && close(one) == 0 && close(two) == 0);
    end();
    begin("bind EMFILE: as many ports as the manifest says, and all of them again when they are closed");
    for (int round = 0; round < 2; round++) {
        for (int n = 0; n < 3; n++) {
            any.sin_port = 0;
            all[n] = socket(AF_INET, SOCK_DGRAM, 0);
            CHECK(n < 2 ? bind(all[n], ADDRESS(any)) == 0 : FAILS(bind(all[n], ADDRESS(any)), EMFILE));
        }
        for (int n = 0; n < 3; n++)
            CHECK(close(all[n]) == 0);
    }
    end();
}
