/* Objects FIFOs. */

#include <ch.h>

void chFifoObjectInitAligned(objects_fifo_t *fifo, size_t size, size_t count, unsigned align, void *objects,
                             msg_t *messages)
{
    chDbgCheck(count > 0 && size >= align && MEM_IS_VALID_ALIGNMENT(align) && MEM_IS_ALIGNED(size, align));
    chGuardedPoolObjectInitAligned(&fifo->free, size, align);
    chGuardedPoolLoadArray(&fifo->free, objects, count);
    chMBObjectInit(&fifo->mbx, messages, count);
}

static msg_t message_of(void *object)
{
    return (msg_t)(uintptr_t)object;
}

void chFifoSendObject(objects_fifo_t *fifo, void *object)
{
    const msg_t result = chMBPostI(&fifo->mbx, message_of(object));
    chDbgAssert(result == MSG_OK, "chFifoSendObject: more objects than the FIFO has");
}

void chFifoSendObjectAhead(objects_fifo_t *fifo, void *object)
{
    const msg_t result = chMBPostAheadI(&fifo->mbx, message_of(object));
    chDbgAssert(result == MSG_OK, "chFifoSendObjectAhead: more objects than the FIFO has");
}

msg_t chFifoReceiveObjectTimeout(objects_fifo_t *fifo, void **object, sysinterval_t timeout)
{
    msg_t message = 0;
    const msg_t result = chMBFetchTimeout(&fifo->mbx, &message, timeout);
    if (result == MSG_OK)
        *object = (void *)(uintptr_t)message;
    return result;
}

msg_t chFifoReceiveObjectTimeoutS(objects_fifo_t *fifo, void **object, sysinterval_t timeout)
{
    msg_t message = 0;
    const msg_t result = chMBFetchTimeoutS(&fifo->mbx, &message, timeout);
    if (result == MSG_OK)
        *object = (void *)(uintptr_t)message;
    return result;
}
