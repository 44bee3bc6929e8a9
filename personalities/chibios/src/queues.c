/* Input and output queues. */

#include <ch.h>

static void init(io_queue_t *queue, uint8_t *buffer, size_t size, size_t count, qnotify_t notify, void *link)
{
    chThdQueueObjectInit(&queue->waiting);
    queue->count = count;
    queue->buffer = buffer;
    queue->size = size;
    queue->write = 0;
    queue->read = 0;
    queue->notify = notify;
    queue->link = link;
}

static void reset(io_queue_t *queue, size_t count)
{
    chDbgCheckClassI();
    queue->count = count;
    queue->write = 0;
    queue->read = 0;
    chThdDequeueAllI(&queue->waiting, Q_RESET);
}

static void put(io_queue_t *queue, uint8_t byte)
{
    queue->buffer[queue->write] = byte;
    queue->write = queue->write + 1 < queue->size ? queue->write + 1 : 0;
}

static uint8_t get(io_queue_t *queue)
{
    const uint8_t byte = queue->buffer[queue->read];
    queue->read = queue->read + 1 < queue->size ? queue->read + 1 : 0;
    return byte;
}

static void notify(io_queue_t *queue)
{
    if (queue->notify != NULL)
        queue->notify(queue);
}

/* Waits until the count is not 0. */
static msg_t wait(io_queue_t *queue, sysinterval_t timeout)
{
    msg_t message = Q_OK;
    while (queue->count == 0 && message == Q_OK)
        message = chThdEnqueueTimeoutS(&queue->waiting, timeout);
    return message;
}

void chIQObjectInit(input_queue_t *queue, uint8_t *buffer, size_t size, qnotify_t notified, void *link)
{
    init(queue, buffer, size, 0, notified, link);
}

void chIQResetI(input_queue_t *queue)
{
    reset(queue, 0);
}

msg_t chIQPutI(input_queue_t *queue, uint8_t byte)
{
    chDbgCheckClassI();
    if (queue->count == queue->size)
        return Q_FULL;
    put(queue, byte);
    queue->count++;
    chThdDequeueNextI(&queue->waiting, Q_OK);
    return Q_OK;
}

msg_t chIQGetTimeout(input_queue_t *queue, sysinterval_t timeout)
{
    msg_t message;
    chSysLock();
    notify(queue);
    message = wait(queue, timeout);
    if (message == Q_OK) {
        queue->count--;
        message = get(queue);
    }
    chSysUnlock();
    return message;
}

size_t chIQReadTimeout(input_queue_t *queue, uint8_t *bytes, size_t count, sysinterval_t timeout)
{
    size_t done;
    for (done = 0; done < count; done++) {
        const msg_t byte = chIQGetTimeout(queue, timeout);
        if (byte < Q_OK)
            break;
        bytes[done] = (uint8_t)byte;
    }
    return done;
}

void chOQObjectInit(output_queue_t *queue, uint8_t *buffer, size_t size, qnotify_t notified, void *link)
{
    init(queue, buffer, size, size, notified, link);
}

void chOQResetI(output_queue_t *queue)
{
    reset(queue, queue->size);
}

msg_t chOQPutTimeout(output_queue_t *queue, uint8_t byte, sysinterval_t timeout)
{
    msg_t message;
    chSysLock();
    message = wait(queue, timeout);
    if (message == Q_OK) {
        queue->count--;
        put(queue, byte);
        notify(queue);
    }
    chSysUnlock();
    return message;
}

msg_t chOQGetI(output_queue_t *queue)
{
    msg_t byte;
    chDbgCheckClassI();
    if (queue->count == queue->size)
        return Q_EMPTY;
    byte = get(queue);
    queue->count++;
    chThdDequeueNextI(&queue->waiting, Q_OK);
    return byte;
}

size_t chOQWriteTimeout(output_queue_t *queue, const uint8_t *bytes, size_t count, sysinterval_t timeout)
{
    size_t done;
    for (done = 0; done < count; done++)
        if (chOQPutTimeout(queue, bytes[done], timeout) != Q_OK)
            break;
    return done;
}
