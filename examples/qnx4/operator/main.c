/* The operator: sleeps until it is too hot, and switches the furnace off. */

#include <stdio.h>
#include <sys/kernel.h>
#include <sys/name.h>
#include <sys/proxy.h>

#include "../plant.h"

static const char alarm[] = "too hot";

int main(void)
{
    struct request request = {WATCH, 0, 0};
    struct reply reply;
    char text[sizeof alarm];
    pid_t furnace;

    if (qnx_name_attach(0, OPERATOR) == -1) {
        perror(OPERATOR);
        return 1;
    }
    furnace = qnx_name_locate(0, FURNACE, sizeof request, NULL);
    request.proxy = qnx_proxy_attach(0, alarm, sizeof alarm, -1);
    if (furnace == -1 || request.proxy == -1
        || Send(furnace, &request, &reply, sizeof request, sizeof reply) == -1) {
        perror("operator");
        return 1;
    }
    while (Receive(request.proxy, text, sizeof text) == request.proxy) {
        request.type = OFF;
        if (Send(furnace, &request, &reply, sizeof request, sizeof reply) == -1)
            break;
        printf("operator: %s at %d degrees, switched off\n", text, reply.degrees);
    }
    perror("operator");
    return 1;
}
