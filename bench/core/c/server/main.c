/* The servers of bench/core/echo, as C has them: a thread each, which has no more to decide than a server
 * of one fixed message. */

#include <riposte.h>

#define LARGEST 480

__attribute__((cold, noinline, noreturn)) static void unexpected(void)
{
    riposte_panic("no message");
}

static riposte_channel_t channel_of(const char *name)
{
    riposte_channel_t channel;
    if (riposte_channel(name, &channel) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no such channel");
    return channel;
}

/* Answers words with as many, of which the first is one more than it was. */
__attribute__((noreturn)) RIPOSTE_PRIVATE_INLINE void serve_words(const char *name, const size_t count)
{
    const riposte_channel_t channel = channel_of(name);
    riposte_message_t message;
    riposte_error_t error = riposte_receive(channel, NULL, 0, &message);
    for (;;) {
        if (!RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK && message.notice == 0))
            unexpected();
        const uint32_t words[5] = {message.words[0] + 1, message.words[1], message.words[2], message.words[3],
                                   message.words[4]};
        error = riposte_reply_words_and_receive(channel, message.token, words, count, &message);
    }
}

RIPOSTE_THREAD(words_0)
{
    serve_words("words-0", 0);
}

RIPOSTE_THREAD(words_1)
{
    serve_words("words-1", 1);
}

RIPOSTE_THREAD(words_5)
{
    serve_words("words-5", 5);
}

/* Lets another thread run for ever. */
RIPOSTE_THREAD(yielder)
{
    const riposte_channel_t channel = channel_of("yielder");
    riposte_message_t message;
    for (;;) {
        if (riposte_receive(channel, NULL, 0, &message) != RIPOSTE_OK)
            unexpected();
        riposte_reply_words(message.token, 0, NULL, 0);
        for (uint32_t times = message.words[0]; times > 0; times--)
            riposte_yield();
    }
}

/* Answers bytes with the same, of which the first is one more than it was. */
int main(void)
{
    static uint8_t buffer[LARGEST];
    const riposte_channel_t channel = channel_of("bytes");
    riposte_message_t message;
    riposte_error_t error = riposte_receive(channel, buffer, sizeof buffer, &message);
    for (;;) {
        if (!RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK && message.buffer))
            unexpected();
        buffer[0]++;
        error = riposte_reply_in_place_and_receive(channel, message.token, message.length, buffer, sizeof buffer,
                                                   &message);
    }
}
