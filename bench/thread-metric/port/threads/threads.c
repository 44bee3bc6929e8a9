/* All threads in one process: each is a spare thread of it. */

#include "objects.h"

/* The main thread's priority in the manifest, from which those of the suite count down. */
#define HIGHEST 31
/* What the suite may ask for: its most urgent priority is 1. */
#define LEAST_URGENT (HIGHEST - 1)

struct tm_objects tm_objects;

static void (*entries[TM_THREADS])(void);

__attribute__((unused)) static uint32_t begin(uintptr_t id)
{
    tm_port_wait((int)id);
    entries[id]();
    return 0;
}

int tm_thread_create(int id, int priority, void (*entry)(void))
{
    if (!TM_KNOWN(id, TM_THREADS) || priority < 1 || priority > LEAST_URGENT || entries[id])
        return TM_ERROR;
    entries[id] = entry;
    uint32_t registers[8] = {RIPOSTE_NUMBER_THREAD_CREATE, (uint32_t)(uintptr_t)begin, 0, 0, (uint32_t)id, (uint32_t)(HIGHEST - priority), 0, 0};
    const uint32_t extra[5] = {0};
    riposte_raw_call(registers, extra);
    if (registers[2] & RIPOSTE_INFO_ERROR)
        return TM_ERROR;
    return TM_SUCCESS;
}

/* The main thread is more urgent than all others: none runs before everything is there. */
void tm_initialize(void (*prepare)(void))
{
    tm_port_interrupts();
    prepare();
    for (;;)
        riposte_sleep_until(RIPOSTE_FOREVER);
}
