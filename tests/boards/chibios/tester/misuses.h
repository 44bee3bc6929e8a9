/* What stops the process, and with which text. */

#ifndef MISUSES_H
#define MISUSES_H

#define MISUSES(OF)                                                                                  \
    OF(RESUME_WITHOUT_LOCK, "a call of class I without chSysLock")                                   \
    OF(SUSPEND_WITHOUT_LOCK, "a call of class S without chSysLock")                                  \
    OF(ENQUEUE_WITHOUT_LOCK, "a call of class S without chSysLock")                                  \
    OF(DEQUEUE_WITHOUT_LOCK, "a call of class I without chSysLock")                                  \
    OF(SEMAPHORE_WITHOUT_LOCK, "a call of class S without chSysLock")                                \
    OF(MUTEX_WITHOUT_LOCK, "a call of class S without chSysLock")                                    \
    OF(CONDITION_WITHOUT_LOCK, "a call of class S without chSysLock")                                \
    OF(POST_WITHOUT_LOCK, "a call of class S without chSysLock")                                     \
    OF(FETCH_WITHOUT_LOCK, "a call of class S without chSysLock")                                    \
    OF(MESSAGE_WITHOUT_LOCK, "a call of class S without chSysLock")                                  \
    OF(RESCHEDULE_WITHOUT_LOCK, "a call of class S without chSysLock")                               \
    OF(PUT_WITHOUT_LOCK, "a call of class I without chSysLock")                                      \
    OF(GET_WITHOUT_LOCK, "a call of class I without chSysLock")                                      \
    OF(RESET_WITHOUT_LOCK, "a call of class I without chSysLock")                                    \
    OF(UNLOCK_WITHOUT_LOCK, "ch.h: not the thread that owns it")                                     \
    OF(LOCK_TWICE, "ch.h: a thread would wait for itself")                                           \
    OF(SUSPEND_WHERE_ANOTHER_WAITS, "chThdSuspendTimeoutS: another thread waits there")              \
    OF(DEQUEUE_NOBODY, "chThdDoDequeueNextI: nobody waits there")                                    \
    OF(WAIT_FAST_FOR_NOTHING, "chSemFastWaitI: there is no unit")                                    \
    OF(UNLOCK_ANOTHER_MUTEX, "chMtxUnlock: not the mutex that was locked last")                      \
    OF(WAIT_WITHOUT_MUTEX, "chCondWait: no mutex is locked")                                         \
    OF(NEGATIVE_SEMAPHORE, "chSemObjectInit")                                                        \
    OF(NEGATIVE_RESET, "chSemReset")                                                                 \
    OF(NEGATIVE_UNITS, "chSemAddCounterI")                                                           \
    OF(INIT_TWICE, "chSysInit: it was called before")                                                \
    OF(MAILBOX_OF_NOTHING, "chMBObjectInit")                                                         \
    OF(PIPE_OF_NOTHING, "chPipeObjectInit")                                                          \
    OF(RELEASE_TOO_OFTEN, "chThdRelease: nobody refers to this thread")                              \
    OF(USE_AREA_TWICE, "ch.h: a working area whose thread nobody has waited for")                    \
    OF(START_TWICE, "chThdStart: a thread that was started before")                                  \
    OF(AREA_TOO_SMALL, "ch.h: the working area is too small")                                        \
    OF(WAIT_FOR_ITSELF, "chThdWait: a thread would wait for itself")                                 \
    OF(FREE_TWICE, "chHeapFree: no block that is taken")                                             \
    OF(FREE_NOTHING, "chHeapFree: no block")                                                         \
    OF(FREE_WHAT_IS_NONE, "chHeapFree: no block that is taken")                                      \
    OF(HEAP_TOO_SMALL, "chHeapObjectInit: too small an area")                                        \
    OF(ALLOCATE_NOTHING, "chHeapAllocAligned")                                                       \
    OF(ALIGN_TO_SIX, "chHeapAllocAligned")                                                           \
    OF(CORE_ALIGNED_TO_SIX, "chCoreAllocAlignedWithOffset")                                          \
    OF(POOL_OF_BYTES, "chPoolObjectInitAligned")                                                     \
    OF(POOL_FREE_NOTHING, "chPoolFree: no object")                                                   \
    OF(POOL_FREE_ODD, "chPoolFree: no object")                                                       \
    OF(SEND_TOO_MANY, "chFifoSendObject: more objects than the FIFO has")                            \
    OF(SEND_TOO_MANY_AHEAD, "chFifoSendObjectAhead: more objects than the FIFO has")                 \
    OF(FIFO_OF_NOTHING, "chFifoObjectInitAligned")                                                   \
    OF(REMAINING_OF_NONE, "chVTGetRemainingIntervalI: a timer that is not set")                      \
    OF(TIMER_WITHOUT_FUNCTION, "chVTSet: no function, or no time")                                   \
    OF(TIMER_WITHOUT_DELAY, "chVTSet: no function, or no time")                                      \
    OF(TOO_MANY_TICKS, "ch.h: more time than its type holds")                                        \
    OF(TOO_MANY_MICROSECONDS, "ch.h: more time than its type holds")                                 \
    OF(CHECK_FAILS, "main")                                                                          \
    OF(HALT, "that is why")

enum misuse {
#define NAME(name, text) name,
    MISUSES(NAME)
#undef NAME
};

#endif
