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

/* The settings. */
#define CH_FREQUENCY CH_CFG_ST_FREQUENCY
#define CH_TIME_QUANTUM CH_CFG_TIME_QUANTUM
#define CH_MEMCORE_SIZE CH_CFG_MEMCORE_SIZE
#define CH_NO_IDLE_THREAD CH_CFG_NO_IDLE_THREAD
#define CH_OPTIMIZE_SPEED CH_CFG_OPTIMIZE_SPEED
#define CH_USE_REGISTRY CH_CFG_USE_REGISTRY
#define CH_USE_WAITEXIT CH_CFG_USE_WAITEXIT
#define CH_USE_SEMAPHORES CH_CFG_USE_SEMAPHORES
#define CH_USE_SEMAPHORES_PRIORITY CH_CFG_USE_SEMAPHORES_PRIORITY
#define CH_USE_SEMSW TRUE
#define CH_USE_MUTEXES CH_CFG_USE_MUTEXES
#define CH_USE_CONDVARS CH_CFG_USE_CONDVARS
#define CH_USE_CONDVARS_TIMEOUT CH_CFG_USE_CONDVARS_TIMEOUT
#define CH_USE_EVENTS CH_CFG_USE_EVENTS
#define CH_USE_EVENTS_TIMEOUT CH_CFG_USE_EVENTS_TIMEOUT
#define CH_USE_MESSAGES CH_CFG_USE_MESSAGES
#define CH_USE_MESSAGES_PRIORITY CH_CFG_USE_MESSAGES_PRIORITY
#define CH_USE_MAILBOXES CH_CFG_USE_MAILBOXES
#define CH_USE_QUEUES CH_CFG_USE_QUEUES
#define CH_USE_MEMCORE CH_CFG_USE_MEMCORE
#define CH_USE_HEAP CH_CFG_USE_HEAP
#define CH_USE_MALLOC_HEAP FALSE
#define CH_USE_MEMPOOLS CH_CFG_USE_MEMPOOLS
#define CH_USE_DYNAMIC CH_CFG_USE_DYNAMIC
#define CH_DBG_ENABLE_TRACE FALSE

/* The members of objects that there are. */
#define s_queue queue
#define s_cnt cnt
#define bs_sem sem
#define m_queue queue
#define m_owner owner
#define mb_buffer buffer
#define mb_top top
#define mb_wrptr wrptr
#define mb_rdptr rdptr
#define isempty(queue) queue_isempty(queue)
#define notempty(queue) queue_notempty(queue)

#define RDY_OK MSG_OK
#define RDY_TIMEOUT MSG_TIMEOUT
#define RDY_RESET MSG_RESET

#define S2ST(seconds) TIME_S2I(seconds)
#define MS2ST(milliseconds) TIME_MS2I(milliseconds)
#define US2ST(microseconds) TIME_US2I(microseconds)
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
/* What is resumed there was made suspended, as by chThdCreateI. */
#undef chThdCreateI
#define chThdCreateI ch_thread_create_suspended_2_4
#define chThdResume(thread) chThdStart(thread)
#define chThdResumeI(thread) chThdStartI(thread)
#define chRegGetThreadName(thread) chRegGetThreadNameX(thread)

#define chCoreStatus() chCoreGetStatusX()
#define chHeapInit(heap, area, size) chHeapObjectInit((heap), (area), (size))
#define chHeapStatus(heap, total) (chHeapStatus)((heap), (total), NULL)
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
#define chDbgPanic(text) (chSysHalt)(text)
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
