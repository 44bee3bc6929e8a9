/* Threads that wait for somebody who knows them: thread references and queues of threads. Included by ch.h.
 *
 * They are changed within chSysLock: a call that ends in I or S stops the process if the caller is not. One that
 * ends in S and waits is out of it meanwhile. */

#ifndef CH_REFERENCES_H
#define CH_REFERENCES_H

/** Waits until another thread resumes this one.
 *
 * @param reference Where the calling thread is noted. It holds NULL, else the process stops.
 * @return What chThdResume is given.
 * @blocks Until then, out of chSysLock.
 * @from Any thread, within chSysLock. */
msg_t chThdSuspendS(thread_reference_t *reference);

/** As chThdSuspendS, but not for longer than a time.
 *
 * @param reference Where the calling thread is noted. It holds NULL again if the time was over.
 * @param timeout Ticks, or TIME_IMMEDIATE, which does not wait, or TIME_INFINITE.
 * @return What chThdResume is given, or MSG_TIMEOUT.
 * @blocks Until then, or for the time, out of chSysLock.
 * @from Any thread, within chSysLock. */
msg_t chThdSuspendTimeoutS(thread_reference_t *reference, sysinterval_t timeout);

/** Resumes the thread that waits at a reference, if one does. The reference holds NULL then.
 *
 * @param reference The reference.
 * @param message What its wait returns.
 * @blocks Never; the thread goes on once the caller is out of chSysLock, at once if it is more urgent.
 * @from Any thread, within chSysLock. */
void chThdResumeI(thread_reference_t *reference, msg_t message);
#define chThdResumeS(reference, message) chThdResumeI((reference), (message))

/** As chThdResumeI.
 *
 * @blocks Until nobody else is within chSysLock; a more urgent thread that is resumed runs at once.
 * @from Any thread that is not within chSysLock. */
void chThdResume(thread_reference_t *reference, msg_t message);

/* Threads that wait, in the order in which they came. */
typedef struct ch_threads_queue {
    thread_t *first;
    thread_t *last; /* if there is a first */
} threads_queue_t;

/* What a queue begins as that is a part of something. */
#define _THREADS_QUEUE_DATA(name) {NULL, NULL}
#define _THREADS_QUEUE_DECL(name) threads_queue_t name = _THREADS_QUEUE_DATA(name)
#define THREADS_QUEUE_DECL(name) _THREADS_QUEUE_DECL(name)

/** Makes a queue, in which nobody waits.
 *
 * @param queue Where it is to be. */
RIPOSTE_PRIVATE_INLINE void chThdQueueObjectInit(threads_queue_t *queue)
{
    queue->first = NULL;
    queue->last = NULL;
}

/** Tells whether nobody waits in a queue.
 *
 * @return Whether. */
RIPOSTE_PRIVATE_INLINE bool chThdQueueIsEmptyI(const threads_queue_t *queue)
{
    return queue->first == NULL;
}

/* Whether somebody waits in a queue of threads; or in that of a semaphore, which is a number with a sign alone; or in
 * that of a mutex, of which a bit says so. */
#define queue_notempty(queue)                                                                        \
    (sizeof *(queue) != sizeof(int32_t)     ? (queue)->first != 0                                    \
     : sizeof (queue)->first == sizeof(uint8_t) ? ((uintptr_t)(queue)->first & 0x80) != 0                \
                                                : (int32_t)(uintptr_t)(queue)->first > 0)
#define queue_isempty(queue) (!queue_notempty(queue))

/** Waits in a queue, behind all others.
 *
 * @param queue The queue.
 * @param timeout Ticks, or TIME_IMMEDIATE, which does not wait, or TIME_INFINITE.
 * @return What chThdDequeueNextI or chThdDequeueAllI is given, or MSG_TIMEOUT.
 * @blocks Until then, or for the time, out of chSysLock.
 * @from Any thread, within chSysLock. */
msg_t chThdEnqueueTimeoutS(threads_queue_t *queue, sysinterval_t timeout);

/** Lets the first thread of a queue go on, if there is one.
 *
 * @param queue The queue.
 * @param message What its wait returns.
 * @blocks Never; the thread goes on once the caller is out of chSysLock, at once if it is more urgent.
 * @from Any thread, within chSysLock. */
void chThdDequeueNextI(threads_queue_t *queue, msg_t message);

/** As chThdDequeueNextI, of a queue in which somebody waits: else it stops the process. */
void chThdDoDequeueNextI(threads_queue_t *queue, msg_t message);

/** Lets all threads of a queue go on, the first one first.
 *
 * @param queue The queue.
 * @param message What their waits return.
 * @blocks Never; they go on once the caller is out of chSysLock.
 * @from Any thread, within chSysLock. */
void chThdDequeueAllI(threads_queue_t *queue, msg_t message);

/* Waits within chSysLock, and out of it meanwhile, until ch_unpark names this thread, or for the time; whether it was named. The
 * message is what ch_unpark is given, or MSG_TIMEOUT. */
bool ch_park(sysinterval_t timeout, msg_t *message);

/* Ends a thread's ch_park. The caller is within chSysLock. */
void ch_unpark(thread_t *thread, msg_t message);

#endif
