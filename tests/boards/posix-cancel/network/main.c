/* A network of which nobody hears anything: who asks for something that is not there yet waits until it wants to leave. */

#include <errno.h>
#include <stdint.h>

#include <riposte.h>

/* The protocol's, as far as it goes. */
enum { LISTEN, ACCEPT, CONNECT, READ, WRITE, FINISH, CLOSE, BIND, SEND_TO, RECEIVE_FROM, STATE, CONNECTED, READY, WATCH };

int main(void)
{
    static const uint32_t number[2] = {1, 9}, nothing[1] = {0};
    riposte_channel_t channel;
    riposte_message_t message;
    char request[64];

    if (riposte_channel("network", &channel) != RIPOSTE_OK)
        riposte_panic("no channel");
    while (riposte_receive(channel, request, sizeof request, &message) == RIPOSTE_OK) {
        if (message.notice) {
            /* Whoever wants to leave is let go. */
            riposte_reply(message.token, ETIMEDOUT, NULL, 0, NULL);
            continue;
        }
        switch (*(const uint32_t *)riposte_message_bytes(&message) & 0xFF) {
        case LISTEN:
        case CONNECT:
            riposte_reply_words(message.token, 0, number, 1);
            break;
        case BIND:
            riposte_reply_words(message.token, 0, number, 2);
            break;
        case READY:
            riposte_reply_words(message.token, 0, nothing, 1);
            break;
        case FINISH:
        case CLOSE:
            riposte_reply(message.token, 0, NULL, 0, NULL);
            break;
        default:
            /* It waits. */
            break;
        }
    }
    return 1;
}
