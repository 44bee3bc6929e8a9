/* malloc and its like: what the standard says of them, where there is room and where there is none. */

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void rules(void)
{
    volatile size_t too_much = SIZE_MAX / 2, huge = SIZE_MAX - 4;
    char *block, *other;
    void *place = &place;

    begin("malloc: where there is no room it says ENOMEM, and nothing changes");
    errno = 0;
    CHECK(malloc(huge) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(malloc(too_much) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(calloc(too_much, 4) == NULL && errno == ENOMEM);
    block = malloc(20);
    CHECK(block != NULL);
    if (!block)
        return;
    strcpy(block, "as it was");
    errno = 0;
    other = realloc(block, too_much);
    CHECK(other == NULL && errno == ENOMEM);
    if (!other)
        CHECK(strcmp(block, "as it was") == 0);
    errno = 0;
    CHECK(posix_memalign(&place, 16, too_much) == ENOMEM && errno == 0 && place == &place);
    free(block);
    end();

    begin("malloc: blocks are aligned, apart from each other, and can be of no bytes");
    block = malloc(0);
    other = malloc(0);
    CHECK(block != NULL && other != NULL && block != other);
    CHECK((uintptr_t)block % _Alignof(max_align_t) == 0);
    free(block);
    free(other);
    block = malloc(3);
    CHECK(block != NULL && malloc_usable_size(block) >= 3 && malloc_usable_size(NULL) == 0);
    free(block);
    errno = 7;
    free(NULL);
    CHECK(errno == 7);
    end();

    begin("posix_memalign and aligned_alloc: an alignment that is none is EINVAL");
    CHECK(posix_memalign(&place, 0, 8) == EINVAL && posix_memalign(&place, 2, 8) == EINVAL);
    CHECK(posix_memalign(&place, 24, 8) == EINVAL && place == &place);
    CHECK(posix_memalign(&place, 64, 8) == 0 && (uintptr_t)place % 64 == 0);
    free(place);
    place = aligned_alloc(128, 128);
    CHECK(place != NULL && (uintptr_t)place % 128 == 0);
    free(place);
    errno = 0;
    CHECK(aligned_alloc(3, 8) == NULL && errno == EINVAL);
    place = memalign(32, 100);
    CHECK(place != NULL && (uintptr_t)place % 32 == 0);
    place = realloc(place, 200);
    CHECK(place != NULL);
    free(place);
    end();

    begin("realloc: to no more than a block has it finds room in a full heap, too");
    void **full = NULL;
    block = malloc(1500);
    CHECK(block != NULL);
    if (block)
        strcpy(block, "as it was");
    for (size_t size = 1024; size >= sizeof full; size /= 2)
        for (void **one; (one = malloc(size)) != NULL; full = one)
            *one = full;
    errno = 0;
    other = realloc(block, 100);
    CHECK(other != NULL && errno == 0 && strcmp(other, "as it was") == 0);
    if (other)
        block = other;
    CHECK(realloc(block, 1600) == NULL && errno == ENOMEM && strcmp(block, "as it was") == 0);
    free(block);
    while (full) {
        void **const next = *full;
        free(full);
        full = next;
    }
    end();

    begin("strdup, strndup and asprintf take their memory there");
    block = strdup("text");
    CHECK(block != NULL && strcmp(block, "text") == 0);
    free(block);
    block = strndup("text", 2);
    CHECK(block != NULL && strcmp(block, "te") == 0);
    free(block);
    CHECK(asprintf(&block, "%d and %s", 42, "more") == 11 && strcmp(block, "42 and more") == 0);
    free(block);
    end();
}

/* How many blocks of 64 bytes there are. */
static int all(void)
{
    void *blocks[80];
    int count = 0;
    while (count < 80 && (blocks[count] = malloc(64)) != NULL)
        memset(blocks[count++], 0xA5, 64);
    for (int i = 0; i < count; i += 2)
        free(blocks[i]);
    for (int i = 1; i < count; i += 2)
        free(blocks[i]);
    return count;
}

static uint32_t seeds[2] = {1, 2};

/* Takes and gives back at random, and looks whether its blocks stay as they are. */
static uint32_t churn(void *argument)
{
    uint32_t seed = *(const uint32_t *)argument;
    uint8_t *held[4] = {0};
    uint32_t wrong_blocks = 0;
    for (int turn = 0; turn < 200; turn++) {
        seed = seed * 1103515245 + 12345;
        const uint32_t which = seed >> 16 & 3, size = 1 + (seed >> 20 & 63);
        if (held[which]) {
            for (uint32_t i = 0; i < held[which][0]; i++)
                wrong_blocks += i > 0 && held[which][i] != (uint8_t)(which + *(const uint32_t *)argument);
            free(held[which]);
        }
        held[which] = malloc(size);
        if (held[which]) {
            memset(held[which], (int)(which + *(const uint32_t *)argument), size);
            held[which][0] = (uint8_t)size;
        }
        if (turn % 16 == 0)
            riposte_yield();
    }
    for (int i = 0; i < 4; i++)
        free(held[i]);
    return wrong_blocks;
}

static void threads(void)
{
    const riposte_thread_settings_t how = {10, RIPOSTE_POLICY_ROUND_ROBIN, 0};
    riposte_thread_t two[2];
    uint32_t value;
    begin("threads that take memory at once keep their own, and give all of it back");
    const int before = all();
    CHECK(before > 20 && before < 80);
    for (int i = 0; i < 2; i++)
        CHECK(riposte_thread_spawn(churn, &seeds[i], &how, &two[i]) == RIPOSTE_OK);
    CHECK(churn(&(uint32_t){3}) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(riposte_thread_join_until(two[i], RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 0);
    CHECK(all() == before);
    end();
}

void memory(void)
{
    rules();
    threads();
}
