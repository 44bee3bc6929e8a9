/* Objects FIFOs: a guarded pool of objects, and a mailbox that holds those that were sent. Included by ch.h. */

#ifndef CH_FIFOS_H
#define CH_FIFOS_H

typedef struct ch_objects_fifo {
    guarded_memory_pool_t free;
    mailbox_t mbx;
} objects_fifo_t;

/** Makes a FIFO.
 *
 * @param fifo Where it is to be.
 * @param size Bytes of an object, a multiple of `align`.
 * @param count How many objects there are.
 * @param align What an object's address is a multiple of: a power of two, at least that of a pointer.
 * @param objects `count` objects, aligned so.
 * @param messages `count` places for messages. */
void chFifoObjectInitAligned(objects_fifo_t *fifo, size_t size, size_t count, unsigned align, void *objects,
                             msg_t *messages);
#define chFifoObjectInit(fifo, size, count, objects, messages)                                       \
    chFifoObjectInitAligned((fifo), (size), (count), PORT_NATURAL_ALIGN, (objects), (messages))

/** Takes a free object, to fill it and send it.
 *
 * @param fifo The FIFO.
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return The object, or NULL if the time was over.
 * @blocks Until there is one, or for the time.
 * @from Any thread. */
#define chFifoTakeObjectTimeout(fifo, timeout) chGuardedPoolAllocTimeout(&(fifo)->free, (timeout))
/** As chFifoTakeObjectTimeout, within chSysLock, which a thread that waits is out of. */
#define chFifoTakeObjectTimeoutS(fifo, timeout) chGuardedPoolAllocTimeoutS(&(fifo)->free, (timeout))
#define chFifoTakeObjectI(fifo) chGuardedPoolAllocI(&(fifo)->free)

/** Gives an object back that was taken or received.
 *
 * @param fifo The FIFO.
 * @param object The object. As chGuardedPoolFree. */
#define chFifoReturnObject(fifo, object) chGuardedPoolFree(&(fifo)->free, (object))
#define chFifoReturnObjectI(fifo, object) chFifoReturnObject((fifo), (object))
#define chFifoReturnObjectS(fifo, object) chFifoReturnObject((fifo), (object))

/** Sends an object, behind the others. There is a place for each object: one that was not taken stops the
 * process if there is none.
 *
 * @param fifo The FIFO.
 * @param object The object.
 * @blocks Never; a more urgent thread that waits for one runs at once.
 * @from Any thread. */
void chFifoSendObject(objects_fifo_t *fifo, void *object);
#define chFifoSendObjectI(fifo, object) chFifoSendObject((fifo), (object))
#define chFifoSendObjectS(fifo, object) chFifoSendObject((fifo), (object))

/** As chFifoSendObject, but before the others. */
void chFifoSendObjectAhead(objects_fifo_t *fifo, void *object);
#define chFifoSendObjectAheadI(fifo, object) chFifoSendObjectAhead((fifo), (object))
#define chFifoSendObjectAheadS(fifo, object) chFifoSendObjectAhead((fifo), (object))

/** Receives the first object.
 *
 * @param fifo The FIFO.
 * @param object Where a pointer to it is stored.
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return MSG_OK, or MSG_TIMEOUT.
 * @blocks Until there is one, or for the time.
 * @from Any thread. */
msg_t chFifoReceiveObjectTimeout(objects_fifo_t *fifo, void **object, sysinterval_t timeout);
/** As chFifoReceiveObjectTimeout, within chSysLock, which a thread that waits is out of. */
msg_t chFifoReceiveObjectTimeoutS(objects_fifo_t *fifo, void **object, sysinterval_t timeout);
#define chFifoReceiveObjectI(fifo, object) chFifoReceiveObjectTimeout((fifo), (object), TIME_IMMEDIATE)

#endif
