/* Input and output queues of bytes, between a driver and the threads that use it. Included by ch.h.
 *
 * The driver's side is what ends in I, within chSysLock; the other side is for threads that are not. */

#ifndef CH_QUEUES_H
#define CH_QUEUES_H

/* What the calls return instead of a byte. */
#define Q_OK MSG_OK
#define Q_TIMEOUT MSG_TIMEOUT
#define Q_RESET MSG_RESET
#define Q_EMPTY ((msg_t)-3)
#define Q_FULL ((msg_t)-4)

typedef struct ch_io_queue io_queue_t;
/* Is called within chSysLock when there is something to do for the driver. */
typedef void (*qnotify_t)(io_queue_t *queue);

/* The two kinds have one type; a byte is in the buffer from when it was put until it was got. */
struct ch_io_queue {
    threads_queue_t waiting;
    size_t count; /* of an input queue: bytes to get; of an output queue: room to put */
    uint8_t *buffer;
    size_t size;
    size_t write; /* where the next byte is put */
    size_t read;  /* where the next byte is got from */
    qnotify_t notify; /* or NULL */
    void *link;
};
typedef io_queue_t input_queue_t;
typedef io_queue_t output_queue_t;

/* What a queue begins as that is a part of something. */
#define _INPUTQUEUE_DATA(name, buffer, size, inotify, link)                                          \
    {_THREADS_QUEUE_DATA((name).waiting), 0, (uint8_t *)(buffer), (size), 0, 0, (inotify), (link)}
#define _OUTPUTQUEUE_DATA(name, buffer, size, onotify, link)                                         \
    {_THREADS_QUEUE_DATA((name).waiting), (size), (uint8_t *)(buffer), (size), 0, 0, (onotify), (link)}
#define INPUTQUEUE_DECL(name, buffer, size, inotify, link)                                           \
    input_queue_t name = _INPUTQUEUE_DATA(name, buffer, size, inotify, link)
#define OUTPUTQUEUE_DECL(name, buffer, size, onotify, link)                                          \
    output_queue_t name = _OUTPUTQUEUE_DATA(name, buffer, size, onotify, link)

/** Tells for how many bytes a queue is. */
RIPOSTE_PRIVATE_INLINE size_t chQSizeX(const io_queue_t *queue)
{
    return queue->size;
}

/** Tells how many bytes an input queue holds, or for how many an output queue has room. */
RIPOSTE_PRIVATE_INLINE size_t chQSpaceI(const io_queue_t *queue)
{
    return queue->count;
}

/** Tells what a queue's driver has noted there. */
RIPOSTE_PRIVATE_INLINE void *chQGetLinkX(const io_queue_t *queue)
{
    return queue->link;
}

/** Notes something for a queue's driver. */
RIPOSTE_PRIVATE_INLINE void chQSetLinkX(io_queue_t *queue, void *link)
{
    queue->link = link;
}

/** Makes an input queue, which is empty.
 *
 * @param queue Where it is to be.
 * @param buffer Where its bytes are.
 * @param size How many there can be.
 * @param notify What is called when there is room again, before a thread gets a byte; or NULL.
 * @param link What the driver notes there. */
void chIQObjectInit(input_queue_t *queue, uint8_t *buffer, size_t size, qnotify_t notify, void *link);

/** Empties an input queue, and lets all that wait go on with Q_RESET.
 *
 * @blocks Never.
 * @from Any thread, within chSysLock. */
void chIQResetI(input_queue_t *queue);

/** Puts a byte into an input queue.
 *
 * @return Q_OK, or Q_FULL.
 * @blocks Never; a thread that waits goes on once the caller is out of chSysLock.
 * @from Any thread, within chSysLock. */
msg_t chIQPutI(input_queue_t *queue, uint8_t byte);

/** Gets a byte of an input queue.
 *
 * @param queue The queue.
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return The byte, or Q_TIMEOUT or Q_RESET.
 * @blocks Until there is one, or for the time.
 * @from Any thread. */
msg_t chIQGetTimeout(input_queue_t *queue, sysinterval_t timeout);
#define chIQGet(queue) chIQGetTimeout((queue), TIME_INFINITE)

/** Gets bytes of an input queue.
 *
 * @param queue The queue.
 * @param bytes Where they are stored.
 * @param count How many.
 * @param timeout Of the wait for each byte: ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return How many it has got: fewer after a time, or a reset.
 * @blocks Until it has got them, or for the time.
 * @from Any thread. */
size_t chIQReadTimeout(input_queue_t *queue, uint8_t *bytes, size_t count, sysinterval_t timeout);

#define chIQGetFullI(queue) chQSpaceI(queue)
#define chIQGetEmptyI(queue) (chQSizeX(queue) - chQSpaceI(queue))
#define chIQIsEmptyI(queue) (chQSpaceI(queue) == 0)
#define chIQIsFullI(queue) (chQSpaceI(queue) == chQSizeX(queue))

/** Makes an output queue, which is empty.
 *
 * @param queue Where it is to be.
 * @param buffer Where its bytes are.
 * @param size How many there can be.
 * @param notify What is called once a thread has put a byte; or NULL.
 * @param link What the driver notes there. */
void chOQObjectInit(output_queue_t *queue, uint8_t *buffer, size_t size, qnotify_t notify, void *link);

/** Empties an output queue, and lets all that wait go on with Q_RESET.
 *
 * @blocks Never.
 * @from Any thread, within chSysLock. */
void chOQResetI(output_queue_t *queue);

/** Puts a byte into an output queue.
 *
 * @param queue The queue.
 * @param byte The byte.
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return Q_OK, or Q_TIMEOUT or Q_RESET.
 * @blocks Until there is room, or for the time.
 * @from Any thread. */
msg_t chOQPutTimeout(output_queue_t *queue, uint8_t byte, sysinterval_t timeout);
#define chOQPut(queue, byte) chOQPutTimeout((queue), (byte), TIME_INFINITE)

/** Gets a byte of an output queue.
 *
 * @return The byte, or Q_EMPTY.
 * @blocks Never; a thread that waits goes on once the caller is out of chSysLock.
 * @from Any thread, within chSysLock. */
msg_t chOQGetI(output_queue_t *queue);

/** Puts bytes into an output queue.
 *
 * @param queue The queue.
 * @param bytes The bytes.
 * @param count How many.
 * @param timeout Of the wait for each byte: ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return How many it has put: fewer after a time, or a reset.
 * @blocks Until it has put them, or for the time.
 * @from Any thread. */
size_t chOQWriteTimeout(output_queue_t *queue, const uint8_t *bytes, size_t count, sysinterval_t timeout);

#define chOQGetFullI(queue) (chQSizeX(queue) - chQSpaceI(queue))
#define chOQGetEmptyI(queue) chQSpaceI(queue)
#define chOQIsEmptyI(queue) (chQSpaceI(queue) == chQSizeX(queue))
#define chOQIsFullI(queue) (chQSpaceI(queue) == 0)

#endif
