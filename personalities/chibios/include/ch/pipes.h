/* Pipes: streams of bytes from threads to threads. Included by ch.h. */

#ifndef CH_PIPES_H
#define CH_PIPES_H

typedef struct ch_pipe {
    uint8_t *buffer;
    uint8_t *top;   /* behind the last place */
    uint8_t *wrptr; /* the place of the next byte */
    uint8_t *rdptr; /* that of the oldest one */
    size_t cnt;     /* bytes */
    bool reset;     /* whether it takes and gives none */
    riposte_mutex_t writing, reading; /* what one thread writes or reads stays together */
    threads_queue_t writer, reader;   /* the one that waits */
} pipe_t;

/* What a pipe begins as that is a part of something. */
#define _PIPE_DATA(name, buffer, size)                                                               \
    {(uint8_t *)(buffer), (uint8_t *)(buffer) + (size), (uint8_t *)(buffer), (uint8_t *)(buffer), 0, \
     false, RIPOSTE_MUTEX, RIPOSTE_MUTEX, _THREADS_QUEUE_DATA((name).writer), _THREADS_QUEUE_DATA((name).reader)}
#define PIPE_DECL(name, buffer, size) pipe_t name = _PIPE_DATA(name, buffer, size)

/** Makes a pipe, which is empty.
 *
 * @param pipe Where it is to be.
 * @param buffer Where its bytes are.
 * @param size How many there can be, not 0. */
void chPipeObjectInit(pipe_t *pipe, uint8_t *buffer, size_t size);

/** Empties a pipe, and lets all that wait go on; later calls transfer nothing, until chPipeResume.
 *
 * @param pipe The pipe.
 * @blocks Until nobody else is within chSysLock.
 * @from Any thread that is not within chSysLock. */
void chPipeReset(pipe_t *pipe);

/** Uses a pipe again after chPipeReset.
 *
 * @param pipe The pipe. */
void chPipeResume(pipe_t *pipe);

/** Writes bytes.
 *
 * @param pipe The pipe.
 * @param bytes The bytes.
 * @param count How many.
 * @param timeout Of each wait for room, and of that for another writer: ticks, or TIME_IMMEDIATE or
 * TIME_INFINITE.
 * @return How many it has written: fewer after a time, or a reset.
 * @blocks Until it has written them, or for the time.
 * @from Any thread that is not within chSysLock. */
size_t chPipeWriteTimeout(pipe_t *pipe, const uint8_t *bytes, size_t count, sysinterval_t timeout);

/** Reads bytes.
 *
 * @param pipe The pipe.
 * @param bytes Where they are stored.
 * @param count How many.
 * @param timeout Of each wait for bytes, and of that for another reader: ticks, or TIME_IMMEDIATE or
 * TIME_INFINITE.
 * @return How many it has read: fewer after a time, or a reset.
 * @blocks Until it has read them, or for the time.
 * @from Any thread that is not within chSysLock. */
size_t chPipeReadTimeout(pipe_t *pipe, uint8_t *bytes, size_t count, sysinterval_t timeout);

/** Tells for how many bytes a pipe is. */
RIPOSTE_PRIVATE_INLINE size_t chPipeGetSize(const pipe_t *pipe)
{
    return (size_t)(pipe->top - pipe->buffer);
}

/** Tells how many bytes are in a pipe. */
RIPOSTE_PRIVATE_INLINE size_t chPipeGetUsedCount(const pipe_t *pipe)
{
    return *(const volatile size_t *)&pipe->cnt;
}

/** Tells for how many bytes a pipe has room. */
RIPOSTE_PRIVATE_INLINE size_t chPipeGetFreeCount(const pipe_t *pipe)
{
    return chPipeGetSize(pipe) - chPipeGetUsedCount(pipe);
}

#endif
