/* Does what its client asks for. */

#include <string.h>

#include <riposte.h>

/* The first word of a message of words. */
enum { ADD, REFUSE, REFUSE_LATER, HAND_ON, TWICE, PARTS, PARTS_LATER, BAD_ANSWERS, STATUS,
       HAND_ON_PROXY, PULSES, HAND_ON_REGION, CHANGE_REGION };

static riposte_channel_t channel;
static riposte_message_t message;
static char buffer[64];
/* How often its proxy was triggered. */
static uint32_t pulses;

static riposte_error_t receive(void)
{
    return riposte_receive(channel, buffer, sizeof buffer, &message);
}

/* A region that it makes. */
static riposte_region_handle_t region;
static volatile uint32_t *shared;

/* Makes a region, writes there, and hands on a handle with no more rights than the second word of the order has. */
static riposte_error_t hand_on_region(riposte_token_t token)
{
    riposte_region_handle_t handed = {0};
    uint32_t words[4] = {0, 0, 0, 0};
    void *memory = NULL;
    size_t length = 0;
    riposte_error_t error = riposte_region_make("frames", &region);

    if (error == RIPOSTE_OK)
        error = riposte_region_map(region, true, &memory, &length);
    if (error == RIPOSTE_OK)
        error = riposte_region_copy(region, message.words[1], &handed);
    if (error == RIPOSTE_OK) {
        shared = (volatile uint32_t *)memory;
        *shared = 41;
        words[0] = (uint32_t)length;
        words[1] = riposte_reply_region(token, words, (riposte_region_handle_t){0});
        error = riposte_reply_region(token, words, handed);
    }
    if (error != RIPOSTE_OK)
        riposte_reply_error(token, error);
    if (handed.handle)
        riposte_region_close(handed);
    return receive();
}

/* Words: an order. */
static riposte_error_t obey(void)
{
    static char first[] = "in ", second[] = "parts";
    const riposte_part_t parts[2] = {{first, 3}, {second, 5}};
    const riposte_token_t token = message.token;
    uint32_t words[5] = {0, 0, 0, 0, 0};
    size_t accepted = 0;

    switch (message.words[0]) {
    case ADD:
        words[0] = message.words[1] + message.words[2];
        words[1] = message.badge;
        return riposte_reply_words_and_receive(channel, token, words, 2, &message);
    case REFUSE:
        /* With the status that it says, if it says one. */
        return riposte_reply_error_and_receive(channel, token, message.length == 8 ? message.words[1] : 77, buffer,
                                               sizeof buffer, &message);
    case REFUSE_LATER:
        riposte_reply_error(token, 78);
        return receive();
    case HAND_ON: {
        riposte_connection_t victim;
        riposte_error_t error = riposte_connect("handed-on", &victim);
        words[0] = 1234;
        if (error == RIPOSTE_OK)
            error = riposte_reply_handle(token, words, victim);
        if (error != RIPOSTE_OK)
            riposte_reply_error(token, error);
        return receive();
    }
    case TWICE:
        /* The second answer finds nobody, and hurts nobody. */
        riposte_reply_words(token, 0, words, 1);
        words[0] = riposte_reply_words(token, 0, words, 1);
        words[1] = riposte_reply(token, 0, buffer, 40, &accepted);
        words[2] = riposte_reply_error(token, 1);
        words[3] = riposte_read(token, 0, buffer, 4, NULL);
        words[4] = riposte_reply_words_and_receive(channel, token, words, 1, &message);
        if (receive() != RIPOSTE_OK)
            return RIPOSTE_ERROR_BAD_HANDLE;
        return riposte_reply_words_and_receive(channel, message.token, words, 5, &message);
    case PARTS:
        return riposte_reply_vector_and_receive(channel, token, parts, 2, buffer, sizeof buffer, &message);
    case PARTS_LATER:
        riposte_reply_vector(token, parts, 2, &accepted);
        return accepted == 8 ? receive() : RIPOSTE_ERROR_BAD_ARGUMENT;
    case BAD_ANSWERS:
        /* None of them is given: the client waits on. */
        words[1] = riposte_reply(token, 0, (const void *)4, 64, &accepted);
        words[2] = riposte_reply_vector(token, parts, RIPOSTE_MAX_PARTS + 1, NULL);
        words[3] = riposte_reply_words(token, 0, words, 6);
        words[4] = riposte_reply_vector_and_receive(channel, token, (const riposte_part_t *)4, 1, NULL, 0,
                                                    &message);
        return riposte_reply_words_and_receive(channel, token, words, 5, &message);
    case HAND_ON_PROXY: {
        static riposte_proxy_t proxy;
        riposte_error_t error = proxy.handle ? RIPOSTE_OK : riposte_proxy_create(channel, "p", 1, &proxy);
        words[0] = 4321;
        words[1] = riposte_reply_proxy(token, words, (riposte_proxy_t){0});
        if (error == RIPOSTE_OK)
            error = riposte_reply_proxy(token, words, proxy);
        if (error != RIPOSTE_OK)
            riposte_reply_error(token, error);
        return receive();
    }
    case HAND_ON_REGION:
        return hand_on_region(token);
    case CHANGE_REGION:
        *shared += 1;
        words[0] = riposte_region_map(region, false, NULL, NULL);
        words[1] = riposte_release((void *)(uintptr_t)shared);
        words[2] = riposte_region_close(region);
        riposte_reply_words(token, 0, words, 3);
        return receive();
    case PULSES:
        return riposte_reply_words_and_receive(channel, token, &pulses, 1, &message);
    default:
        riposte_reply_words(token, 5, words, 3);
        return receive();
    }
}

/* Bytes: come back with the first and the last one changed, and the first reply byte written ahead. */
static riposte_error_t echo(void)
{
    const size_t length = message.length;
    size_t copied = 0;
    char last = 0;
    if (riposte_read(message.token, (uint32_t)message.offered - 1, &last, 9, &copied) != RIPOSTE_OK
        || copied != 1)
        buffer[1] = '?';
    buffer[0] = last;
    if (riposte_write(message.token, 0, "#", 1, &copied) != RIPOSTE_OK || copied != 1)
        buffer[1] = '!';
    /* In place: no more than the buffer has, and also what registers would hold. */
    if (length == sizeof buffer)
        return riposte_reply_in_place_and_receive(channel, message.token, sizeof buffer + 1, buffer,
                                                  sizeof buffer, &message);
    if (length == 33)
        return riposte_reply_in_place_and_receive(channel, message.token, 5, buffer, sizeof buffer, &message);
    return riposte_reply_and_receive(channel, message.token, 0, buffer, length, buffer, sizeof buffer,
                                     &message);
}

/* Memory: the sum of its first bytes; it is changed if it may be, and given up if it is to stay. */
static riposte_error_t take(void)
{
    unsigned char *memory = (unsigned char *)(uintptr_t)message.words[0];
    uint32_t words[3] = {memory[0] + (uint32_t)memory[1], message.memory, message.words[4]};
    if (message.memory != RIPOSTE_INFO_LENT)
        memory[0] = 99;
    if (message.memory == RIPOSTE_INFO_MOVED && riposte_release(memory) != RIPOSTE_OK)
        words[0] = 0;
    return riposte_reply_words_and_receive(channel, message.token, words, 3, &message);
}

int main(void)
{
    riposte_error_t error;
    if (riposte_channel(NULL, &channel) != RIPOSTE_OK)
        riposte_panic("no channel");
    error = receive();
    /* A client with a bad buffer is gone when it is answered. */
    while (error == RIPOSTE_OK || error == RIPOSTE_ERROR_NO_SUCH_CLIENT) {
        if (error == RIPOSTE_OK && message.notice == RIPOSTE_NOTICE_PROXY)
            pulses++;
        if (error != RIPOSTE_OK || message.notice)
            error = receive();
        else if (message.memory)
            error = take();
        else if (message.buffer)
            error = echo();
        else
            error = obey();
    }
    riposte_panic("the server's channel");
}
