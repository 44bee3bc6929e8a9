/* The less urgent thread of each case: it sets the pin, and lets the other one go on. */

#include <stdio.h>

#include "pin.h"
#include "series.h"
#include "stage.h"

void stage_init(struct stage *stage)
{
    chSemObjectInit(&stage->semaphore, 0);
    chSemObjectInit(&stage->go, 0);
    chMBObjectInit(&stage->mailbox, stage->letters, LETTERS);
    chMtxObjectInit(&stage->mutex);
}

/* Runs a case: after each switch the more urgent thread must have run, and got what it waits for. */
#define RUN(case_name, operation, is_right)                                                          \
    struct series series;                                                                            \
    stage->turns = 0;                                                                                \
    series_begin(&series, case_name, is_protected);                                                  \
    for (uint32_t turn = 0; turn < TURNS; turn++) {                                                  \
        operation;                                                                                   \
        if (*(volatile uint32_t *)&stage->turns != turn + 1 || !(is_right)) {                        \
            printf("@fail %s: turn %lu\n", case_name, (unsigned long)turn);                          \
            return;                                                                                  \
        }                                                                                            \
        series_note(&series, turn);                                                                  \
    }                                                                                                \
    series_end(&series)

void low_semaphore(struct stage *stage, bool is_protected)
{
    RUN("semaphore", (pin_set(), chSemSignal(&stage->semaphore)), true);
}

void low_message(struct stage *stage, bool is_protected)
{
    msg_t answer = 0;
    RUN("message", (pin_set(), answer = chMsgSend(stage->high, (msg_t)turn)), answer == (msg_t)turn + 1);
}

void low_mailbox(struct stage *stage, bool is_protected)
{
    RUN("mailbox", (pin_set(), chMBPostTimeout(&stage->mailbox, (msg_t)turn, TIME_INFINITE)),
        stage->last == (msg_t)turn);
}

void low_event(struct stage *stage, bool is_protected)
{
    RUN("event", (pin_set(), chEvtSignal(stage->high, EVENT_MASK(0))), stage->last == EVENT_MASK(0));
}

void low_mutex(struct stage *stage, bool is_protected)
{
    RUN("mutex",
        (chMtxLock(&stage->mutex), chSemSignal(&stage->go), pin_set(), chMtxUnlock(&stage->mutex)),
        true);
}

const low_t low_cases[CASES] = {low_semaphore, low_message, low_mailbox, low_event, low_mutex};
