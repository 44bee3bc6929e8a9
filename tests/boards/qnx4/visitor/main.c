/* A child of the client: more urgent than that, so that it has done what it says by the time the client looks. What it
 * is to do is its argument; it ends with 0 if that went as it should. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/kernel.h>
#include <sys/name.h>
#include <sys/proxy.h>

#include "../orders.h"

static pid_t client;

/* Tells the client how far it is, and waits for its reply. */
static int tell(pid_t proxy)
{
    return Send(client, &proxy, &proxy, sizeof proxy, sizeof proxy);
}

/* Has a name, and never answers. */
static int serve(bool receives)
{
    char byte;
    if (qnx_name_attach(0, VISITOR) == -1 || tell(0) == -1)
        return 1;
    if (receives && Receive(0, &byte, 1) == -1)
        return 2;
    tell(0);
    return 3;
}

/* Sends to who does not answer. */
static int block(void)
{
    char byte = 0;
    const pid_t server = qnx_name_locate(0, VISITOR, 0, NULL);
    if (server == -1 || tell(0) == -1)
        return 1;
    return Send(server, &byte, &byte, 1, 1) == -1 && errno == ESRCH ? 0 : 2;
}

/* Sends more than a receive takes at once. */
static int send_much(void)
{
    static struct request request;
    memset(request.bytes, 9, sizeof request.bytes);
    return Send(client, &request, &request, sizeof request, sizeof request) == 0 ? 0 : 1;
}

/* Has a proxy, whose right it gives the client while it receives. */
static int own(void)
{
    char text[4];
    const pid_t proxy = qnx_proxy_attach(0, "own", 4, -1);
    if (qnx_name_attach(0, VISITOR) == -1 || proxy == -1 || tell(proxy) == -1)
        return 1;
    if (Receive(proxy, text, sizeof text) != proxy || strcmp(text, "own") != 0)
        return 2;
    tell(proxy);
    return 3;
}

int main(int argc, char *argv[])
{
    const char *const order = argc == 2 ? argv[1] : "";
    client = qnx_name_locate(0, CLIENT, 0, NULL);
    if (client == -1)
        return 1;
    if (!strcmp(order, "end"))
        return 7;
    if (!strcmp(order, "serve-later"))
        return serve(false);
    if (!strcmp(order, "serve"))
        return serve(true);
    if (!strcmp(order, "block"))
        return block();
    if (!strcmp(order, "much"))
        return send_much();
    if (!strcmp(order, "much-twice"))
        return send_much() == 0 && send_much() == 0 ? 0 : 1;
    if (!strcmp(order, "own"))
        return own();
    if (!strcmp(order, "ask-twice"))
        return tell(0) == 0 && tell(0) == 0 ? 0 : 1;
    tell(0);
    return 4;
}
