/* Does what its client says. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/kernel.h>
#include <sys/name.h>

#include "../orders.h"

static struct request request;
static struct answer answer;
/* Who is to be answered when it is told. */
static pid_t held;

static void parts(pid_t client)
{
    struct _mxfer_entry mx[2];
    _setmx(&mx[0], "ab", 2);
    _setmx(&mx[1], request.bytes, 4);
    Replymx(client, 2, mx);
}

/* Reads the end of the message again, and writes into the middle of the reply, before it replies. */
static void read_and_write(pid_t client)
{
    unsigned char end[8];
    answer.result = (int)Readmsg(client, offsetof(struct request, bytes) + 196, end, sizeof end);
    answer.number = end[0];
    if (Writemsg(client, offsetof(struct answer, bytes), "xyz", 3) != 3)
        answer.result = -1;
    Reply(client, &answer, offsetof(struct answer, bytes));
}

/* To the process that the request names, or to who is always there. Else it says why not. */
static bool hands_on(pid_t client)
{
    const pid_t back = request.proxy ? request.proxy : qnx_name_locate(0, BACK, 0, NULL);
    if (Relay(client, back) == 0)
        return true;
    answer.result = errno;
    Reply(client, &answer, sizeof answer);
    return false;
}

int main(void)
{
    pid_t client;
    if (qnx_name_attach(0, "/test/a-server-with-a-long-name") == -1)
        riposte_panic("no name");
    while ((client = Receive(0, &request, sizeof request)) != -1) {
        memset(&answer, 0, sizeof answer);
        switch (request.order) {
        case ECHO:
            memcpy(answer.bytes, request.bytes, sizeof answer.bytes);
            answer.number = client;
            Reply(client, &answer, sizeof answer);
            break;
        case PARTS:
            parts(client);
            break;
        case READ_AND_WRITE:
            read_and_write(client);
            break;
        case TRIGGER:
            qnx_name_locate(0, "/test/client", 0, NULL);
            Reply(client, &answer, sizeof answer);
            if (Trigger(request.proxy) == -1 || Trigger(request.proxy) == -1)
                riposte_panic("a proxy that it cannot trigger");
            break;
        case TWICE:
            Reply(client, &answer, sizeof answer);
            break;
        case RELAY:
            if (hands_on(client))
                continue;
            break;
        case HOLD:
            /* It waits until it does not want to any more. */
            held = client;
            continue;
        case LATE:
            answer.result = Reply(held, "too late", 9) == -1 ? errno : 0;
            answer.number = client;
            Reply(client, &answer, sizeof answer);
            break;
        case DIE:
            riposte_panic("as it was told");
        }
        /* A second reply finds nobody. */
        if (Reply(client, &answer, sizeof answer) != -1 || errno != ESRCH)
            riposte_panic("a second reply");
    }
    return 1;
}
