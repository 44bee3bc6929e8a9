/* A server of files that dies of the second read of each of its lives, in the middle of it. It has one file, of which
 * each read gives four bytes; one, `torn`, whose first 4,096 bytes alone can be read; one, `slow`, whose bytes come
 * four at a time; and one directory, `liar`, of which it tells what no server may. */

#include <string.h>

#include <riposte.h>

/* The protocol's, as far as it goes. */
enum { OPEN, CLOSE, READ, WRITE, SEEK, STAT, LIST = 8, STAT_PATH = 10 };
#define TRY (1 << 8)
#define AT_END (1 << 10)
/* The names server's REGISTER; the number of the channel in the manifest is above it. */
#define REGISTER(channel) ((channel) << 16)
#define LIAR "/liar"
#define TORN "/torn"
#define SLOW "/slow"
/* What is there of it; what a read of the rest is, as errno has it. */
#define TORN_BYTES 4096
#define IO_ERROR 5
/* What is asked for at once, and has not come, is none. */
#define WOULD_BLOCK 11
/* A status that was a success once it had a sign. */
#define TWO_HUNDRED (-200u)

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

static void register_name(const char *name, uint32_t channel)
{
    riposte_connection_t names;
    struct {
        uint32_t operation;
        char name[16];
    } request = {REGISTER(channel), ""};
    riposte_reply_t reply;
    strcpy(request.name, name);
    if (riposte_connect("names", &names) != RIPOSTE_OK
        || riposte_send(names, &request, sizeof request.operation + strlen(name), NULL, 0, &reply) != RIPOSTE_OK
        || reply.status)
        riposte_panic("the name was not registered");
}

static bool is(const char *name, const char *path, size_t length)
{
    return length == strlen(name) && !memcmp(path, name, length);
}

/* The number of what is opened. */
static uint32_t number_of(const char *path, size_t length)
{
    return is(LIAR, path, length) ? 2 : is(TORN, path, length) ? 3 : is(SLOW, path, length) ? 4 : 1;
}

/* Each read of it says from where. */
static void read_torn(riposte_token_t token, uint32_t offset)
{
    static const char half[TORN_BYTES] = "half";
    if (offset == 0)
        riposte_reply(token, 0, half, sizeof half, NULL);
    else
        riposte_reply(token, IO_ERROR, NULL, 0, NULL);
}

int main(void)
{
    static const uint32_t plain[4] = {1, 100, 0, 7}, liar[4] = {2, 0, 0, 8}, numbers[4][1] = {{1}, {2}, {3}, {4}}, one[1] = {1}, many[1] = {1000};
    riposte_channel_t channel;
    riposte_message_t message;
    char request[64];
    int reads = 0;

    leave_word("fixed", 0x600D);
    leave_word("shared", 0xFEED);
    register_name("/dev/flaky", 0);
    register_name("/dev/second", 1);
    if (riposte_channel("flaky", &channel) != RIPOSTE_OK)
        riposte_panic("no channel");
    while (riposte_receive(channel, request, sizeof request, &message) == RIPOSTE_OK) {
        const uint32_t *const words = (const uint32_t *)riposte_message_bytes(&message);
        const char *const path = (const char *)&words[2];
        const bool of_liar = is(LIAR, path, message.length - 8), is_liar = words[1] == 2;
        switch (words[0] & 0xFF) {
        case OPEN:
            riposte_reply_words(message.token, 0, numbers[number_of(path, message.length - 8) - 1], 1);
            break;
        case READ:
            if (is_liar) {
                riposte_reply(message.token, TWO_HUNDRED, NULL, 0, NULL);
                break;
            }
            if (words[1] == 3) {
                read_torn(message.token, words[3]);
                break;
            }
            if (words[1] == 4) {
                if (words[0] & TRY)
                    riposte_reply(message.token, WOULD_BLOCK, NULL, 0, NULL);
                else
                    riposte_reply(message.token, 0, "come", 4, NULL);
                break;
            }
            if (reads++)
                riposte_panic("the second read");
            riposte_reply(message.token, 0, "half", 4, NULL);
            break;
        case WRITE:
            riposte_reply_words(message.token, 0, words[0] & AT_END ? one : many, 1);
            break;
        case SEEK:
        case LIST:
            riposte_reply(message.token, TWO_HUNDRED, NULL, 0, NULL);
            break;
        case STAT:
            riposte_reply_words(message.token, 0, is_liar ? liar : plain, 4);
            break;
        case STAT_PATH:
            riposte_reply_words(message.token, 0, of_liar ? liar : plain, 4);
            break;
        default:
            riposte_reply(message.token, 0, NULL, 0, NULL);
        }
    }
    return 1;
}
