/* Messages that carry memory. */

#include <string.h>

#include "check.h"

void memory(void)
{
    const uint32_t words[3] = {1, 2, 3};
    void *pages;
    unsigned char *bytes;
    size_t length = 0;
    riposte_reply_t reply = {0};

    begin("pages are lent, lent to be changed, and moved, and no byte is copied");
    CHECK(riposte_pages(&pages, &length) == RIPOSTE_OK && length == 8192);
    bytes = pages;
    bytes[0] = 40;
    bytes[1] = 2;
    CHECK(riposte_lend(server, bytes, 4096, words, RIPOSTE_FOREVER, &reply) == RIPOSTE_OK);
    CHECK(reply.words[0] == 42 && reply.words[1] == RIPOSTE_INFO_LENT && reply.words[2] == 3);
    CHECK(bytes[0] == 40);
    CHECK(riposte_lend_mut(server, bytes, 4096, NULL, RIPOSTE_FOREVER, &reply) == RIPOSTE_OK);
    CHECK(reply.words[0] == 42 && reply.words[1] == RIPOSTE_INFO_LENT_MUT && bytes[0] == 99);
    CHECK(riposte_move(server, bytes, 4096, NULL, RIPOSTE_FOREVER, &reply) == RIPOSTE_OK);
    CHECK(reply.words[0] == 101 && reply.words[1] == RIPOSTE_INFO_MOVED);
    CHECK(riposte_reclaim(bytes, 4096) == RIPOSTE_OK && bytes[0] == 0 && bytes[1] == 0);
    end();

    begin("what cannot be lent is refused, and stays where it is");
    CHECK(riposte_lend(server, bytes, 0, words, RIPOSTE_FOREVER, &reply) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_lend(server, NULL, 4096, words, RIPOSTE_FOREVER, &reply) != RIPOSTE_OK);
    CHECK(riposte_lend_mut(server, (void *)0x7FFFF000, 4096, words, RIPOSTE_FOREVER, &reply)
          == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_move(server, bytes, 8192, words, RIPOSTE_FOREVER, &reply) == RIPOSTE_ERROR_CANNOT_LEND);
    CHECK(riposte_release(bytes) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_reclaim(&reply, 4096) == RIPOSTE_ERROR_BAD_ADDRESS);
    bytes[0] = 1;
    CHECK(bytes[0] == 1);
    end();
}
