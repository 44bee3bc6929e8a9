/* The spellings of version 2.4 of ChibiOS/RT. Included by ch.h if CH_API_2_4 is defined. */

#ifndef CH_API_2_4_H
#define CH_API_2_4_H

typedef thread_t Thread;
typedef semaphore_t Semaphore;
typedef binary_semaphore_t BinarySemaphore;
typedef mutex_t Mutex;
typedef condition_variable_t CondVar;
typedef mailbox_t Mailbox;
typedef event_source_t EventSource;
typedef event_listener_t EventListener;
typedef virtual_timer_t VirtualTimer;
typedef memory_heap_t MemoryHeap;
typedef memory_pool_t MemoryPool;
typedef io_queue_t GenericQueue;
typedef input_queue_t InputQueue;
typedef output_queue_t OutputQueue;
typedef time_measurement_t TimeMeasurement;
typedef bool bool_t;

#define RDY_OK MSG_OK
#define RDY_TIMEOUT MSG_TIMEOUT
#define RDY_RESET MSG_RESET

#define S2ST(seconds) TIME_S2I(seconds)
#define MS2ST(milliseconds) TIME_MS2I(milliseconds)
#define US2ST(microseconds) TIME_US2I(microseconds)
#define CH_FREQUENCY CH_CFG_ST_FREQUENCY
#define chTimeNow() chVTGetSystemTimeX()
#define chTimeIsWithin(start, end) chVTIsSystemTimeWithinX((start), (end))

#define WORKING_AREA(name, bytes) THD_WORKING_AREA(name, bytes)
#define THD_WA_SIZE(bytes) THD_WORKING_AREA_SIZE(bytes)
#define chThdSelf() chThdGetSelfX()
#define chThdGetPriority() chThdGetPriorityX()
#define chThdShouldTerminate() chThdShouldTerminateX()
#define chThdTerminated(thread) chThdTerminatedX(thread)

#define chThdCreateStatic ch_thread_create_2_4
#define chThdCreateFromHeap ch_thread_create_from_heap_2_4
#define chThdCreateFromMemoryPool ch_thread_create_from_pool_2_4
/* What is resumed there was made suspended. */
#define chThdResume(thread) chThdStart(thread)

#define chCoreStatus() chCoreGetStatusX()
#define chHeapInit(heap, area, size) chHeapObjectInit((heap), (area), (size))
#define chPoolInit(pool, size, provider) chPoolObjectInit((pool), (size), (provider))

#define chIQInit(queue, buffer, size, notify, link) chIQObjectInit((queue), (buffer), (size), (notify), (link))
#define chOQInit(queue, buffer, size, notify, link) chOQObjectInit((queue), (buffer), (size), (notify), (link))
#define chQSizeI(queue) chQSizeX(queue)
#define chQGetLink(queue) chQGetLinkX(queue)
#define chQSetLink(queue, link) chQSetLinkX((queue), (link))

#define chSemInit(semaphore, units) chSemObjectInit((semaphore), (units))
#define chSemGetCounter(semaphore) chSemGetCounterI(semaphore)
#define chBSemInit(semaphore, taken) chBSemObjectInit((semaphore), (taken))
#define chBSemGetState(semaphore) chBSemGetStateI(semaphore)

#define chMtxInit(mutex) chMtxObjectInit(mutex)
/* Unlocks the mutex that was locked last, and tells which that was. */
RIPOSTE_PRIVATE_INLINE mutex_t *ch_mutex_unlock_last(void)
{
    mutex_t *mutex = chMtxGetNextMutexX();
    if (mutex != NULL)
        chMtxUnlock(mutex);
    return mutex;
}
#define chMtxUnlock() ch_mutex_unlock_last()

#define chCondInit(condition) chCondObjectInit(condition)

#define chMBInit(mailbox, buffer, size) chMBObjectInit((mailbox), (buffer), (size))
#define chMBPost(mailbox, message, timeout) chMBPostTimeout((mailbox), (message), (timeout))
#define chMBPostAhead(mailbox, message, timeout) chMBPostAheadTimeout((mailbox), (message), (timeout))
#define chMBFetch(mailbox, message, timeout) chMBFetchTimeout((mailbox), (message), (timeout))
#define chMBGetSize(mailbox) chMBGetSizeI(mailbox)
#define chMBReset(mailbox) ch_mailbox_reset_2_4(mailbox)

#define chEvtInit(source) chEvtObjectInit(source)
#define chEvtIsListening(source) chEvtIsListeningI(source)
#define chEvtSignalFlags(thread, events) chEvtSignal((thread), (events))
#define chEvtClearFlags(events) chEvtGetAndClearEvents(events)
#define chEvtPend(events) chEvtAddEvents(events)

#define chSysLockFromIsr() chSysLockFromISR()
#define chSysUnlockFromIsr() chSysUnlockFromISR()
#define chSysHalt() (chSysHalt)("chSysHalt")
#undef chDbgCheck
#define chDbgCheck(condition, function)                                                              \
    do {                                                                                             \
        if (!(condition))                                                                            \
            (chSysHalt)(#function "()");                                                             \
    } while (0)
#undef chDbgAssert
#define chDbgAssert(condition, text, remark)                                                         \
    do {                                                                                             \
        if (!(condition))                                                                            \
            (chSysHalt)(text);                                                                       \
    } while (0)

#define chVTIsArmedX(timer) chVTIsArmed(timer)

#endif
