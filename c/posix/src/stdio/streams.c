/* The streams that are open, by the locks that the C library makes for them, so that fflush(NULL) and exit send what was
 * written to them: the library itself keeps no list. */

#include <stddef.h>
#include <stdio-bufio.h>
#include <stdlib.h>
#include <sys/lock.h>

#include "../posix.h"
#include "lock.h"
#include "streams.h"

/* A stream's lock, and the stream. */
struct stream {
    struct __lock lock;
    FILE *file;
    struct stream *next;
    /* When it was last taken to be sent. */
    uint32_t round;
};

/* All of them, and how often all were sent, under the lock of the list. */
static struct stream *streams;
static uint32_t rounds;
static struct posix_lock lock;

/* Of a stream for which there was no memory: it is not locked, and exit does not find it. */
void __retarget_lock_init(_LOCK_T *made)
{
    struct stream *const stream = calloc(1, sizeof *stream);
    *made = stream ? &stream->lock : NULL;
    if (!stream)
        return;
    /* The library asks for the locks of such streams alone. */
    stream->file = (FILE *)(void *)((char *)made - offsetof(struct __file_bufio, lock));
    if (!posix_lock(&lock))
        return;
    stream->next = streams;
    streams = stream;
    posix_unlock(&lock);
}

/* Takes a stream out of the list, if it is there. */
static void take_out(const struct stream *stream)
{
    struct stream **at = &streams;
    if (!posix_lock(&lock))
        return;
    while (*at && *at != stream)
        at = &(*at)->next;
    if (*at)
        *at = stream->next;
    posix_unlock(&lock);
}

void __retarget_lock_close(_LOCK_T closed)
{
    /* The lock is the first member. */
    struct stream *const stream = (struct stream *)(void *)closed;
    if (!stream)
        return;
    /* Whoever ends the process may send what is in it. */
    riposte_recursive_mutex_lock(&stream->lock.mutex);
    take_out(stream);
    riposte_recursive_mutex_unlock(&stream->lock.mutex);
    free(stream);
}

/* The next stream that nobody uses, with its lock, and that was not taken in this round, nor in a later one. A round of 0
 * begins here. One that a thread is in, who may wait there for ever, is left to it. */
static struct stream *take(uint32_t *round)
{
    struct stream *stream;
    if (!posix_lock(&lock))
        return NULL;
    if (!*round)
        *round = ++rounds;
    for (stream = streams; stream; stream = stream->next)
        if (stream->round < *round && riposte_recursive_mutex_try_lock(&stream->lock.mutex) == RIPOSTE_OK) {
            stream->round = *round;
            break;
        }
    posix_unlock(&lock);
    return stream;
}

int posix_send_streams(void)
{
    struct stream *stream;
    uint32_t round = 0;
    int result = 0;
    while ((stream = take(&round)) != NULL) {
        if (posix_send_stream(stream->file) < 0)
            result = EOF;
        riposte_recursive_mutex_unlock(&stream->lock.mutex);
    }
    return result;
}
