/* The furnace: who sends it HEAT makes it hotter; who sends it a proxy is told when it is too hot. */

#include <stdio.h>
#include <sys/kernel.h>
#include <sys/name.h>

#include "../plant.h"

#define TOO_HOT 300

static struct reply state = {1, 0};
static pid_t watcher;

/* To trigger another process's proxy, one must know the process. */
static void watch(pid_t proxy)
{
    watcher = qnx_name_locate(0, OPERATOR, 0, NULL) == -1 ? 0 : proxy;
}

/* A watcher that has ended is forgotten. */
static void tell(void)
{
    if (watcher && Trigger(watcher) == -1)
        watcher = 0;
}

int main(void)
{
    struct request request;
    pid_t pid;

    if (qnx_name_attach(0, FURNACE) == -1) {
        perror(FURNACE);
        return 1;
    }
    while ((pid = Receive(0, &request, sizeof request)) != -1) {
        const int before = state.degrees;
        if (request.type == HEAT && state.is_on)
            state.degrees += request.degrees;
        else if (request.type == OFF)
            state.is_on = 0;
        else if (request.type == WATCH)
            watch(request.proxy);
        Reply(pid, &state, sizeof state);
        if (before < TOO_HOT && state.degrees >= TOO_HOT)
            tell();
    }
    perror("Receive");
    return 1;
}
