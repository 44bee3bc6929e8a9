/* A server of shared memory that lies: it has one block, and says anything of it. */

#include <errno.h>
#include <riposte.h>

#include "../orders.h"

enum { OPEN, UNLINK, SIZE };

int main(void)
{
    riposte_channel_t channel;
    riposte_message_t message;
    riposte_region_handle_t region = {0};
    uint32_t request[12], words[4] = {7, 0, 0, 0};
    riposte_channel(NULL, &channel);
    riposte_region_make("pool", &region);
    for (;;) {
        if (riposte_receive(channel, request, sizeof request, &message) != RIPOSTE_OK || message.notice)
            continue;
        if (!message.buffer)
            memcpy(request, message.words, sizeof message.words);
        if (request[0] == ORDER)
            memcpy(&words[2], &request[1], 2 * sizeof *words);
        if ((request[0] & 0xFF) == OPEN && riposte_reply_region(message.token, words, region) != RIPOSTE_OK)
            riposte_reply_error(message.token, EMFILE);
        else if ((request[0] & 0xFF) != OPEN)
            riposte_reply(message.token, 0, &words[2], request[0] == SIZE ? sizeof *words : 0, NULL);
    }
}
