/* The less urgent thread of all cases, whose other one is in another process. It begins when the cases
 * within one process are over. */

#include <stdio.h>

#include "pin.h"
#include "stage.h"

static void run(void *stage)
{
    for (size_t index = 0; index < CASES; index++)
        low_cases[index](stage, true);
}

int main(void)
{
    riposte_connection_t high;
    riposte_reply_t reply;
    void *memory;
    struct stage *stage;
    thread_t *thread;
    if (riposte_region("stage", &memory, NULL, NULL) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no region `stage`");
    stage = memory;
    chSysInit();
    pin_init(&stage->cleared);
    if (riposte_connect("high", &high) != RIPOSTE_OK
        || riposte_send_words(high, NULL, 0, &reply) != RIPOSTE_OK)
        riposte_panic("the process `high` does not answer");
    thread = chThdCreateStatic(stage->low, sizeof stage->low, NORMALPRIO, run, stage);
    if (thread == NULL)
        chSysHalt("no spare thread");
    chThdWait(thread);
    printf("@done\n");
    fflush(stdout);
    return (int)riposte_shutdown(0);
}
