/* The same by the spellings of version 2.4. */

#define CH_API_2_4

#include "check.h"

static Semaphore semaphore;
static Mutex mutex;
static Mailbox mailbox;
static msg_t buffer[1];
static WORKING_AREA(area, 256);

static msg_t answers(void *argument)
{
    Thread *sender = chMsgWait();
    (void)argument;
    chSemWait(&semaphore);
    chMsgRelease(sender, chMsgGet(sender) + 1);
    return 7;
}

void spellings_of_2_4(void)
{
    const systime_t before = chTimeNow();
    msg_t message = 0;
    Thread *thread;

    begin("a program of version 2.4 finds its spellings");
    chSemInit(&semaphore, 1);
    chMtxInit(&mutex);
    chMBInit(&mailbox, buffer, 1);
    thread = chThdCreateStatic(area, sizeof area, NORMALPRIO + 1, answers, NULL);
    CHECK(thread != NULL && chMsgSend(thread, 1) == 2 && chThdWait(thread) == 7);
    chMtxLock(&mutex);
    CHECK(chMtxUnlock() == &mutex && chMtxUnlock() == NULL);
    CHECK(chMBPost(&mailbox, 3, MS2ST(1)) == RDY_OK && chMBPost(&mailbox, 4, MS2ST(1)) == RDY_TIMEOUT);
    chMBReset(&mailbox);
    CHECK(chMBPost(&mailbox, 5, TIME_IMMEDIATE) == RDY_OK);
    CHECK(chMBFetch(&mailbox, &message, TIME_INFINITE) == RDY_OK && message == 5);
    CHECK(chTimeIsWithin(before, before + S2ST(1)) && chThdSelf()->id != 0);
    end();
}
