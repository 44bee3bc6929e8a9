/* A client's calls. */

#include <string.h>

#include "check.h"

enum { ADD, REFUSE, REFUSE_LATER, HAND_ON, TWICE, PARTS, PARTS_LATER, BAD_ANSWERS, STATUS,
       HAND_ON_PROXY, PULSES, HAND_ON_REGION, CHANGE_REGION };

static riposte_error_t order(uint32_t number, riposte_reply_t *reply)
{
    return riposte_send_words(server, &number, 1, reply);
}

/* Sends bytes that go in registers, or none, and looks then whether there were any. */
static __attribute__((noinline)) bool sends_some(const void *bytes, size_t length)
{
    if (length > RIPOSTE_MESSAGE_BYTES)
        return false;
    CHECK(riposte_send(server, bytes, length, NULL, 0, NULL) == RIPOSTE_OK);
    return bytes != NULL;
}

static void in_words(void)
{
    const uint32_t add[5] = {ADD, 20, 22, 0, 0};
    volatile size_t three = 3;
    riposte_reply_t reply = {0};
    riposte_connection_t brought = {0};
    const uint32_t hand_on = HAND_ON;
    const char long_one[100] = {0};

    begin("words come and go, and a status is no error");
    CHECK(riposte_send_words(server, add, 3, &reply) == RIPOSTE_OK);
    CHECK(reply.status == 0 && reply.words[0] == 42 && reply.words[1] == 7 && reply.words[2] == 0);
    CHECK(reply.length == 8 && reply.offered == 8 && reply.accepted == 12);
    CHECK(riposte_send_words(server, add, three, NULL) == RIPOSTE_OK);
    CHECK(riposte_send_words(server, add, 4, &reply) == RIPOSTE_OK && reply.words[0] == 42);
    CHECK(riposte_send_words(server, add, 5, &reply) == RIPOSTE_OK && reply.words[0] == 42);
    CHECK(riposte_send_words(server, add, 2, &reply) == RIPOSTE_OK && reply.words[0] == 20);
    CHECK(order(REFUSE, &reply) == RIPOSTE_OK && reply.status == 77 && reply.length == 0);
    CHECK(order(REFUSE_LATER, &reply) == RIPOSTE_OK && reply.status == 78);
    CHECK(order(STATUS, &reply) == RIPOSTE_OK && reply.status == 5 && reply.length == 12);
    CHECK(riposte_send_words_until(server, add, 3, riposte_clock() + 1000000000, &reply)
          == RIPOSTE_OK);
    CHECK(reply.words[0] == 42);
    end();

    begin("too many words, a wrong handle: the error, and nothing is sent");
    CHECK(riposte_send_words(server, add, 6, &reply) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_send_words_until(server, add, 6, RIPOSTE_FOREVER, &reply) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_send_for_handle_until(server, add, 6, RIPOSTE_FOREVER, &reply, &brought)
          == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_send_words((riposte_connection_t){0}, add, 1, &reply) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_send_words((riposte_connection_t){0x0FFFFFFF}, add, 1, &reply)
          == RIPOSTE_ERROR_BAD_HANDLE);
    end();

    begin("an answer is given once");
    CHECK(order(TWICE, &reply) == RIPOSTE_OK);
    CHECK(order(ADD, &reply) == RIPOSTE_OK && reply.length == 20);
    for (int i = 0; i < 5; i++)
        CHECK(reply.words[i] == RIPOSTE_ERROR_NO_SUCH_CLIENT);
    CHECK(order(BAD_ANSWERS, &reply) == RIPOSTE_OK);
    CHECK(reply.words[1] == RIPOSTE_ERROR_BAD_ADDRESS && reply.words[2] == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(reply.words[3] == RIPOSTE_ERROR_BAD_ARGUMENT && reply.words[4] == RIPOSTE_ERROR_BAD_ADDRESS);
    end();

    begin("an answer hands on a connection");
    CHECK(riposte_send_for_handle_until(server, &hand_on, 1, RIPOSTE_FOREVER, &reply, &brought)
          == RIPOSTE_OK);
    CHECK(reply.words[0] == 1234 && brought.handle != 0);
    CHECK(riposte_close(brought) == RIPOSTE_OK);
    CHECK(order(HAND_ON, &reply) == RIPOSTE_OK && reply.status == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_send_bytes_for_handle_until(server, &hand_on, 4, RIPOSTE_FOREVER, &reply, &brought) == RIPOSTE_OK);
    CHECK(reply.words[0] == 1234 && reply.accepted == 4 && brought.handle != 0);
    CHECK(riposte_close(brought) == RIPOSTE_OK);
    CHECK(riposte_send_bytes_for_handle_until((riposte_connection_t){0}, "more bytes than five words", 26,
                                              RIPOSTE_FOREVER, &reply, &brought)
          == RIPOSTE_ERROR_BAD_HANDLE);
    end();

    begin("a send that fails leaves the reply as it was, and one that succeeds says how much was accepted");
    reply.accepted = 99;
    CHECK(riposte_send_words((riposte_connection_t){0}, add, 1, &reply) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_send_words_until((riposte_connection_t){0}, add, 1, RIPOSTE_FOREVER, &reply)
          == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_send_bytes_for_handle_until((riposte_connection_t){0}, add, 4, RIPOSTE_FOREVER, &reply, &brought)
          == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(reply.accepted == 99);
    CHECK(riposte_send_bytes_for_handle_until(server, long_one, sizeof long_one, RIPOSTE_FOREVER, &reply, &brought)
          == RIPOSTE_OK);
    CHECK(reply.accepted == 64 && reply.offered == 64 && reply.length == 0 && brought.handle == 0);
    end();
}

static void proxies(void)
{
    const uint32_t words[6] = {HAND_ON_PROXY, 0, 0, 0, 0, 0};
    riposte_reply_t reply = {0};
    riposte_proxy_t brought = {0}, none = {9};

    begin("an answer hands on a proxy, which its server receives");
    CHECK(riposte_send_for_proxy_until(server, words, 6, RIPOSTE_FOREVER, &reply, &brought)
          == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_send_for_proxy_until((riposte_connection_t){0}, words, 1, RIPOSTE_FOREVER, &reply, &brought)
          == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_send_for_proxy_until(server, words, 1, RIPOSTE_FOREVER, &reply, &brought) == RIPOSTE_OK);
    CHECK(reply.words[0] == 4321 && reply.words[1] == RIPOSTE_ERROR_BAD_HANDLE && brought.handle != 0);
    CHECK(riposte_proxy_trigger(brought) == RIPOSTE_OK);
    CHECK(riposte_proxy_trigger(brought) == RIPOSTE_OK);
    CHECK(order(PULSES, &reply) == RIPOSTE_OK && reply.words[0] == 2);
    CHECK(riposte_proxy_destroy(brought) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_proxy_close(brought) == RIPOSTE_OK);
    CHECK(riposte_proxy_trigger(brought) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_send_for_proxy_until(server, words + 1, 1, RIPOSTE_FOREVER, &reply, &none) == RIPOSTE_OK);
    CHECK(none.handle == 0);
    CHECK(order(HAND_ON_PROXY, &reply) == RIPOSTE_OK && reply.status == RIPOSTE_ERROR_NOT_PERMITTED);
    end();
}

static void regions(void)
{
    const uint32_t to_write[6] = {HAND_ON_REGION, RIPOSTE_RIGHT_WRITE | RIPOSTE_RIGHT_TRANSFER, 0, 0, 0, 0};
    riposte_reply_t reply = {0};
    riposte_region_handle_t brought = {0}, own = {0}, copy = {0};
    void *memory = NULL, *again = NULL;
    volatile uint32_t *shared;
    size_t length = 0;

    begin("a region is made, handed on, mapped by both, and gone when nobody has it");
    CHECK(riposte_region_make("nothing of this name", &own) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_region_make("frames", &own) == RIPOSTE_OK && own.handle != 0);
    CHECK(riposte_region_make("frames", &copy) == RIPOSTE_ERROR_EXHAUSTED && copy.handle == 0);
    CHECK(riposte_region_copy(own, 1u << 31, &copy) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_region_copy(own, 0, &copy) == RIPOSTE_OK);
    CHECK(riposte_region_map(copy, true, &memory, &length) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_region_map(own, true, &memory, &length) == RIPOSTE_OK && length == 4096);
    CHECK(riposte_region_map(own, true, &again, NULL) == RIPOSTE_ERROR_IN_USE && again == NULL);
    CHECK(((volatile uint32_t *)memory)[1023] == 0);
    CHECK(riposte_send_for_region_until(server, to_write, 6, RIPOSTE_FOREVER, &reply, &brought)
          == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_send_for_region_until(server, to_write, 2, RIPOSTE_FOREVER, &reply, &brought) == RIPOSTE_OK);
    CHECK(reply.words[0] == 4096 && brought.handle != 0);
    CHECK(riposte_region_map(brought, true, &again, &length) == RIPOSTE_ERROR_EXHAUSTED);
    CHECK(riposte_release(memory) == RIPOSTE_OK && riposte_release(memory) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_region_map(brought, true, &again, &length) == RIPOSTE_OK);
    shared = (volatile uint32_t *)again;
    CHECK(*shared == 41);
    *shared = 99;
    CHECK(order(CHANGE_REGION, &reply) == RIPOSTE_OK && *shared == 100);
    CHECK(reply.words[0] == RIPOSTE_ERROR_IN_USE && reply.words[1] == RIPOSTE_OK && reply.words[2] == RIPOSTE_OK);
    CHECK(riposte_region_close(brought) == RIPOSTE_OK && *shared == 100);
    CHECK(riposte_region_close(brought) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_release(again) == RIPOSTE_OK);
    CHECK(riposte_region_close(own) == RIPOSTE_OK && riposte_region_close(copy) == RIPOSTE_OK);
    CHECK(riposte_region_make("frames", &own) == RIPOSTE_OK && riposte_region_close(own) == RIPOSTE_OK);
    CHECK(order(HAND_ON_REGION, &reply) == RIPOSTE_OK && reply.status == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(order(CHANGE_REGION, &reply) == RIPOSTE_OK && reply.words[2] == RIPOSTE_OK);
    end();
}

static void in_bytes(void)
{
    static const char text[] = "0123456789012345678901234567890123456789";
    static const char long_text[] = "abcdefghijklmnopqrstuvwxyz01234563xyzabcdefghijklmnopqrstuvwxyz4";
    const uint32_t parts_order = PARTS, later = PARTS_LATER;
    char answer[64];
    char head[2], tail[30];
    const riposte_part_t parts[2] = {{(void *)(uintptr_t)text, 10},
                                     {(void *)(uintptr_t)(text + 10), 30}};
    const riposte_part_t room[2] = {{head, sizeof head}, {tail, sizeof tail}};
    riposte_reply_t reply = {0};

    begin("bytes come and go, and both sides learn all lengths");
    CHECK(riposte_send(server, text, 40, answer, sizeof answer, &reply) == RIPOSTE_OK);
    CHECK(reply.length == 40 && reply.offered == 40 && reply.accepted == 40 && reply.status == 0);
    CHECK(memcmp(answer, "9123", 4) == 0 && memcmp(answer + 1, text + 1, 39) == 0);
    CHECK(riposte_send(server, text, 40, answer, 7, &reply) == RIPOSTE_OK);
    CHECK(reply.length == 7 && reply.offered == 40);
    CHECK(riposte_send_until(server, text, 40, answer, sizeof answer, RIPOSTE_FOREVER, &reply)
          == RIPOSTE_OK);
    CHECK(reply.length == 40);
    CHECK(riposte_send(server, long_text, 33, answer, sizeof answer, &reply) == RIPOSTE_OK);
    CHECK(reply.length == 5 && reply.offered == 5 && memcmp(answer, "6bcde", 5) == 0);
    CHECK(riposte_send(server, long_text, 64, answer, sizeof answer, &reply) == RIPOSTE_OK);
    CHECK(reply.length == 64 && reply.offered == 64 && reply.accepted == 64);
    CHECK(answer[0] == '4' && memcmp(answer + 1, long_text + 1, 63) == 0);
    /* Without a buffer there is no room for what an answer of parts brings. */
    CHECK(order(PARTS, &reply) == RIPOSTE_OK && reply.length == 0 && reply.offered == 8);
    CHECK(riposte_send(server, &parts_order, 4, answer, 5, &reply) == RIPOSTE_OK);
    CHECK(reply.length == 5 && reply.offered == 8 && memcmp(answer, "in pa", 5) == 0);
    end();

    begin("parts are gathered and scattered");
    CHECK(riposte_send_vector_until(server, parts, 2, room, 2, RIPOSTE_FOREVER, &reply) == RIPOSTE_OK);
    CHECK(reply.length == 32 && reply.offered == 40 && reply.accepted == 40);
    CHECK(memcmp(head, "91", 2) == 0 && memcmp(tail, text + 2, 30) == 0);
    CHECK(riposte_send_vector_until(server, parts, 1, room, 2, RIPOSTE_FOREVER, &reply) == RIPOSTE_OK);
    CHECK(reply.length == 10 && memcmp(head, "91", 2) == 0 && memcmp(tail, "23456789", 8) == 0);
    CHECK(riposte_send(server, &later, 4, answer, sizeof answer, &reply) == RIPOSTE_OK);
    CHECK(reply.length == 8 && memcmp(answer, "in parts", 8) == 0);
    CHECK(riposte_send_vector_until(server, parts, RIPOSTE_MAX_PARTS + 1, room, 2, RIPOSTE_FOREVER, &reply)
          == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_send_vector_until(server, (const riposte_part_t *)4, 1, NULL, 0, RIPOSTE_FOREVER, &reply)
          == RIPOSTE_ERROR_BAD_ADDRESS);
    end();

    begin("memory of nobody's, or of somebody else's, is a bad address");
    CHECK(riposte_send(server, NULL, 64, answer, sizeof answer, &reply) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_send(server, (const void *)0x7FFFFFF1, 64, NULL, 0, &reply) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_send(server, (const void *)3, 21, NULL, 0, &reply) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_send(server, text, 0x7FFFFFFF, NULL, 0, &reply) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_send(server, text, 40, (void *)(uintptr_t)text, 40, &reply) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(order(ADD, &reply) == RIPOSTE_OK);
    end();

    begin("who sends no bytes may say NULL, and the compiler does not believe that it was none");
    {
        const void *volatile bytes = text;
        volatile size_t length = 3;
        CHECK(sends_some(bytes, length));
        bytes = NULL;
        length = 0;
        CHECK(!sends_some(bytes, length));
    }
    end();
}

void sending(void)
{
    in_words();
    proxies();
    regions();
    in_bytes();
}
