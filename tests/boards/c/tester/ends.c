/* The ways in which a C program ends, seen by its supervisor. */

#include <string.h>

#include "check.h"

enum { PANIC, ASSERT, ABORT, RETURN, EXIT, RIPOSTE_EXIT, WRONG_REQUEST };
enum { VICTIM = 3 };

/* Has the victim end in a way; its fault record. */
static riposte_fault_record_t record_of(uint32_t way)
{
    riposte_fault_record_t record;
    riposte_connection_t victim;
    riposte_channel_t faults;
    riposte_message_t message = {0};

    memset(&record, 0, sizeof record);
    riposte_channel("faults", &faults);
    CHECK(riposte_connect("victim", &victim) == RIPOSTE_OK);
    CHECK(riposte_send_words(victim, &way, 1, NULL) == RIPOSTE_OK);
    CHECK(riposte_receive_until(faults, NULL, 0, riposte_clock() + 1000000000, &message)
          == RIPOSTE_OK);
    CHECK(message.notice == RIPOSTE_NOTICE_FAULT && message.words[1] == VICTIM);
    CHECK(riposte_fault_record(VICTIM, &record) == RIPOSTE_OK);
    return record;
}

void ends(void)
{
    riposte_fault_record_t record;

    begin("a panic, a failed assertion and abort() tell the supervisor why");
    record = record_of(PANIC);
    CHECK(record.reason == RIPOSTE_FAULT_PANIC && record.action == RIPOSTE_ACTION_RESTARTED);
    CHECK(record.text_length == 11 && memcmp(record.text, "it panicked", 11) == 0);
    record = record_of(ASSERT);
    CHECK(record.reason == RIPOSTE_FAULT_PANIC);
    record.text[RIPOSTE_FAULT_TEXT_BYTES - 1] = 0;
    CHECK(strstr((const char *)record.text, "assertion") != NULL);
    record = record_of(ABORT);
    CHECK(record.reason == RIPOSTE_FAULT_PANIC && memcmp(record.text, "abort", 5) == 0);
    end();

    begin("what main returns, exit() and riposte_exit() give is the exit status");
    record = record_of(RETURN);
    CHECK(record.reason == RIPOSTE_FAULT_EXIT && record.address == 33);
    record = record_of(EXIT);
    CHECK(record.reason == RIPOSTE_FAULT_EXIT && record.address == 55);
    record = record_of(RIPOSTE_EXIT);
    CHECK(record.reason == RIPOSTE_FAULT_EXIT && record.address == 66);
    end();

    begin("bytes that go in registers are loaded by the program itself: a wrong address is its own fault");
    record = record_of(WRONG_REQUEST);
    CHECK(record.reason == RIPOSTE_FAULT_MEMORY && record.address >= 4 && record.address < 9);
    end();

    begin("a process that the manifest lets this one control is restarted and stopped");
    {
        riposte_process_t process = {99};
        riposte_process_t nobody = {1};
        riposte_connection_t victim;

        CHECK(riposte_process("server", &process) == RIPOSTE_ERROR_NOT_PERMITTED);
        CHECK(riposte_process(NULL, &process) == RIPOSTE_ERROR_NOT_PERMITTED);
        CHECK(process.position == 99);
        CHECK(riposte_process("victim", &process) == RIPOSTE_OK);
        CHECK(riposte_process_stop(process) == RIPOSTE_OK);
        CHECK(riposte_connect("victim", &victim) == RIPOSTE_ERROR_SERVER_DIED);
        CHECK(riposte_fault_record(VICTIM, &record) == RIPOSTE_OK);
        CHECK(record.reason == RIPOSTE_FAULT_CONTROLLED && record.action == RIPOSTE_ACTION_STOPPED);
        CHECK(riposte_process_restart(process) == RIPOSTE_OK);
        CHECK(riposte_connect("victim", &victim) == RIPOSTE_OK);
        CHECK(riposte_process_restart(nobody) == RIPOSTE_ERROR_NOT_PERMITTED);
        CHECK(riposte_process_stop(nobody) == RIPOSTE_ERROR_NOT_PERMITTED);
    }
    end();

    begin("what threads have never used of their stacks is told");
    {
        uint32_t unused = 99;

        CHECK(riposte_stack_unused(99, 0, &unused) == RIPOSTE_ERROR_BAD_ARGUMENT);
        CHECK(riposte_stack_unused(VICTIM, 99, &unused) == RIPOSTE_ERROR_BAD_ARGUMENT);
        CHECK(unused == 99);
        CHECK(riposte_stack_unused(VICTIM, 0, &unused) == RIPOSTE_OK);
        CHECK(unused > 0 && unused % 4 == 0 && unused < 64 * 1024);
    }
    end();

    begin("what a thread is doing is told");
    {
        riposte_thread_state_t state = {.state = 99};

        CHECK(riposte_thread_state(99, 0, &state) == RIPOSTE_ERROR_BAD_ARGUMENT);
        CHECK(riposte_thread_state(VICTIM, 99, &state) == RIPOSTE_ERROR_BAD_ARGUMENT);
        CHECK(state.state == 99);
        CHECK(riposte_thread_state(VICTIM, 0, &state) == RIPOSTE_OK);
        CHECK(state.state == RIPOSTE_STATE_READY || state.state == RIPOSTE_STATE_RECEIVE_BLOCKED);
        CHECK(state.own_priority > 0 && state.policy == RIPOSTE_POLICY_FIFO && state.stack >= 256);
    }
    end();

    begin("a record of nobody's, or for nobody's memory, is refused");
    CHECK(riposte_fault_record(99, &record) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_fault_record(VICTIM, NULL) == RIPOSTE_ERROR_BAD_ADDRESS);
    end();
}
