/* Names, time, and calls about the process itself. */

#include <string.h>

#include "check.h"

static void lookups(void)
{
    riposte_connection_t connection = {0};
    riposte_channel_t channel;
    riposte_peripheral_t timer;
    uint32_t value = 0;
    void *region;
    size_t length;
    bool writable = false;

    begin("what the manifest gives is found by its name");
    CHECK(strcmp(riposte_process_name(), "tester") == 0);
    CHECK(strcmp(riposte_name_of_process(riposte_process_index()), "tester") == 0);
    CHECK(strcmp(riposte_connection_name(0), "console") == 0);
    CHECK(riposte_connection_name(99) == NULL);
    CHECK(strcmp(riposte_channel_name(0), "own") == 0 && riposte_channel_name(3) == NULL);
    CHECK(strcmp(riposte_name_of_process(2), "server") == 0 && riposte_name_of_process(9) == NULL);
    CHECK(strcmp(riposte_client_name(9), "tester") == 0 && riposte_client_name(7) == NULL);
    CHECK(riposte_setting("answer", &value) == RIPOSTE_OK && value == 42);
    CHECK(riposte_setting("negative", &value) == RIPOSTE_OK && (int32_t)value == -1);
    CHECK(strcmp(riposte_setting_name(0), "answer") == 0 && riposte_setting_name(2) == NULL);
    CHECK(riposte_peripheral("timer1", &timer) == RIPOSTE_OK && timer.address && timer.length >= 4096
          && *timer.kind);
    CHECK(riposte_channel("own", &channel) == RIPOSTE_OK && channel.handle);
    CHECK(riposte_region("common", &region, &length, &writable) == RIPOSTE_OK);
    CHECK(length == 4096 && writable);
    end();

    begin("what the manifest does not give is not permitted");
    CHECK(riposte_setting("nothing", &value) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_setting(NULL, &value) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_peripheral("uart0", &timer) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_channel("server", &channel) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_connect("nowhere", &connection) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_connect(NULL, &connection) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_region("private", NULL, NULL, NULL) == RIPOSTE_ERROR_NOT_PERMITTED);
    end();

    begin("a connection that was closed is stale, and can be opened again");
    CHECK(riposte_connect("server", &connection) == RIPOSTE_OK);
    server = connection;
    CHECK(riposte_close(connection) == RIPOSTE_OK);
    CHECK(riposte_close(connection) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_send_words(connection, NULL, 0, NULL) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_connect("server", &server) == RIPOSTE_OK);
    CHECK(server.handle != connection.handle);
    end();
}

/* Whether the processor counts instructions, or traps the question: those of simulated boards do. */
static bool may_count(void)
{
    riposte_peripheral_t timer;
    return riposte_peripheral("timer1", &timer) == RIPOSTE_OK && strncmp(timer.kind, "sim-", 4) != 0;
}

static void times(void)
{
    const uint64_t before = riposte_clock();
    uint32_t registers[8] = {RIPOSTE_NUMBER_CLOCK, 0, 0, 0, 0, 0, 0, 0};
    const uint32_t extra[5] = {0, 0, 0, 0, 0};
    uint32_t counted = 0;

    begin("time goes on, and sleep lasts as long as it should");
    CHECK(riposte_sleep(50000) == RIPOSTE_OK && riposte_clock() >= before + 50000);
    CHECK(riposte_sleep_until(before) == RIPOSTE_OK);
    riposte_raw_call(registers, extra);
    CHECK(registers[1] != 0 || registers[4] != 0);
    riposte_null_call();
    riposte_yield();
    CHECK(!may_count() || !riposte_instructions(&counted) || counted);
    CHECK(riposte_is_main_thread());
    end();

    begin("a call that there is not is refused");
    registers[0] = 255;
    registers[2] = 0;
    riposte_raw_call(registers, extra);
    CHECK(registers[2] & RIPOSTE_INFO_ERROR && registers[0] == RIPOSTE_ERROR_BAD_CALL);
    end();
}

void names(void)
{
    lookups();
    times();
}
