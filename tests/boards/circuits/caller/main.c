/* Sends signals to a process of the other node when it is told, and says which calls did what they should: a bit each. */

#include <signal.h>

#include <riposte.h>

#define QUEUED (RIPOSTE_SIGNAL_FIRST_QUEUED + 3)

static riposte_error_t send(const char *circuit, uint32_t signal, uint32_t word)
{
    riposte_connection_t to;
    const riposte_error_t error = riposte_connect(circuit, &to);
    return error ? error : riposte_signal_send_node(to, signal, word, RIPOSTE_FOREVER);
}

int main(void)
{
    riposte_channel_t channel;
    riposte_message_t message;
    if (riposte_channel("caller", &channel) != RIPOSTE_OK)
        riposte_panic("no channel");
    while (riposte_receive(channel, NULL, 0, &message) == RIPOSTE_OK) {
        const bool right[] = {
            send("server", SIGUSR1, 0) == RIPOSTE_OK,
            send("server", QUEUED, 70) == RIPOSTE_OK,
            send("server", RIPOSTE_SIGNAL_MAX + 1, 0) == RIPOSTE_ERROR_BAD_ARGUMENT,
            send("other", SIGUSR1, 0) == RIPOSTE_ERROR_NOT_PERMITTED,
            send("no-process", QUEUED + 5, 0) == RIPOSTE_ERROR_BAD_ARGUMENT,
        };
        uint32_t bits = 0;
        for (unsigned n = 0; n < sizeof right; n++)
            bits |= (uint32_t)right[n] << n;
        riposte_reply_words(message.token, 0, &bits, 1);
    }
    return 1;
}
