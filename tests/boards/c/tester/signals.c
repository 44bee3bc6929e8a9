/* Signals: to oneself, to a thread, to another process, and what they interrupt. */

#include "check.h"

#define PLAIN 10
#define ENDS 15
#define WORD RIPOSTE_SIGNAL_FIRST_QUEUED
#define SET(signal) (UINT64_C(1) << (signal))

static const riposte_signal_target_t own = {RIPOSTE_SIGNAL_OWN};
static volatile uint32_t handled, last, brought;
static riposte_semaphore_t never = RIPOSTE_SEMAPHORE(0);

static void count(uint32_t signal, uint32_t word)
{
    handled++;
    last = signal;
    brought = word;
}

static void to_oneself(void)
{
    uint64_t before = 0, pending = 0;
    uint32_t signal = 0, word = 0;

    begin("a signal is handled where it finds its thread, or waits while it is masked");
    CHECK(riposte_signal_handle(0, count) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_signal_handle(RIPOSTE_SIGNAL_MAX + 1, count) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_signal_mask(RIPOSTE_SIGNAL_HOW_UNBLOCK, SET(PLAIN), NULL, NULL) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_signal_handle(PLAIN, count) == RIPOSTE_OK);
    CHECK(riposte_signal_handle(WORD, count) == RIPOSTE_OK);
    CHECK(riposte_signal_send(own, PLAIN, 5) == RIPOSTE_OK && handled == 1 && last == PLAIN && brought == 0);
    CHECK(riposte_signal_send(own, WORD, 77) == RIPOSTE_OK && handled == 2 && last == WORD && brought == 77);
    CHECK(riposte_signal_send(own, 0, 0) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_signal_mask(9, 0, NULL, NULL) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, SET(PLAIN) | SET(WORD), &before, NULL) == RIPOSTE_OK);
    CHECK((before & (SET(PLAIN) | SET(WORD) | SET(ENDS))) == SET(ENDS) && !(before & 1));
    CHECK(riposte_signal_send(own, PLAIN, 0) == RIPOSTE_OK && riposte_signal_send(own, PLAIN, 0) == RIPOSTE_OK);
    CHECK(riposte_signal_send(own, WORD, 1) == RIPOSTE_OK && riposte_signal_send(own, WORD, 2) == RIPOSTE_OK);
    CHECK(riposte_signal_send(own, WORD, 3) == RIPOSTE_ERROR_EXHAUSTED && handled == 2);
    CHECK(riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, 0, NULL, &pending) == RIPOSTE_OK);
    CHECK(pending == (SET(PLAIN) | SET(WORD)));
    CHECK(riposte_signal_wait_until(SET(WORD), RIPOSTE_IMMEDIATE, &signal, &word) == RIPOSTE_OK);
    CHECK(signal == WORD && word == 1 && handled == 2);
    CHECK(riposte_signal_mask(RIPOSTE_SIGNAL_HOW_SET, before, NULL, NULL) == RIPOSTE_OK);
    CHECK(handled == 4 && brought == 2);
    end();

    begin("a wait for a signal takes it without its handler, ends at its deadline, or after another one's handler");
    CHECK(riposte_signal_wait_until(0, RIPOSTE_FOREVER, &signal, NULL) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_signal_wait_until(SET(ENDS), RIPOSTE_IMMEDIATE, &signal, NULL) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_signal_wait_until(SET(ENDS), soon(), &signal, NULL) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_signal_suspend_until(0, RIPOSTE_IMMEDIATE) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_signal_suspend_until(0, soon()) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, SET(PLAIN), NULL, NULL) == RIPOSTE_OK);
    CHECK(riposte_signal_send(own, PLAIN, 0) == RIPOSTE_OK && handled == 4);
    CHECK(riposte_signal_suspend_until(before, RIPOSTE_FOREVER) == RIPOSTE_OK && handled == 5);
    CHECK(riposte_signal_mask(RIPOSTE_SIGNAL_HOW_SET, before, &pending, NULL) == RIPOSTE_OK && (pending & SET(PLAIN)));
    end();
}

/* The error that its wait ends with. */
static uint32_t waits(void *argument)
{
    (void)argument;
    return riposte_semaphore_take(&never);
}

static uint8_t handlers_stack[1024];
static volatile uintptr_t where;

static void look(uint32_t signal, uint32_t word)
{
    uint8_t here;
    (void)signal;
    (void)word;
    where = (uintptr_t)&here;
}

static bool is_there(void)
{
    return where >= (uintptr_t)handlers_stack && where < (uintptr_t)handlers_stack + sizeof handlers_stack;
}

static void elsewhere(void)
{
    static const uint32_t constant;
    begin("a handler runs on another stack, where a thread is not known by its own");
    CHECK(riposte_signal_handle(PLAIN, look) == RIPOSTE_OK);
#ifdef __arm__
    CHECK(riposte_signal_use_stack(handlers_stack, sizeof handlers_stack) == RIPOSTE_ERROR_BAD_ADDRESS);
#else
    CHECK(riposte_signal_use_stack((void *)(uintptr_t)&constant, 4) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_signal_use_stack(handlers_stack, sizeof handlers_stack) == RIPOSTE_OK);
    CHECK(riposte_signal_send(own, PLAIN, 0) == RIPOSTE_OK && is_there());
#endif
    (void)constant;
    CHECK(riposte_signal_use_stack(NULL, 0) == RIPOSTE_OK);
    CHECK(riposte_signal_send(own, PLAIN, 0) == RIPOSTE_OK && where && !is_there());
    CHECK(riposte_signal_handle(PLAIN, NULL) == RIPOSTE_OK && riposte_signal_send(own, PLAIN, 0) == RIPOSTE_OK);
    end();
}

static _Thread_local uint32_t kept;

static void keep(uint32_t signal, uint32_t word)
{
    (void)word;
    kept += signal;
}

/* What a handler has kept for the thread. */
static uint32_t tells(void *unused)
{
    (void)unused;
    return kept;
}

/* Where the handler would be the first that the thread does: it is less urgent than who starts it. */
static void to_who_begins(void)
{
    const riposte_thread_settings_t less_urgent = {9, RIPOSTE_POLICY_FIFO, 0};
    riposte_thread_t other;
    uint64_t before = 0;
    uint32_t value = 0;

    begin("a signal to a thread that has not begun is handled when it has its storage");
    CHECK(riposte_signal_handle(PLAIN, keep) == RIPOSTE_OK);
    for (int life = 0; life < 2; life++) {
        CHECK(riposte_thread_spawn(tells, NULL, &less_urgent, &other) == RIPOSTE_OK);
        CHECK(riposte_signal_send_thread(other, PLAIN, 0) == RIPOSTE_OK);
        CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == PLAIN);
    }
    /* It masks what its starter does. */
    CHECK(riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, SET(PLAIN), &before, NULL) == RIPOSTE_OK);
    CHECK(riposte_thread_spawn(tells, NULL, &less_urgent, &other) == RIPOSTE_OK);
    CHECK(riposte_signal_send_thread(other, PLAIN, 0) == RIPOSTE_OK);
    CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 0 && kept == 0);
    CHECK(riposte_signal_mask(RIPOSTE_SIGNAL_HOW_SET, before, NULL, NULL) == RIPOSTE_OK && kept == 0);
    end();
}

static void to_others(void)
{
    const riposte_thread_settings_t more_urgent = {11, RIPOSTE_POLICY_FIFO, 0};
    riposte_signal_target_t target = {0};
    riposte_thread_t other;
    uint32_t value = 0;

    begin("a signal to a thread ends its wait, after the handler");
    CHECK(riposte_thread_spawn(waits, NULL, &more_urgent, &other) == RIPOSTE_OK);
    CHECK(riposte_signal_send_thread(other, PLAIN, 0) == RIPOSTE_OK && handled == 6);
    CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, &value) == RIPOSTE_OK);
    CHECK(value == RIPOSTE_ERROR_INTERRUPTED);
    CHECK(riposte_signal_send_thread(other, PLAIN, 0) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_signal_send_thread((riposte_thread_t){0}, PLAIN, 0) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(handled == 6);
    end();

    begin("a signal goes to those processes that the manifest names");
    CHECK(riposte_signal_target("console", &target) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_signal_target(NULL, &target) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_signal_target("server", &target) == RIPOSTE_OK);
    CHECK(riposte_signal_send(target, PLAIN, 0) == RIPOSTE_OK);
    CHECK(riposte_signal_send(target, WORD, 0) == RIPOSTE_ERROR_EXHAUSTED);
    CHECK(riposte_signal_send((riposte_signal_target_t){9}, PLAIN, 0) == RIPOSTE_ERROR_NOT_PERMITTED);
    end();
}

/* The server answers this one with the status that the word says. */
#define REFUSE 1

static riposte_error_t refused(uint32_t status)
{
    return riposte_signal_send_node(server, REFUSE, status, RIPOSTE_FOREVER);
}

/* What the manager of a node may say. */
static void to_nodes(void)
{
    const uint32_t node = UINT32_C(0xFFFFFF00);
    begin("a signal to another node: what its manager says is an error");
    CHECK(riposte_signal_send_node(server, 0, 0, RIPOSTE_FOREVER) == RIPOSTE_OK);
    CHECK(refused(node + 1) == RIPOSTE_ERROR_PEER_DIED && refused(node + 2) == RIPOSTE_ERROR_PEER_DIED);
    CHECK(refused(node + 3) == RIPOSTE_ERROR_TIMED_OUT && refused(node + 4) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(refused(node + 8) == RIPOSTE_ERROR_EXHAUSTED && refused(node + 11) == RIPOSTE_ERROR_EXHAUSTED);
    CHECK(refused(node + 13) == RIPOSTE_ERROR_INTERRUPTED);
    CHECK(refused(node + 12) == RIPOSTE_ERROR_BAD_ARGUMENT && refused(1) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_signal_send_node((riposte_connection_t){0}, PLAIN, 0, RIPOSTE_FOREVER) == RIPOSTE_ERROR_BAD_HANDLE);
    end();
}

void signals(void)
{
    to_oneself();
    to_others();
    to_nodes();
    elsewhere();
    to_who_begins();
}
