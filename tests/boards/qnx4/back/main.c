/* Replies to whom the server hands on: words with their sum, other messages with their last four bytes. */

#include <sys/kernel.h>
#include <sys/name.h>

#include "../orders.h"

int main(void)
{
    static struct request request;
    struct answer answer = {0};
    pid_t client;
    if (qnx_name_attach(0, BACK) == -1)
        riposte_panic("no name");
    while ((client = Receive(0, &request, 8)) != -1) {
        answer.number = client;
        answer.result = request.order + request.proxy;
        Readmsg(client, sizeof request - 4, answer.bytes, 4);
        Reply(client, &answer, offsetof(struct answer, bytes) + 4);
    }
    return 1;
}
