/* Does what the client on the other node asks for. */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/kernel.h>
#include <sys/name.h>
#include <sys/proxy.h>

#include "../orders.h"

static struct request request;
static struct answer answer;
static pid_t held, own;
static int received, name;
static volatile sig_atomic_t signalled;

static void note(int number)
{
    signalled += number == SIGUSR1;
}

static void obey(pid_t client)
{
    answer.result = 0;
    answer.number = client;
    memcpy(answer.bytes, request.bytes, sizeof answer.bytes);
    switch (request.order) {
    case HOLD:
        held = client;
        return;
    case LET_GO:
        answer.result = held;
        Reply(held, &answer, sizeof answer);
        held = 0;
        break;
    case LATE:
        answer.result = Reply(held, "too late", 9) == -1 ? errno : 0;
        held = 0;
        break;
    case TRIGGER:
        /* Who is to be asked for the right has to be known. */
        if (qnx_name_locate(0, CLIENT, 0, NULL) == -1)
            answer.result = errno;
        Reply(client, &answer, sizeof answer);
        for (int at = 0; at < request.times; at++)
            if (Trigger(request.proxy) == -1)
                exit(1);
        return;
    case PROXY:
        if (!own)
            own = qnx_proxy_attach(0, "server", 6, -1);
        answer.result = qnx_proxy_rem_attach(1, own);
        break;
    case RECEIVED:
        answer.result = received;
        break;
    case SIGNALLED:
        answer.result = signalled;
        break;
    case KILL:
        answer.result = kill(qnx_name_locate(0, CLIENT, 0, NULL), SIGUSR1) == 0 ? 0 : errno;
        break;
    case TAKE_NAME:
        name = qnx_name_attach(2, SERVER);
        answer.result = name == -1 ? errno : 0;
        break;
    case GIVE_NAME:
        answer.result = qnx_name_detach(2, name) == 0 ? 0 : errno;
        break;
    case DIE:
        riposte_panic("as it was told");
    }
    Reply(client, &answer, sizeof answer);
}

int main(void)
{
    const struct sigaction action = {.sa_handler = note};
    pid_t from;
    if (sigaction(SIGUSR1, &action, NULL) != 0)
        return 1;
    /* The heir alone may have that one. In a later life the server's can be the heir's. */
    if (qnx_name_attach(2, HEIR) == -1)
        name = qnx_name_attach(2, SERVER);
    while ((from = Receive(0, &request, sizeof request)) != -1 || errno == EINTR) {
        if (from == own)
            received++;
        else if (from != -1)
            obey(from);
    }
    return 1;
}
