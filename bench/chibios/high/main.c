/* The more urgent thread of all cases, in a process of its own. */

#include "pin.h"
#include "stage.h"

static void run(void *stage)
{
    for (size_t index = 0; index < CASES; index++)
        high_cases[index](stage);
}

int main(void)
{
    void *memory;
    struct stage *stage;
    thread_t *thread;
    if (riposte_region("stage", &memory, NULL, NULL) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no region `stage`");
    stage = memory;
    chSysInit();
    pin_init(&stage->cleared);
    stage_init(stage);
    thread = chThdCreateStatic(stage->high, sizeof stage->high, NORMALPRIO + 1, run, stage);
    if (thread == NULL)
        chSysHalt("no spare thread");
    riposte_word_store(&stage->ready, 1);
    chThdWait(thread);
    chThdSleep(TIME_INFINITE);
}
