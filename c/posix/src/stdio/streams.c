/* The streams that are open, by the locks that the C library makes for them, so that fflush(NULL) and exit send what was
 * written to them: the library itself keeps no list. */

#include <errno.h>
#include <stdbool.h>
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
    /* Who needs this: the one that has it open, and those that wait for its lock to send it. */
    uint32_t users;
    bool is_closed;
};

/* All of them, and how often all were sent, under the lock of the list. */
static struct stream *streams;
static uint32_t rounds;
static struct posix_lock lock;

/* NULL without memory: fdopen makes no stream then. */
void __retarget_lock_init(_LOCK_T *made)
{
    struct stream *const stream = calloc(1, sizeof *stream);
    *made = stream ? &stream->lock : NULL;
    if (!stream)
        return;
    /* The library asks for the locks of such streams alone. */
    stream->file = (FILE *)(void *)((char *)made - offsetof(struct __file_bufio, lock));
    stream->users = 1;
    if (!posix_lock(&lock))
        return;
    stream->next = streams;
    streams = stream;
    posix_unlock(&lock);
}

/* Takes a stream out of the list, if it is there. */
static void take_out(struct stream *stream)
{
    struct stream **at = &streams;
    if (!posix_lock(&lock))
        return;
    stream->is_closed = true;
    while (*at && *at != stream)
        at = &(*at)->next;
    if (*at)
        *at = stream->next;
    posix_unlock(&lock);
}

/* The caller needs it no more. */
static void leave(struct stream *stream)
{
    bool is_needed = true;
    if (posix_lock(&lock)) {
        is_needed = --stream->users != 0;
        posix_unlock(&lock);
    }
    if (!is_needed)
        free(stream);
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
    leave(stream);
}

/* Whether something was written to it that was not sent. */
static bool has_written(const struct stream *stream)
{
    const volatile struct __file_bufio *const file = (const volatile struct __file_bufio *)(const void *)stream->file;
    return file->dir == __SWR && file->len != 0;
}

/* The next stream that was not taken in this round, nor in a later one, for its caller to leave. A round of 0 begins here. One
 * that another thread is in, who may wait there for ever, is left to it, unless it is to be waited for and has something
 * to send. */
static struct stream *take(uint32_t *round, bool waits, bool *is_locked)
{
    struct stream *stream;
    if (!posix_lock(&lock))
        return NULL;
    if (!*round)
        *round = ++rounds;
    for (stream = streams; stream; stream = stream->next) {
        if (stream->round >= *round)
            continue;
        *is_locked = riposte_recursive_mutex_try_lock(&stream->lock.mutex) == RIPOSTE_OK;
        if (*is_locked || (waits && has_written(stream)))
            break;
    }
    if (stream) {
        stream->round = *round;
        stream->users++;
    }
    posix_unlock(&lock);
    return stream;
}

int posix_send_streams(bool waits)
{
    struct stream *stream;
    uint32_t round = 0;
    int result = 0;
    bool is_locked;
    while ((stream = take(&round, waits, &is_locked)) != NULL) {
        /* Two threads that each wait for the other's stream are told. */
        if (!is_locked && riposte_recursive_mutex_lock(&stream->lock.mutex) != RIPOSTE_OK) {
            errno = EDEADLK;
            result = EOF;
        } else {
            if (!stream->is_closed && posix_send_stream(stream->file) < 0)
                result = EOF;
            riposte_recursive_mutex_unlock(&stream->lock.mutex);
        }
        leave(stream);
    }
    return result;
}
