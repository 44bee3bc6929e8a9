/* Mailboxes, queues, pools, heaps. */

#define _DEFAULT_SOURCE /* for strdup */

#include <stdlib.h>
#include <string.h>

#include "check.h"

struct item {
    uint8_t bytes[7];
};

RIPOSTE_QUEUE(items, struct item, 2);
RIPOSTE_QUEUE(numbers, uint32_t, 3);
RIPOSTE_BYTE_QUEUE(lines, 8);
RIPOSTE_POOL(blocks, uint64_t, 2);
RIPOSTE_POOL(odd, struct item, 3);
RIPOSTE_HEAP(heap, 1024);

static void mailboxes(void)
{
    static riposte_mailbox_t mailbox = RIPOSTE_MAILBOX;
    uint32_t word = 0;

    begin("a mailbox holds one word that is not 0");
    CHECK(riposte_mailbox_post(&mailbox, 0) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_mailbox_try_fetch(&mailbox, &word) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_mailbox_fetch_until(&mailbox, soon(), &word) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_mailbox_post(&mailbox, 5) == RIPOSTE_OK);
    CHECK(riposte_mailbox_try_post(&mailbox, 6) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_mailbox_post_until(&mailbox, 6, soon()) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_mailbox_post_until(&mailbox, 6, RIPOSTE_IMMEDIATE) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_mailbox_fetch(&mailbox, &word) == RIPOSTE_OK && word == 5);
    CHECK(riposte_mailbox_try_post(&mailbox, 6) == RIPOSTE_OK);
    CHECK(riposte_mailbox_try_fetch(&mailbox, &word) == RIPOSTE_OK && word == 6);
    end();
}

static void in_order(void)
{
    const struct item first = {"first."}, second = {"second"};
    struct item item;
    uint32_t number;

    begin("a queue keeps its items in order, of any size");
    CHECK(riposte_queue_try_receive(&items, &item) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_queue_receive_until(&items, &item, soon()) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_queue_send(&items, &first) == RIPOSTE_OK && riposte_queue_length(&items) == 1);
    CHECK(riposte_queue_try_send(&items, &second) == RIPOSTE_OK && riposte_queue_length(&items) == 2);
    CHECK(riposte_queue_try_send(&items, &second) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_queue_send_until(&items, &second, soon()) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_queue_receive(&items, &item) == RIPOSTE_OK && memcmp(&item, "first.", 7) == 0);
    CHECK(riposte_queue_receive(&items, &item) == RIPOSTE_OK && memcmp(&item, "second", 7) == 0);
    for (uint32_t round = 0; round < 7; round++) {
        CHECK(riposte_queue_send(&numbers, &round) == RIPOSTE_OK);
        CHECK(riposte_queue_receive(&numbers, &number) == RIPOSTE_OK && number == round);
    }
    end();
}

static void strangers(void)
{
    static RIPOSTE_QUEUE_MEMORY(uint32_t, 3) memory;
    const riposte_queue_t queue = RIPOSTE_QUEUE_IN(memory);
    uint32_t number = 9;

    begin("a queue that a stranger has written to is an error, and no place beyond it is used");
    riposte_word_store(&memory.state.ring, 0x00010009);
    CHECK(riposte_queue_receive(&queue, &number) == RIPOSTE_ERROR_BAD_ARGUMENT && number == 9);
    riposte_word_store(&memory.state.ring, 0x00090000);
    CHECK(riposte_queue_send(&queue, &number) == RIPOSTE_ERROR_BAD_ARGUMENT);
    riposte_word_store(&memory.state.ring, 0x0002FFFF);
    CHECK(riposte_queue_send(&queue, &number) == RIPOSTE_ERROR_BAD_ARGUMENT);
    riposte_word_store(&memory.state.ring, 0);
    CHECK(riposte_queue_send(&queue, &number) == RIPOSTE_OK);
    end();
}

static void of_bytes(void)
{
    static RIPOSTE_BYTE_QUEUE_MEMORY(3) memory;
    const riposte_byte_queue_t small = RIPOSTE_BYTE_QUEUE_IN(memory);
    const riposte_byte_queue_t none = {&memory.state, memory.words, 0};
    const riposte_byte_queue_t too_many = {&memory.state, memory.words, 65536};
    char text[32] = "";
    size_t length = 99;

    begin("a queue of bytes keeps messages of different lengths whole and in order");
    CHECK(riposte_byte_queue_try_receive(&lines, text, sizeof text, &length) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_byte_queue_receive_until(&lines, text, sizeof text, soon(), &length)
          == RIPOSTE_ERROR_TIMED_OUT && length == 99);
    CHECK(riposte_byte_queue_send(&lines, "a line", 6) == RIPOSTE_OK);
    CHECK(riposte_byte_queue_try_send(&lines, NULL, 0) == RIPOSTE_OK);
    CHECK(riposte_byte_queue_send_until(&lines, "12345678", 8, soon()) == RIPOSTE_OK);
    CHECK(riposte_byte_queue_try_send(&lines, "x", 8) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_byte_queue_send_until(&lines, "x", 8, soon()) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_byte_queue_send(&lines, text, 29) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_byte_queue_receive(&lines, text, sizeof text, &length) == RIPOSTE_OK);
    CHECK(length == 6 && memcmp(text, "a line", 7) == 0);
    CHECK(riposte_byte_queue_receive(&lines, NULL, 0, &length) == RIPOSTE_OK && length == 0);
    CHECK(riposte_byte_queue_receive(&lines, text, 3, &length) == RIPOSTE_OK && length == 8);
    CHECK(memcmp(text, "123ine", 6) == 0);
    end();

    begin("a queue of bytes without words, too many, or that a stranger has written to is an error");
    CHECK(riposte_byte_queue_send(&none, text, 1) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_byte_queue_receive(&none, text, 1, NULL) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_byte_queue_send(&too_many, text, 1) == RIPOSTE_ERROR_BAD_ARGUMENT);
    riposte_word_store(&memory.state.ring, 0x00090000);
    CHECK(riposte_byte_queue_send(&small, text, 1) == RIPOSTE_ERROR_BAD_ARGUMENT);
    riposte_word_store(&memory.state.ring, 0x00030000);
    riposte_word_store(&memory.words[0], 0xFFFF);
    CHECK(riposte_byte_queue_receive(&small, text, 32, NULL) == RIPOSTE_ERROR_BAD_ARGUMENT);
    riposte_word_store(&memory.state.ring, 0);
    CHECK(riposte_byte_queue_send(&small, text, 8) == RIPOSTE_OK);
    end();
}

static void pools(void)
{
    void *first = NULL, *second = NULL, *third = NULL;
    uint64_t stranger;

    begin("a pool gives each block to one, and takes back only its own");
    CHECK(riposte_pool_allocate(&blocks, &first) == RIPOSTE_OK && first != NULL);
    CHECK(riposte_pool_try_allocate(&blocks, &second) == RIPOSTE_OK && second != first);
    CHECK(riposte_pool_try_allocate(&blocks, &third) == RIPOSTE_ERROR_WOULD_BLOCK && third == NULL);
    CHECK(riposte_pool_allocate_until(&blocks, soon(), &third) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_pool_release(&blocks, &stranger) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_pool_release(&blocks, (char *)first + 4) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_pool_release(&blocks, NULL) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_pool_release(&blocks, first) == RIPOSTE_OK);
    CHECK(riposte_pool_release(&blocks, first) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_pool_allocate(&blocks, &third) == RIPOSTE_OK && third == first);
    CHECK(riposte_pool_release(&blocks, second) == RIPOSTE_OK);
    CHECK(riposte_pool_release(&blocks, third) == RIPOSTE_OK);
    end();

    begin("blocks of any size come again in any order, each once");
    void *taken[3];
    for (int round = 0; round < 6; ++round) {
        for (int index = 0; index < 3; ++index)
            CHECK(riposte_pool_try_allocate(&odd, &taken[index]) == RIPOSTE_OK);
        CHECK(riposte_pool_try_allocate(&odd, &third) == RIPOSTE_ERROR_WOULD_BLOCK);
        CHECK(taken[0] != taken[1] && taken[1] != taken[2] && taken[2] != taken[0]);
        CHECK(riposte_pool_release(&odd, (char *)taken[0] + 1) == RIPOSTE_ERROR_BAD_ARGUMENT);
        CHECK(riposte_pool_release(&odd, (char *)taken[0] + 3 * sizeof(struct item))
              == RIPOSTE_ERROR_BAD_ARGUMENT);
        for (int index = 0; index < 3; ++index) {
            CHECK(riposte_pool_release(&odd, taken[(index + round) % 3]) == RIPOSTE_OK);
            CHECK(riposte_pool_release(&odd, taken[(index + round) % 3]) == RIPOSTE_ERROR_BAD_ARGUMENT);
        }
    }
    end();
}

static void heaps(void)
{
    void *first = NULL, *second = NULL, *large = NULL;
    size_t size = 0;

    begin("a heap gives blocks of any size apart from each other, as long as there is room");
    CHECK(riposte_heap_allocate(&heap, 5, &first) == RIPOSTE_OK);
    CHECK(riposte_heap_allocate(&heap, 300, &second) == RIPOSTE_OK);
    CHECK((uintptr_t)first % 8 == 0 && (uintptr_t)second % 8 == 0 && first != second);
    memset(first, 1, 5);
    memset(second, 2, 300);
    CHECK(*(uint8_t *)first == 1 && *(uint8_t *)second == 2);
    CHECK(riposte_heap_allocate(&heap, 4000, &large) == RIPOSTE_ERROR_EXHAUSTED && large == NULL);
    CHECK(riposte_heap_allocate(&heap, SIZE_MAX, &large) == RIPOSTE_ERROR_EXHAUSTED);
    CHECK(riposte_heap_release(&heap, second) == RIPOSTE_OK);
    CHECK(riposte_heap_release(&heap, first) == RIPOSTE_OK);
    CHECK(riposte_heap_release(&heap, NULL) == RIPOSTE_OK);
    CHECK(riposte_heap_allocate(&heap, 600, &large) == RIPOSTE_OK);
    CHECK(riposte_heap_release(&heap, large) == RIPOSTE_OK);
    end();

    begin("a heap takes back only its own blocks, and each once");
    CHECK(riposte_heap_allocate(&heap, 24, &first) == RIPOSTE_OK);
    CHECK(riposte_heap_allocate(&heap, 24, &second) == RIPOSTE_OK);
    CHECK(riposte_heap_size(&heap, first, &size) == RIPOSTE_OK && size == 24);
    CHECK(riposte_heap_size(&heap, &large, &size) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_heap_release(&heap, &large) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_heap_release(&heap, (char *)first + 8) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_heap_release(&heap, (char *)first + 1) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_heap_release(&heap, (void *)8) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_heap_release(&heap, first) == RIPOSTE_OK);
    CHECK(riposte_heap_release(&heap, first) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_heap_release(&heap, second) == RIPOSTE_OK);
    end();

    begin("a heap gives blocks at multiples of powers of two");
    for (size_t alignment = 1; alignment <= 128; alignment *= 2) {
        CHECK(riposte_heap_allocate_aligned(&heap, 5, alignment, &first) == RIPOSTE_OK);
        CHECK((uintptr_t)first % alignment == 0 && (uintptr_t)first % _Alignof(max_align_t) == 0);
        CHECK(riposte_heap_size(&heap, first, &size) == RIPOSTE_OK && size == 5);
        memset(first, 0xFF, 5);
        CHECK(riposte_heap_allocate_aligned(&heap, 1, alignment, &second) == RIPOSTE_OK);
        CHECK(riposte_heap_release(&heap, first) == RIPOSTE_OK);
        CHECK(riposte_heap_release(&heap, first) == RIPOSTE_ERROR_BAD_ARGUMENT);
        CHECK(riposte_heap_release(&heap, second) == RIPOSTE_OK);
    }
    CHECK(riposte_heap_allocate_aligned(&heap, 8, 0, &first) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_heap_allocate_aligned(&heap, 8, 24, &first) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_heap_allocate_aligned(&heap, 8, 4096, &first) == RIPOSTE_ERROR_EXHAUSTED);
    CHECK(riposte_heap_allocate_aligned(&heap, SIZE_MAX - 8, 8, &first) == RIPOSTE_ERROR_EXHAUSTED);
    CHECK(riposte_heap_allocate_aligned(&heap, 8, (size_t)1 << 31, &first) == RIPOSTE_ERROR_EXHAUSTED);
    end();
}

static void allocations(void)
{
    char *text, *longer;
    volatile size_t too_much = SIZE_MAX / 2;

    begin("malloc and its like take their memory from the program's heap, and give it back");
    text = strdup("text");
    CHECK(text != NULL && strcmp(text, "text") == 0);
    longer = realloc(text, 300);
    CHECK(longer != NULL && strcmp(longer, "text") == 0);
    CHECK(malloc(too_much) == NULL && calloc(too_much, 4) == NULL && realloc(longer, too_much) == NULL);
    free(longer);
    free(NULL);
    for (int round = 0; round < 100; round++) {
        longer = calloc(30, 10);
        CHECK(longer != NULL && longer[0] == 0 && longer[299] == 0);
        memset(longer, 1, 300);
        free(longer);
    }
    end();
}

void queues(void)
{
    mailboxes();
    in_order();
    strangers();
    of_bytes();
    pools();
    heaps();
    allocations();
}
