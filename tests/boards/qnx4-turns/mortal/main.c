/* Sends on and on; its server ends it, and it begins anew. */

#include <sys/kernel.h>
#include <sys/name.h>

#include "../turns.h"

int main(void)
{
    static struct turn turn;
    uint32_t server = 0;
    pid_t pid;
    riposte_setting("server", &server);
    while ((pid = qnx_name_locate(0, servers[server], 0, NULL)) == -1)
        riposte_sleep(1000000);
    turn.client = MORTAL;
    for (;; turn.number++) {
        fill(&turn, size_of(turn.number));
        if (Send(pid, &turn, &turn, size_of(turn.number), 8) != 0 || turn.client != MORTAL)
            riposte_panic("no answer");
    }
}
