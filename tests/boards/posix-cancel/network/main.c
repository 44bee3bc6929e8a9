/* A network of which nobody hears anything: who asks for something that is not there yet waits until it wants to leave. There
 * are as many ports as are asked for, and of one that is given it thinks for a while first. */

#include <errno.h>
#include <stdint.h>

#include <riposte.h>

/* The protocol's, as far as it goes. */
enum { LISTEN, ACCEPT, CONNECT, READ, WRITE, FINISH, CLOSE, BIND, SEND_TO, RECEIVE_FROM, STATE, CONNECTED, READY, WATCH };

/* The port of which it thinks for a while, and how long, in nanoseconds. */
#define SLOW 77
#define A_WHILE UINT64_C(2000000)
/* Ports that can be given, and the number that each has. */
#define PORTS 4
#define PORT 2

static void think(void)
{
    const uint64_t until = riposte_clock() + A_WHILE;
    while (riposte_clock() < until)
        continue;
}

int main(void)
{
    static const uint32_t number[1] = {1}, port[2] = {PORT, 9}, nothing[1] = {0};
    int given = 0;
    riposte_channel_t channel;
    riposte_message_t message;
    char request[64];

    if (riposte_channel("network", &channel) != RIPOSTE_OK)
        riposte_panic("no channel");
    while (riposte_receive(channel, request, sizeof request, &message) == RIPOSTE_OK) {
        if (message.notice) {
            /* Whoever wants to leave is let go: for a signal, as there is no deadline. */
            riposte_reply(message.token, EINTR, NULL, 0, NULL);
            continue;
        }
        const uint32_t *const asked = riposte_message_bytes(&message);
        switch (asked[0] & 0xFF) {
        case LISTEN:
        case CONNECT:
            riposte_reply_words(message.token, 0, number, 1);
            break;
        case BIND:
            if ((asked[1] & 0xFFFF) == SLOW)
                think();
            if (given == PORTS) {
                riposte_reply(message.token, EMFILE, NULL, 0, NULL);
                break;
            }
            given++;
            riposte_reply_words(message.token, 0, port, 2);
            break;
        case READY:
            riposte_reply_words(message.token, 0, nothing, 1);
            break;
        case CLOSE:
            given -= asked[1] == PORT;
            riposte_reply(message.token, 0, NULL, 0, NULL);
            break;
        case FINISH:
            riposte_reply(message.token, 0, NULL, 0, NULL);
            break;
        default:
            /* It waits. */
            break;
        }
    }
    return 1;
}
