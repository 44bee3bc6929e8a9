/* Adds two words; greets who sends a name. */

#include <stdio.h>

#include <riposte.h>

int main(void)
{
    riposte_channel_t channel;
    riposte_message_t message;
    char buffer[32], greeting[64];
    riposte_error_t error;

    if (riposte_channel("greeter", &channel) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no channel `greeter`");
    error = riposte_receive(channel, buffer, sizeof buffer, &message);
    /* A client that no longer waits for its answer is no reason to stop. */
    while (error == RIPOSTE_OK || error == RIPOSTE_ERROR_NO_SUCH_CLIENT) {
        if (error != RIPOSTE_OK || message.notice) {
            error = riposte_receive(channel, buffer, sizeof buffer, &message);
        } else if (!message.buffer && message.length == 8) {
            const uint32_t sum = message.words[0] + message.words[1];
            error = riposte_reply_words_and_receive(channel, message.token, &sum, 1, &message);
        } else {
            /* How long it would be: what has no room is cut off. */
            const int whole = snprintf(greeting, sizeof greeting, "hello from %s, %.*s",
                                       riposte_process_name(), (int)message.length,
                                       (const char *)riposte_message_bytes(&message));
            const size_t length = (size_t)whole < sizeof greeting ? (size_t)whole : sizeof greeting - 1;
            error = riposte_reply_and_receive(channel, message.token, 0, greeting, length, buffer,
                                          sizeof buffer, &message);
        }
    }
    riposte_panic("the channel is gone");
}
