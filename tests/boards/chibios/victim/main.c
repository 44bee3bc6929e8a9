/* Stops itself, each time by another call that no program may make. */

#include <ch.h>

#include "misuses.h"

static THD_WORKING_AREA(area, 256);
static thread_reference_t reference;
static threads_queue_t queue;
static semaphore_t semaphore;
static mutex_t mutex, other;
static condition_variable_t condition;
static mailbox_t mailbox;
static msg_t letters[2], message;
static io_queue_t bytes;
static uint8_t buffer[4];
static uint64_t memory[8];
static memory_heap_t heap;
static memory_pool_t pool;
static objects_fifo_t fifo;
static void *objects[2];
static virtual_timer_t timer;
static pipe_t conduit;

static void suspends(void *argument)
{
    (void)argument;
    chSysLock();
    chThdSuspendS(&reference);
    chSysUnlock();
}

static thread_t *another(void)
{
    return chThdCreateStatic(area, sizeof area, NORMALPRIO + 1, suspends, NULL);
}

static void prepare(void)
{
    chThdQueueObjectInit(&queue);
    chSemObjectInit(&semaphore, 0);
    chMtxObjectInit(&mutex);
    chMtxObjectInit(&other);
    chCondObjectInit(&condition);
    chMBObjectInit(&mailbox, letters, 2);
    chIQObjectInit(&bytes, buffer, sizeof buffer, NULL, NULL);
    chHeapObjectInit(&heap, memory, sizeof memory);
    chPoolObjectInit(&pool, sizeof(void *), NULL);
    chFifoObjectInit(&fifo, sizeof(void *), 2, objects, letters);
    chVTObjectInit(&timer);
}

static void without_lock(enum misuse misuse)
{
    switch (misuse) {
    case RESUME_WITHOUT_LOCK:
        chThdResumeI(&reference, MSG_OK);
        break;
    case SUSPEND_WITHOUT_LOCK:
        chThdSuspendS(&reference);
        break;
    case ENQUEUE_WITHOUT_LOCK:
        chThdEnqueueTimeoutS(&queue, TIME_IMMEDIATE);
        break;
    case DEQUEUE_WITHOUT_LOCK:
        chThdDequeueNextI(&queue, MSG_OK);
        break;
    case SEMAPHORE_WITHOUT_LOCK:
        chSemWaitTimeoutS(&semaphore, TIME_IMMEDIATE);
        break;
    case MUTEX_WITHOUT_LOCK:
        chMtxLockS(&mutex);
        break;
    case CONDITION_WITHOUT_LOCK:
        chMtxLock(&mutex);
        chCondWaitTimeoutS(&condition, TIME_MS2I(1));
        break;
    case POST_WITHOUT_LOCK:
        chMBPostTimeoutS(&mailbox, 1, TIME_IMMEDIATE);
        break;
    case FETCH_WITHOUT_LOCK:
        chMBFetchTimeoutS(&mailbox, &message, TIME_IMMEDIATE);
        break;
    case MESSAGE_WITHOUT_LOCK:
        chMsgPollS();
        break;
    case RESCHEDULE_WITHOUT_LOCK:
        chSchRescheduleS();
        break;
    case PUT_WITHOUT_LOCK:
        chIQPutI(&bytes, 1);
        break;
    case GET_WITHOUT_LOCK:
        chOQGetI(&bytes);
        break;
    case RESET_WITHOUT_LOCK:
        chIQResetI(&bytes);
        break;
    case UNLOCK_WITHOUT_LOCK:
        chSysUnlock();
        break;
    default:
        break;
    }
}

static void of_threads(enum misuse misuse)
{
    const thread_descriptor_t held = THD_DESCRIPTOR("held", area, area + 1, NORMALPRIO - 1, suspends, NULL);
    switch (misuse) {
    case LOCK_TWICE:
        chSysLock();
        chSysLock();
        break;
    case SUSPEND_WHERE_ANOTHER_WAITS:
        another();
        chSysLock();
        chThdSuspendS(&reference);
        break;
    case DEQUEUE_NOBODY:
        chSysLock();
        chThdDoDequeueNextI(&queue, MSG_OK);
        break;
    case WAIT_FAST_FOR_NOTHING:
        chSysLock();
        chSemFastWaitI(&semaphore);
        break;
    case NEGATIVE_SEMAPHORE:
        chSemObjectInit(&semaphore, -1);
        break;
    case NEGATIVE_RESET:
        chSemReset(&semaphore, -1);
        break;
    case NEGATIVE_UNITS:
        chSemAddCounterI(&semaphore, -1);
        break;
    case INIT_TWICE:
        chSysInit();
        break;
    case MAILBOX_OF_NOTHING:
        chMBObjectInit(&mailbox, letters, 0);
        break;
    case PIPE_OF_NOTHING:
        chPipeObjectInit(&conduit, buffer, 0);
        break;
    case UNLOCK_ANOTHER_MUTEX:
        chMtxLock(&mutex);
        chMtxLock(&other);
        chMtxUnlock(&mutex);
        break;
    case WAIT_WITHOUT_MUTEX:
        chCondWait(&condition);
        break;
    case RELEASE_TOO_OFTEN:
        another();
        chThdRelease(area);
        chThdRelease(area);
        break;
    case USE_AREA_TWICE:
        another();
        chThdResume(&reference, MSG_OK);
        another();
        break;
    case START_TWICE:
        chThdStart(chThdCreateSuspended(&held));
        chThdStart(area);
        break;
    case AREA_TOO_SMALL:
        chThdCreateStatic(area, sizeof(thread_t) - 1, NORMALPRIO, suspends, NULL);
        break;
    case WAIT_FOR_ITSELF:
        chThdWait(chThdGetSelfX());
        break;
    default:
        break;
    }
}

static void of_memory(enum misuse misuse)
{
    void *block = chHeapAlloc(&heap, 8);
    switch (misuse) {
    case FREE_TWICE:
        chHeapFree(block);
        chHeapFree(block);
        break;
    case FREE_NOTHING:
        chHeapFree(NULL);
        break;
    case FREE_WHAT_IS_NONE:
        chHeapFree(&memory[6]);
        break;
    case HEAP_TOO_SMALL:
        chHeapObjectInit(&heap, memory, sizeof(heap_header_t) + CH_HEAP_ALIGNMENT - 1);
        break;
    case ALLOCATE_NOTHING:
        chHeapAlloc(&heap, 0);
        break;
    case ALIGN_TO_SIX:
        chHeapAllocAligned(&heap, 8, 6);
        break;
    case CORE_ALIGNED_TO_SIX:
        chCoreAllocAligned(8, 6);
        break;
    case POOL_OF_BYTES:
        chPoolObjectInit(&pool, 1, NULL);
        break;
    case POOL_FREE_NOTHING:
        chPoolFree(&pool, NULL);
        break;
    case POOL_FREE_ODD:
        chPoolFree(&pool, buffer + 1);
        break;
    case SEND_TOO_MANY:
    case SEND_TOO_MANY_AHEAD:
        chFifoSendObject(&fifo, &objects[0]);
        chFifoSendObject(&fifo, &objects[1]);
        if (misuse == SEND_TOO_MANY)
            chFifoSendObject(&fifo, &objects[0]);
        else
            chFifoSendObjectAhead(&fifo, &objects[0]);
        break;
    case FIFO_OF_NOTHING:
        chFifoObjectInit(&fifo, sizeof(void *), 0, objects, letters);
        break;
    default:
        break;
    }
}

static void nothing(void *argument)
{
    (void)argument;
}

static void of_time(enum misuse misuse)
{
    switch (misuse) {
    case REMAINING_OF_NONE:
        chVTGetRemainingIntervalI(&timer);
        break;
    case TIMER_WITHOUT_FUNCTION:
        chVTSet(&timer, 1, NULL, NULL);
        break;
    case TIMER_WITHOUT_DELAY:
        chVTSetContinuous(&timer, TIME_IMMEDIATE, nothing, NULL);
        break;
    case TOO_MANY_TICKS:
        chThdSleep(chTimeS2I(500000));
        break;
    case TOO_MANY_MICROSECONDS:
        chSysPolledDelayX(chTimeI2US(TIME_MAX_INTERVAL));
        break;
    default:
        break;
    }
}

int main(void)
{
    riposte_channel_t channel;
    riposte_message_t request;
    enum misuse misuse;

    chSysInit();
    prepare();
    if (riposte_channel("victim", &channel) != RIPOSTE_OK
        || riposte_receive(channel, NULL, 0, &request) != RIPOSTE_OK)
        riposte_panic("nothing received");
    riposte_reply_words(request.token, 0, NULL, 0);
    misuse = (enum misuse)request.words[0];
    without_lock(misuse);
    of_threads(misuse);
    of_memory(misuse);
    of_time(misuse);
    if (misuse == HALT)
        chSysHalt("that is why");
    chDbgCheck(misuse != CHECK_FAILS);
    chSysHalt("nothing has stopped it");
}
