/* Threads. Included by ch.h.
 *
 * A thread is one of the process's spare threads (`threads_spare` of app.toml), whose stack is the
 * kernel's to guard. Of a working area only the beginning is used, where the thread_t is. */

#ifndef CH_THREADS_H
#define CH_THREADS_H

/* Priorities are relative to that of the main thread, which is NORMALPRIO: one more is the kernel's
 * next level. */
#define NOPRIO ((tprio_t)0)
#define IDLEPRIO ((tprio_t)1)
#define LOWPRIO ((tprio_t)2)
#define NORMALPRIO ((tprio_t)128)
#define HIGHPRIO ((tprio_t)255)

/* The size of a working area says nothing: `spare_stack` of app.toml does. */
#define THD_WORKING_AREA_SIZE(bytes) sizeof(thread_t)
#define THD_WORKING_AREA(name, bytes) stkalign_t name[1]
#define PORT_THD_FUNCTION(name, argument) void name(void *argument)
#define THD_FUNCTION(name, argument) PORT_THD_FUNCTION(name, argument)

/* The threads, by their indices in the process. */
extern thread_t *ch_threads[CH_CFG_THREADS];

/** Tells who is calling.
 *
 * @return The calling thread.
 * @blocks Never.
 * @from Any thread but those of the manifest. */
RIPOSTE_PRIVATE_INLINE thread_t *chThdGetSelfX(void)
{
    return ch_threads[riposte_private_own_index()];
}

/** Starts a thread.
 *
 * @param area Its working area, which is its own until it has ended.
 * @param size Bytes of it.
 * @param priority Its priority, relative to NORMALPRIO.
 * @param function What it does; it ends when this returns.
 * @param argument What the function is called with.
 * @return The thread; or NULL if all spare threads are taken (raise `threads_spare`), if the process may
 * not use that priority (raise `priority_limit`), or there is no such priority.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread. */
thread_t *chThdCreateStatic(void *area, size_t size, tprio_t priority, tfunc_t function, void *argument);

/* As chThdCreateStatic, for programs of version 2.4; and such a thread that does nothing until chThdStart. */
thread_t *ch_thread_create_2_4(void *area, size_t size, tprio_t priority, ch_tfunc_2_4_t function,
                               void *argument);
thread_t *ch_thread_create_suspended_2_4(void *area, size_t size, tprio_t priority, ch_tfunc_2_4_t function,
                                         void *argument);

/* What chThdCreate makes a thread of. */
typedef struct ch_thread_descriptor {
    const char *name;  /* or NULL */
    stkalign_t *wbase; /* its working area */
    stkalign_t *wend;  /* the end of that */
    tprio_t prio;
    tfunc_t funcp;
    void *arg;
} thread_descriptor_t;

#define THD_WORKING_AREA_BASE(area) ((stkalign_t *)(area))
#define THD_WORKING_AREA_END(area) (THD_WORKING_AREA_BASE(area) + sizeof(area) / sizeof(thread_t))
#define THD_DESCRIPTOR(name, wbase, wend, prio, funcp, arg)                                          \
    {(name), (wbase), (wend), (prio), (funcp), (arg)}

/** Starts a thread.
 *
 * @param descriptor What it is made of; it is not needed afterwards.
 * @return As chThdCreateStatic.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread. */
thread_t *chThdCreate(const thread_descriptor_t *descriptor);
#define chThdCreateI(descriptor) chThdCreate(descriptor)

/** Makes a thread that does nothing until chThdStart.
 *
 * @param descriptor What it is made of; it is not needed afterwards.
 * @return As chThdCreateStatic.
 * @blocks Never.
 * @from Any thread. */
thread_t *chThdCreateSuspended(const thread_descriptor_t *descriptor);
#define chThdCreateSuspendedI(descriptor) chThdCreateSuspended(descriptor)

/** Starts a thread of chThdCreateSuspended. Any other stops the process.
 *
 * @param thread The thread.
 * @return The thread.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread. */
thread_t *chThdStart(thread_t *thread);
#define chThdStartI(thread) chThdStart(thread)

/** Tells where a thread's working area is.
 *
 * @return Its beginning. */
RIPOSTE_PRIVATE_INLINE stkalign_t *chThdGetWorkingAreaX(thread_t *thread)
{
    return thread;
}

/** Tells the calling thread's priority.
 *
 * @return Its own, or the highest that others lend it, if that is more.
 * @blocks Never. */
tprio_t chThdGetPriorityX(void);

/** Gives the calling thread another priority.
 *
 * @param priority The priority, relative to NORMALPRIO.
 * @return What it was.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread. */
tprio_t chThdSetPriority(tprio_t priority);

/** Lets the next thread of the same priority run.
 *
 * @blocks Until this thread's turn comes again. */
RIPOSTE_PRIVATE_INLINE void chThdYield(void)
{
    riposte_yield();
}

/** As chThdYield, within chSysLock, and out of it meanwhile. */
void chSchDoYieldS(void);

/** Sleeps for a number of ticks.
 *
 * @param time How long; TIME_INFINITE is for ever.
 * @blocks For the time. */
void chThdSleep(sysinterval_t time);
/** As chThdSleep, within chSysLock, and out of it meanwhile. */
void chThdSleepS(sysinterval_t time);
#define chThdSleepSeconds(seconds) chThdSleep(TIME_S2I(seconds))
#define chThdSleepMilliseconds(milliseconds) chThdSleep(TIME_MS2I(milliseconds))
#define chThdSleepMicroseconds(microseconds) chThdSleep(TIME_US2I(microseconds))

/** Sleeps until a system time.
 *
 * @param time When. A time that is now does not block; one that has passed comes after a wrap.
 * @blocks Until then. */
void chThdSleepUntil(systime_t time);

/** Sleeps until a system time, unless that has passed.
 *
 * @param previous The last time.
 * @param next The next one.
 * @return `next`.
 * @blocks Until `next`, if it is not after it now. */
systime_t chThdSleepUntilWindowed(systime_t previous, systime_t next);

/** Ends the calling thread, and leaves its mutexes locked.
 *
 * @param message What chThdWait returns.
 * @blocks It does not return. */
__attribute__((noreturn)) void chThdExit(msg_t message);
/** As chThdExit, within chSysLock, which it ends. */
__attribute__((noreturn)) void chThdExitS(msg_t message);

/** Waits until a thread has ended, and does chThdRelease. If nobody else refers to it, its working area is
 * free then.
 *
 * @param thread The thread, to which the caller has a reference. The caller stops the process.
 * @return What it gave chThdExit; MSG_OK if its function returned.
 * @blocks Until it has ended.
 * @from Another thread of the same process. */
msg_t chThdWait(thread_t *thread);

/** Asks a thread to end; it does when it likes.
 *
 * @param thread The thread.
 * @blocks Never. */
RIPOSTE_PRIVATE_INLINE void chThdTerminate(thread_t *thread)
{
    riposte_word_store(&thread->terminate, 1);
}

/** Tells whether somebody has asked the calling thread to end.
 *
 * @return Whether.
 * @blocks Never. */
RIPOSTE_PRIVATE_INLINE bool chThdShouldTerminateX(void)
{
    return riposte_word_load(&chThdGetSelfX()->terminate) != 0;
}

/** Tells whether a thread has ended.
 *
 * @return Whether.
 * @blocks Never. */
RIPOSTE_PRIVATE_INLINE bool chThdTerminatedX(const thread_t *thread)
{
    return riposte_word_load(&thread->ended) != 0;
}

#endif
