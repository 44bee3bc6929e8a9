/* The more urgent thread of each case: it goes on, and clears the pin. */

#include "pin.h"
#include "series.h"
#include "stage.h"

void high_semaphore(void *argument)
{
    struct stage *stage = argument;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        chSemWait(&stage->semaphore);
        pin_clear();
        stage->turns++;
    }
}

void high_message(void *argument)
{
    struct stage *stage = argument;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        thread_t *sender = chMsgWait();
        pin_clear();
        stage->turns++;
        stage->last = chMsgGet(sender);
        chMsgRelease(sender, stage->last + 1);
    }
}

void high_mailbox(void *argument)
{
    struct stage *stage = argument;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        msg_t letter = 0;
        chMBFetchTimeout(&stage->mailbox, &letter, TIME_INFINITE);
        pin_clear();
        stage->turns++;
        stage->last = letter;
    }
}

void high_event(void *argument)
{
    struct stage *stage = argument;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        const eventmask_t events = chEvtWaitAny(EVENT_MASK(0));
        pin_clear();
        stage->turns++;
        stage->last = (msg_t)events;
    }
}

void high_mutex(void *argument)
{
    struct stage *stage = argument;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        chSemWait(&stage->go);
        chMtxLock(&stage->mutex);
        pin_clear();
        stage->turns++;
        chMtxUnlock(&stage->mutex);
    }
}

const tfunc_t high_cases[CASES] = {high_semaphore, high_message, high_mailbox, high_event, high_mutex};
