/* Sockets that handlers make and close, whatever they interrupt. */

#include "check.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <riposte/descriptors.h>

/* As many sockets as a program can have, and one more; and the standard streams. */
#define SOCKETS 20
RIPOSTE_DESCRIPTORS(3 + SOCKETS + 1);

static int kept;

/* A socket that listens. */
static int listener(void)
{
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(80)};
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(made >= 0 && bind(made, (const struct sockaddr *)&any, sizeof any) == 0 && listen(made, 1) == 0);
    return made;
}

static void make_and_close(void)
{
    CHECK(close(listener()) == 0);
}

static void exchange(void)
{
    CHECK(close(kept) == 0);
    kept = listener();
}

static int datagrams;

static void asks(void)
{
    struct pollfd it = {datagrams, POLLIN, 0};
    CHECK(poll(&it, 1, 0) == 0);
}

void sockets(void)
{
    int all[SOCKETS];
    begin("socket, bind, listen, close: a handler may call them, whatever it interrupts; no socket is lost");
    kept = listener();
    interrupted(600, make_and_close, exchange);
    CHECK(close(kept) == 0);
    for (int n = 0; n < SOCKETS; n++)
        CHECK((all[n] = socket(AF_INET, SOCK_STREAM, 0)) == 3 + n);
    CHECK(FAILS(socket(AF_INET, SOCK_STREAM, 0), ENOBUFS));
    for (int n = 0; n < SOCKETS; n++)
        CHECK(close(all[n]) == 0);
    end();
    begin("listen: no signal ends it");
    datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    amid_requests(200, make_and_close, asks, 0);
    CHECK(close(datagrams) == 0);
    end();
}
