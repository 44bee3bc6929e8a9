/* All threads in one process: each is a spare thread of it. */

#include "objects.h"

/* The main thread's priority in the manifest, from which those of the suite count down. */
#define HIGHEST 31
/* The suite's least urgent priority that there is room for. */
#define LEAST_URGENT (HIGHEST - 1)

struct tm_objects tm_objects;

static void (*entries[TM_THREADS])(void);

static uint32_t begin(void *id)
{
    tm_port_wait((int)(intptr_t)id);
    entries[(intptr_t)id]();
    return 0;
}

int tm_thread_create(int id, int priority, void (*entry)(void))
{
    riposte_thread_settings_t settings = {0};
    if (!TM_KNOWN(id, TM_THREADS) || priority < 1 || priority > LEAST_URGENT || entries[id])
        return TM_ERROR;
    settings.priority = (uint32_t)(HIGHEST - priority);
    if (riposte_thread_spawn(begin, (void *)(intptr_t)id, &settings, NULL) != RIPOSTE_OK)
        return TM_ERROR;
    entries[id] = entry;
    return TM_SUCCESS;
}

/* The main thread is more urgent than all others: none runs before everything is there. */
void tm_initialize(void (*prepare)(void))
{
    static uint32_t never;
    tm_port_interrupts();
    prepare();
    for (;;)
        riposte_futex_wait_until(&never, 0, RIPOSTE_FOREVER);
}
