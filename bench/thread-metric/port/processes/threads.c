/* Every thread in a process of its own. All these run the same program, and each takes the thread that its
 * setting `thread` names; the objects lie in the region `objects`, at the place that the setting `test`
 * names, where an application has several tests. The process with the setting `prepares` creates what the
 * test needs; the others only look which function is theirs. */

#include "objects.h"

/* What a process that does not prepare changes meanwhile. */
static struct tm_objects nobodys;
static void (*entry_of_thread)(void);
static uint32_t own;

struct tm_objects *tm_common;

/* Where the test's objects lie. */
static struct tm_objects *objects(void)
{
    uint32_t test = 0;
    void *memory;
    size_t length;
    riposte_setting("test", &test);
    TM_NEED(riposte_region("objects", &memory, &length, NULL) == RIPOSTE_OK,
            "app.toml gives this process no region `objects`");
    TM_NEED(test < length / sizeof(struct tm_objects), "the region `objects` is too small");
    return (struct tm_objects *)memory + test;
}

/* The priority is that of the process, in the manifest. */
int tm_thread_create(int id, int priority, void (*entry)(void))
{
    (void)priority;
    if (!TM_KNOWN(id, TM_THREADS))
        return TM_ERROR;
    if ((uint32_t)id == own)
        entry_of_thread = entry;
    return TM_SUCCESS;
}

void tm_initialize(void (*prepare)(void))
{
    uint32_t prepares = 0;
    riposte_setting("prepares", &prepares);
    TM_NEED(riposte_setting("thread", &own) == RIPOSTE_OK, "settings: give it `thread`");
    tm_common = prepares ? objects() : &nobodys;
    prepare();
    tm_common = objects();
    tm_port_interrupts();
    TM_NEED(entry_of_thread, "settings: the test has no such `thread`");
    tm_port_wait((int)own);
    entry_of_thread();
    riposte_exit(0);
}
