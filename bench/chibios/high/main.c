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
    riposte_channel_t channel;
    riposte_message_t message;
    void *memory;
    struct stage *stage;
    thread_t *thread;
    if (riposte_region("stage", &memory, NULL, NULL) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no region `stage`");
    stage = memory;
    /* Until the cases within one process are over, no thread of this one waits at a word. */
    if (riposte_channel(NULL, &channel) != RIPOSTE_OK
        || riposte_receive(channel, NULL, 0, &message) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no channel");
    chSysInit();
    pin_init(&stage->cleared);
    stage_init(stage);
    thread = chThdCreateStatic(stage->high, sizeof stage->high, NORMALPRIO + 1, run, stage);
    if (thread == NULL)
        chSysHalt("no spare thread");
    riposte_reply_words(message.token, 0, NULL, 0);
    chThdWait(thread);
    chThdSleep(TIME_INFINITE);
}
