/* The same by the spellings of version 2.4. */

#define CH_API_2_4

#include "check.h"

static Semaphore semaphore;
static Mutex mutex;
static Mailbox mailbox;
static msg_t buffer[1];
static WORKING_AREA(area, 256);
static MemoryHeap heap;
static MemoryPool pool;
static CH_HEAP_AREA(heap_area, 2 * sizeof(Thread));
static Thread places[1];
static InputQueue input;
static OutputQueue output;
static uint8_t bytes[2];

static msg_t answers(void *argument)
{
    Thread *sender = chMsgWait();
    (void)argument;
    chSemWait(&semaphore);
    chMsgRelease(sender, chMsgGet(sender) + 1);
    return 7;
}

static msg_t adds_one(void *argument)
{
    return *(const msg_t *)argument + 1;
}

static void memory_of_2_4(void)
{
    msg_t number = 8;
    Thread *thread;

    begin("a program of version 2.4 finds its spellings of memory and queues");
    chHeapInit(&heap, heap_area, sizeof heap_area);
    thread = chThdCreateFromHeap(&heap, THD_WA_SIZE(256), NORMALPRIO - 1, adds_one, &number);
    CHECK(thread != NULL && chThdWait(thread) == 9);
    CHECK(chThdCreateFromHeap(&heap, sizeof heap_area + 1, NORMALPRIO, adds_one, &number) == NULL);
    CHECK(chHeapStatus(&heap, NULL) == 1);
    chPoolInit(&pool, sizeof(Thread), NULL);
    CHECK(chThdCreateFromMemoryPool(&pool, NORMALPRIO, adds_one, &number) == NULL);
    chPoolAdd(&pool, places);
    thread = chThdCreateFromMemoryPool(&pool, NORMALPRIO - 1, adds_one, &number);
    CHECK(thread == places && chThdWait(thread) == 9 && chPoolAlloc(&pool) == places);
    CHECK(chCoreStatus() == chCoreGetStatusX());
    chIQInit(&input, bytes, sizeof bytes, NULL, &number);
    chOQInit(&output, bytes, sizeof bytes, NULL, NULL);
    chQSetLink(&output, &input);
    CHECK(chQSizeI(&input) == 2 && chQGetLink(&input) == &number && chQGetLink(&output) == &input);
    end();
}

static BinarySemaphore binary;

static void members_of_2_4(void)
{
    msg_t number = 4;
    size_t total = 0;
    Thread *thread;

    begin("a program of version 2.4 finds its settings, its members, and threads that begin when they are resumed");
#if !CH_USE_SEMAPHORES || !CH_USE_SEMSW || !CH_USE_MUTEXES || !CH_USE_MAILBOXES || !CH_USE_HEAP || !CH_USE_DYNAMIC
    CHECK(false);
#endif
    chSemInit(&semaphore, 2);
    chBSemInit(&binary, FALSE);
    CHECK(semaphore.s_cnt == 2 && isempty(&semaphore.s_queue) && binary.bs_sem.s_cnt == 1);
    chMtxInit(&mutex);
    chMtxLock(&mutex);
    CHECK(mutex.m_owner != NULL && !notempty(&mutex.m_queue));
    chMtxUnlock();
    CHECK(mutex.m_owner == NULL);
    chMBInit(&mailbox, buffer, 1);
    CHECK(mailbox.mb_buffer == buffer && mailbox.mb_top == buffer + 1);
    CHECK(mailbox.mb_wrptr == buffer && mailbox.mb_rdptr == buffer);
    chSysLock();
    thread = chThdCreateI(area, sizeof area, NORMALPRIO + 1, adds_one, &number);
    CHECK(thread != NULL && !chThdTerminated(thread));
    number = 5;
    chThdResumeI(thread);
    chSysUnlock();
    CHECK(chThdWait(thread) == 6 && chRegGetThreadName(chThdSelf()) != NULL);
    CHECK(chHeapStatus(&heap, &total) == 1 && total == chHeapGetSize(chHeapAlloc(&heap, total)));
    end();
}

/* Tries again at once when the mailbox was reset. */
static msg_t fetches_twice(void *argument)
{
    msg_t message = 0;
    (void)argument;
    if (chMBFetch(&mailbox, &message, TIME_INFINITE) == RDY_RESET)
        note('r');
    if (chMBFetch(&mailbox, &message, TIME_INFINITE) == RDY_OK && message == 6)
        note('o');
    return 0;
}

static void reset_of_2_4(void)
{
    Thread *thread;

    begin("a mailbox of version 2.4 that was reset is used again by those that it has let go");
    chMBInit(&mailbox, buffer, 1);
    thread = chThdCreateStatic(area, sizeof area, NORMALPRIO + 1, fetches_twice, NULL);
    chMBReset(&mailbox);
    CHECK(chMBPost(&mailbox, 6, TIME_IMMEDIATE) == RDY_OK);
    chThdWait(thread);
    CHECK(noted("ro"));
    end();
}

static VirtualTimer timer;

static void is_due(void *argument)
{
    chDbgCheck(argument != NULL, is_due);
    chSysLockFromIsr();
    chSemSignalI((Semaphore *)argument);
    chSysUnlockFromIsr();
}

static void system_of_2_4(void)
{
    begin("a program of version 2.4 finds its spellings of interrupts and checks");
    chSemInit(&semaphore, 0);
    chSysLock();
    chVTSetI(&timer, MS2ST(1), is_due, &semaphore);
    chSchRescheduleS();
    chSysUnlock();
    CHECK(chSemWaitTimeout(&semaphore, MS2ST(100)) == RDY_OK);
    chDbgAssert(!chVTIsArmedI(&timer), "system_of_2_4(), #1", "it was set once");
    if (chTimeNow() == 0 && chThdSelf() == NULL)
        chSysHalt();
    end();
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

    reset_of_2_4();
    system_of_2_4();
    memory_of_2_4();
    members_of_2_4();
}
