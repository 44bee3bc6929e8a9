/* A server of names that lies. */

#include <riposte.h>

#include "../orders.h"

#define LOCATE 2

int main(void)
{
    riposte_channel_t channel;
    riposte_message_t message;
    uint32_t request[20], owner = 0;
    riposte_channel(NULL, &channel);
    for (;;) {
        uint32_t answer[2] = {0, 0};
        size_t length = LISTED;
        if (riposte_receive(channel, request, sizeof request, &message) != RIPOSTE_OK || message.notice)
            continue;
        if (!message.buffer)
            memcpy(request, message.words, sizeof message.words);
        if (request[0] == ORDER)
            owner = request[1];
        if ((request[0] & 0xFF) == LOCATE) {
            /* All of the path is the name. */
            answer[0] = message.length - sizeof request[0];
            answer[1] = owner;
            length = sizeof answer;
        }
        riposte_reply(message.token, 0, answer, length, NULL);
    }
}
