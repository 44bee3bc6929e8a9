/* Thread-local storage: of the main thread, of one of the manifest, and of spare ones in each of their lives. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define FIRST 0x1234567u

/* Of every kind: with a first value and without, small and large, aligned and not. */
static _Thread_local uint32_t first = FIRST;
static _Thread_local uint8_t odd = 3;
static _Thread_local uint32_t zero;
static _Thread_local _Alignas(32) uint8_t aligned[33];
static _Thread_local char line[20];
static _Thread_local uint32_t constructed;

static uint32_t by_constructor;

__attribute__((constructor)) static void construct(void)
{
    by_constructor = first;
    constructed = 9;
    errno = EDOM;
}

/* 0 if all of a thread is as it is when it begins, else what is not. */
static uint32_t untouched(void)
{
    if (first != FIRST)
        return 1;
    if (odd != 3)
        return 2;
    if (zero != 0 || constructed != 0)
        return 3;
    if ((uintptr_t)aligned % 32 != 0)
        return 4;
    for (size_t i = 0; i < sizeof aligned; i++)
        if (aligned[i] != 0)
            return 5;
    for (size_t i = 0; i < sizeof line; i++)
        if (line[i] != 0)
            return 6;
    if (errno != 0)
        return 7;
    return 0;
}

static void touch(uint32_t by)
{
    first = by;
    odd = (uint8_t)by;
    zero = by;
    memset(aligned, (int)by, sizeof aligned);
    memset(line, (int)by, sizeof line);
    errno = (int)by;
}

static bool is_touched(uint32_t by)
{
    for (size_t i = 0; i < sizeof line; i++)
        if (line[i] != (char)by)
            return false;
    for (size_t i = 0; i < sizeof aligned; i++)
        if (aligned[i] != (uint8_t)by)
            return false;
    return first == by && odd == (uint8_t)by && zero == by && errno == (int)by;
}

/* What the thread of the manifest found before it did anything, and where. */
static uint32_t second_found = 99;
static uint32_t *second_zero;
static riposte_semaphore_t second_go = RIPOSTE_SEMAPHORE(0), second_done = RIPOSTE_SEMAPHORE(0);

RIPOSTE_THREAD(second)
{
    second_found = untouched();
    second_zero = &zero;
    touch(2);
    for (;;) {
        riposte_semaphore_take(&second_go);
        second_found = is_touched(2) ? 0 : 98;
        riposte_semaphore_give(&second_done);
    }
}

static uint32_t lives(void *argument)
{
    const uint32_t found = untouched();
    touch(*(const uint32_t *)argument);
    return found;
}

static riposte_semaphore_t both = RIPOSTE_SEMAPHORE(0);

/* Waits in between, so that another one runs. */
static uint32_t meets(void *argument)
{
    const uint32_t own = *(const uint32_t *)argument;
    const uint32_t found = untouched();
    touch(own);
    riposte_semaphore_take(&both);
    return found != 0 ? found : is_touched(own) ? 0 : 97;
}

static uint32_t uses_library(void *argument)
{
    char text[] = "three,four,five";
    char *place = NULL;
    (void)argument;
    if (strtok(text, ",") != text || strcmp(strtok(NULL, ","), "four") != 0)
        return 1;
    if (strtol("99999999999999", &place, 10) != LONG_MAX || errno != ERANGE)
        return 2;
    srand(7);
    for (int i = 0; i < 5; i++)
        rand();
    return 0;
}

static void values(void)
{
    uint32_t by = 40;
    begin("every thread begins with the first values of its own, in each of its lives");
    CHECK(by_constructor == FIRST && constructed == 9);
    CHECK(errno == EDOM);
    constructed = 0;
    errno = 0;
    CHECK(untouched() == 0);
    touch(1);
    for (int life = 0; life < 6; life++) {
        by++;
        CHECK(run(lives, &by, life % 2 ? 9 : 11) == 0);
    }
    CHECK(is_touched(1));
    end();
}

static void together(void)
{
    const riposte_thread_settings_t how = {11, RIPOSTE_POLICY_FIFO, 0};
    uint32_t own[2] = {50, 51}, value;
    riposte_thread_t threads[2];
    begin("threads of all kinds keep theirs while others run");
    touch(1);
    CHECK(second_found == 0 && second_zero != &zero);
    for (int i = 0; i < 2; i++)
        CHECK(riposte_thread_spawn(meets, &own[i], &how, &threads[i]) == RIPOSTE_OK);
    CHECK(riposte_semaphore_give(&second_go) == RIPOSTE_OK);
    CHECK(riposte_semaphore_take(&second_done) == RIPOSTE_OK);
    CHECK(second_found == 0);
    CHECK(riposte_semaphore_give(&both) == RIPOSTE_OK && riposte_semaphore_give(&both) == RIPOSTE_OK);
    for (int i = 0; i < 2; i++)
        CHECK(riposte_thread_join_until(threads[i], RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 0);
    CHECK(is_touched(1));
    end();
}

static void own_state(void)
{
    char text[] = "one two";
    int expected[2];
    begin("strtok, rand and errno are each thread's own");
    srand(1);
    for (int i = 0; i < 2; i++)
        expected[i] = rand();
    srand(1);
    errno = 0;
    CHECK(strtok(text, " ") == text);
    CHECK(rand() == expected[0]);
    CHECK(run(uses_library, NULL, 11) == 0);
    CHECK(rand() == expected[1]);
    CHECK(strcmp(strtok(NULL, " "), "two") == 0);
    CHECK(errno == 0);
    end();
}

static void restart(void)
{
    riposte_channel_t restarts;
    riposte_message_t message;
    begin("a process that starts again finds the first values");
    CHECK(riposte_channel("restarts", &restarts) == RIPOSTE_OK);
    for (int life = 0; life < 3; life++) {
        const riposte_error_t error = riposte_receive(restarts, NULL, 0, &message);
        CHECK(error == RIPOSTE_OK);
        if (error != RIPOSTE_OK)
            return;
        CHECK(message.words[0] == 0);
        CHECK(riposte_reply_words(message.token, 0, NULL, 0) == RIPOSTE_OK);
    }
    end();
}

void storage(void)
{
    values();
    together();
    own_state();
    restart();
}
