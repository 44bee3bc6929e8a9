/* A server of files that dies of the second read of each of its lives, in the middle of it. It has one file, of which
 * each read gives four bytes. */

#include <string.h>

#include <riposte.h>

/* The protocol's, as far as it goes. */
enum { OPEN, CLOSE, READ, STAT = 5, STAT_PATH = 10 };
/* The names server's REGISTER, for the first channel of the manifest. */
#define REGISTER 0
#define NAME "/dev/flaky"

/* Writes into what the judge maps. */
static void leave_word(const char *name, uint32_t word)
{
    void *memory;
    size_t length;
    bool is_writable;
    if (riposte_region(name, &memory, &length, &is_writable) != RIPOSTE_OK || !is_writable)
        riposte_panic("no region");
    *(volatile uint32_t *)memory = word;
}

static void register_name(void)
{
    riposte_connection_t names;
    char request[4 + sizeof NAME - 1] = {REGISTER, 0, 0, 0};
    riposte_reply_t reply;
    memcpy(request + 4, NAME, sizeof NAME - 1);
    if (riposte_connect("names", &names) != RIPOSTE_OK
        || riposte_send(names, request, sizeof request, NULL, 0, &reply) != RIPOSTE_OK || reply.status)
        riposte_panic("the name was not registered");
}

int main(void)
{
    static const uint32_t is[4] = {1, 100, 0, 7}, number[1] = {1};
    riposte_channel_t channel;
    riposte_message_t message;
    char request[64];
    int reads = 0;

    leave_word("fixed", 0x600D);
    leave_word("shared", 0xFEED);
    register_name();
    if (riposte_channel("flaky", &channel) != RIPOSTE_OK)
        riposte_panic("no channel");
    while (riposte_receive(channel, request, sizeof request, &message) == RIPOSTE_OK) {
        const uint32_t operation = *(const uint32_t *)riposte_message_bytes(&message) & 0xFF;
        switch (operation) {
        case OPEN:
            riposte_reply_words(message.token, 0, number, 1);
            break;
        case READ:
            if (reads++)
                riposte_panic("the second read");
            riposte_reply(message.token, 0, "half", 4, NULL);
            break;
        case STAT:
        case STAT_PATH:
            riposte_reply_words(message.token, 0, is, 4);
            break;
        default:
            riposte_reply(message.token, 0, NULL, 0, NULL);
        }
    }
    return 1;
}
