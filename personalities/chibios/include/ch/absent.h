/* What the reference has and ch.h does not. Included by ch.h. A program that calls one does not compile: the
 * compiler names it, and says why. */

#ifndef CH_ABSENT_H
#define CH_ABSENT_H

#if defined(__cplusplus)
#define CH_ABSENT(name, why) int name(...) __attribute__((error(why)));
#else
#define CH_ABSENT(name, why) int name() __attribute__((error(why)));
#endif

#define CH_INTERRUPTS "a process does not hold interrupts off: chSysLock holds off the threads that take it"
CH_ABSENT(chSysDisable, CH_INTERRUPTS)
CH_ABSENT(chSysSuspend, CH_INTERRUPTS)
CH_ABSENT(chSysEnable, CH_INTERRUPTS)
#undef CH_INTERRUPTS

#define CH_SCHEDULER "the kernel schedules threads: wait by chThdSuspendS or chThdEnqueueTimeoutS"
CH_ABSENT(chSysSwitch, CH_SCHEDULER)
CH_ABSENT(chSchReadyI, CH_SCHEDULER)
CH_ABSENT(chSchReadyAheadI, CH_SCHEDULER)
CH_ABSENT(chSchGoSleepS, CH_SCHEDULER)
CH_ABSENT(chSchGoSleepTimeoutS, CH_SCHEDULER)
CH_ABSENT(chSchWakeupS, CH_SCHEDULER)
CH_ABSENT(chSchCanYieldS, CH_SCHEDULER)
CH_ABSENT(chSchIsRescRequiredI, CH_SCHEDULER)
CH_ABSENT(chSchIsPreemptionRequired, CH_SCHEDULER)
CH_ABSENT(chSchDoReschedule, CH_SCHEDULER)
CH_ABSENT(chSchDoRescheduleAhead, CH_SCHEDULER)
CH_ABSENT(chSchDoRescheduleBehind, CH_SCHEDULER)
CH_ABSENT(chSchPreemption, CH_SCHEDULER)
CH_ABSENT(chSysGetIdleThreadX, CH_SCHEDULER)
#undef CH_SCHEDULER

CH_ABSENT(chMtxGetOwnerI, "a mutex knows its owner as the kernel does: note the thread once it has the mutex")

#define CH_TICK "there is no tick: the kernel wakes the thread of the virtual timers when one is due"
CH_ABSENT(chSysTimerHandlerI, CH_TICK)
CH_ABSENT(chVTDoTickI, CH_TICK)
CH_ABSENT(chThdGetTicksX, CH_TICK)
#undef CH_TICK

#define CH_TRACE "there is no trace buffer: ./riposte trace shows what the kernel and each thread do"
CH_ABSENT(chDbgWriteTrace, CH_TRACE)
CH_ABSENT(chDbgWriteTraceI, CH_TRACE)
CH_ABSENT(chDbgSuspendTrace, CH_TRACE)
CH_ABSENT(chDbgSuspendTraceI, CH_TRACE)
CH_ABSENT(chDbgResumeTrace, CH_TRACE)
CH_ABSENT(chDbgResumeTraceI, CH_TRACE)
#undef CH_TRACE

#define CH_FACTORY "there is no factory: objects are static, or from a heap or a pool"
CH_ABSENT(chFactoryRegisterObject, CH_FACTORY)
CH_ABSENT(chFactoryFindObject, CH_FACTORY)
CH_ABSENT(chFactoryFindObjectByPointer, CH_FACTORY)
CH_ABSENT(chFactoryReleaseObject, CH_FACTORY)
CH_ABSENT(chFactoryCreateBuffer, CH_FACTORY)
CH_ABSENT(chFactoryFindBuffer, CH_FACTORY)
CH_ABSENT(chFactoryReleaseBuffer, CH_FACTORY)
CH_ABSENT(chFactoryCreateSemaphore, CH_FACTORY)
CH_ABSENT(chFactoryFindSemaphore, CH_FACTORY)
CH_ABSENT(chFactoryReleaseSemaphore, CH_FACTORY)
CH_ABSENT(chFactoryCreateMailbox, CH_FACTORY)
CH_ABSENT(chFactoryFindMailbox, CH_FACTORY)
CH_ABSENT(chFactoryReleaseMailbox, CH_FACTORY)
CH_ABSENT(chFactoryCreateObjectsFIFO, CH_FACTORY)
CH_ABSENT(chFactoryFindObjectsFIFO, CH_FACTORY)
CH_ABSENT(chFactoryReleaseObjectsFIFO, CH_FACTORY)
CH_ABSENT(chFactoryCreatePipe, CH_FACTORY)
CH_ABSENT(chFactoryFindPipe, CH_FACTORY)
CH_ABSENT(chFactoryReleasePipe, CH_FACTORY)
CH_ABSENT(chFactoryDuplicateReference, CH_FACTORY)
#undef CH_FACTORY

#undef CH_ABSENT

#endif
