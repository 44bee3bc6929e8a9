/* Sends to one server and then to the other one, again and again. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/kernel.h>
#include <sys/name.h>

#include "../turns.h"

static struct turn turn, answer;

static pid_t find(const char *name)
{
    pid_t pid;
    while ((pid = qnx_name_locate(0, name, 0, NULL)) == -1)
        riposte_sleep(1000000);
    return pid;
}

/* Whether the server answers this message, and with as many bytes as it is to. */
static bool sends(pid_t server)
{
    const unsigned length = turn.ends ? 8 : size_of(turn.number), room = size_of(turn.number + 1u);
    fill(&turn, length);
    memset(&answer, 0xA5, sizeof answer);
    if (Send(server, &turn, &answer, length, turn.ends ? 8 : MOST) != 0)
        return false;
    if (answer.client != turn.client || answer.number != turn.number)
        return false;
    return turn.ends || (is_filled(&answer, room) && (room == MOST || ((unsigned char *)&answer)[room] == 0xA5));
}

/* A round: the server lets nobody go before all are at its end. A trigger in between brings the server's own message. */
static void round_at(pid_t server, pid_t proxy)
{
    turn.good = 1;
    turn.triggers = 0;
    for (turn.number = 0; turn.number < TURNS; turn.number++) {
        turn.ends = 0;
        turn.good &= sends(server);
        if (turn.number % 7 == turn.client) {
            turn.good &= Trigger(proxy) == server;
            turn.triggers++;
        }
    }
    turn.ends = 1;
    if (!sends(server))
        riposte_panic("the server does not end the round");
}

int main(void)
{
    uint32_t client = 0;
    riposte_setting("client", &client);
    turn.client = (unsigned short)client;
    for (unsigned at = 0; at < SERVERS; at++) {
        const pid_t server = find(servers[at]);
        pid_t proxy = -1;
        /* The server tells its proxy, when this one is to begin. */
        for (unsigned clients = client < LEAST_CLIENTS ? LEAST_CLIENTS : client + 1; clients <= CLIENTS; clients++) {
            turn.number = TURNS;
            turn.ends = 0;
            if (Send(server, &turn, &proxy, 8, sizeof proxy) != 0)
                riposte_panic("the server does not begin");
            round_at(server, proxy);
        }
    }
    if (client == 0) {
        printf("@done\n");
        return (int)riposte_shutdown(0);
    }
    return 0;
}
