/* Pipes. */

#include <ch.h>

void chPipeObjectInit(pipe_t *pipe, uint8_t *buffer, size_t size)
{
    const pipe_t fresh = _PIPE_DATA(fresh, buffer, size);
    chDbgCheck(size != 0);
    *pipe = fresh;
}

void chPipeReset(pipe_t *pipe)
{
    chSysLock();
    pipe->reset = true;
    pipe->wrptr = pipe->buffer;
    pipe->rdptr = pipe->buffer;
    pipe->cnt = 0;
    chThdDequeueAllI(&pipe->writer, MSG_RESET);
    chThdDequeueAllI(&pipe->reader, MSG_RESET);
    chSysUnlock();
}

void chPipeResume(pipe_t *pipe)
{
    chSysLock();
    pipe->reset = false;
    chSysUnlock();
}

/* Whether the caller is the one that writes, or reads, now. */
static bool begin(riposte_mutex_t *one, sysinterval_t timeout)
{
    const riposte_error_t error = riposte_mutex_lock_until(one, ch_deadline(timeout));
    if (error != RIPOSTE_OK && error != RIPOSTE_ERROR_TIMED_OUT && error != RIPOSTE_ERROR_WOULD_BLOCK)
        ch_halt(error);
    return error == RIPOSTE_OK;
}

/* The place behind another one. */
static uint8_t *behind(const pipe_t *pipe, uint8_t *place)
{
    return place + 1 < pipe->top ? place + 1 : pipe->buffer;
}

size_t chPipeWriteTimeout(pipe_t *pipe, const uint8_t *bytes, size_t count, sysinterval_t timeout)
{
    size_t done = 0;
    msg_t message = MSG_OK;
    if (!begin(&pipe->writing, timeout))
        return 0;
    chSysLock();
    while (done < count && message == MSG_OK && !pipe->reset) {
        if (chPipeGetFreeCount(pipe) == 0) {
            message = chThdEnqueueTimeoutS(&pipe->writer, timeout);
        } else {
            *pipe->wrptr = bytes[done++];
            pipe->wrptr = behind(pipe, pipe->wrptr);
            pipe->cnt++;
            if (done == count || chPipeGetFreeCount(pipe) == 0)
                chThdDequeueNextI(&pipe->reader, MSG_OK);
        }
    }
    /* Who was woken may end the pipe, once this is out of the system's lock. */
    ch_unlock(&pipe->writing);
    chSysUnlock();
    return done;
}

size_t chPipeReadTimeout(pipe_t *pipe, uint8_t *bytes, size_t count, sysinterval_t timeout)
{
    size_t done = 0;
    msg_t message = MSG_OK;
    if (!begin(&pipe->reading, timeout))
        return 0;
    chSysLock();
    while (done < count && message == MSG_OK && !pipe->reset) {
        if (pipe->cnt == 0) {
            message = chThdEnqueueTimeoutS(&pipe->reader, timeout);
        } else {
            bytes[done++] = *pipe->rdptr;
            pipe->rdptr = behind(pipe, pipe->rdptr);
            pipe->cnt--;
            if (done == count || pipe->cnt == 0)
                chThdDequeueNextI(&pipe->writer, MSG_OK);
        }
    }
    ch_unlock(&pipe->reading);
    chSysUnlock();
    return done;
}
