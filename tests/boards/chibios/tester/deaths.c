#include "check.h"
#include "misuses.h"

#include <string.h>

/* The victim's index in the manifest. */
#define VICTIM 3

static const char *const texts[] = {
#define TEXT(name, text) text,
    MISUSES(TEXT)
#undef TEXT
};

static void dies(uint32_t misuse)
{
    static riposte_fault_record_t record;
    riposte_channel_t faults;
    riposte_connection_t victim;
    riposte_message_t message;
    const size_t length = strlen(texts[misuse]);

    CHECK(riposte_channel("faults", &faults) == RIPOSTE_OK && riposte_connect("victim", &victim) == RIPOSTE_OK);
    CHECK(riposte_send_words(victim, &misuse, 1, NULL) == RIPOSTE_OK);
    CHECK(riposte_receive_until(faults, NULL, 0, riposte_clock() + UINT64_C(1000000000), &message) == RIPOSTE_OK);
    CHECK(riposte_fault_record(VICTIM, &record) == RIPOSTE_OK);
    if (record.text_length < length || memcmp(record.text, texts[misuse], length) != 0)
        complain(__FILE__, __LINE__, texts[misuse]);
}

void deaths(void)
{
    begin("a call that no program may make stops its process, and says which it was");
    for (uint32_t misuse = 0; misuse < sizeof texts / sizeof *texts; misuse++)
        dies(misuse);
    end();
}
