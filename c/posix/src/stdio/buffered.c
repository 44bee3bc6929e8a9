/* The buffers of streams of fopen and fdopen, in place of the C library's own: to that one what could not be read was the
 * end of the file, a stream began at the file's beginning wherever its descriptor was, and what was read ahead of a pipe was
 * lost when somebody asked for its position. */

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio-bufio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "streams.h"

#define BUFFER(file) ((struct __file_bufio *)(void *)(file))

/* Sends what was written. What is not taken is lost, unless it is only not taken now; in any case that is the stream's fault,
 * which the library does not note itself. The caller has the lock. */
static int send_off(struct __file_bufio *stream)
{
    int sent = 0;
    bool is_lost = false;
    ssize_t count = 1;
    while (sent < stream->len && (count = stream->write(stream->fd, stream->buf + sent, (size_t)(stream->len - sent))) > 0)
        sent += (int)count;
    if (count <= 0) {
        is_lost = count == 0 || (errno != EINTR && errno != EAGAIN);
        stream->xfile.cfile.file.flags |= __SERR;
    }
    stream->len = is_lost ? 0 : stream->len - sent;
    memmove(stream->buf, stream->buf + sent, (size_t)stream->len);
    return count > 0 ? 0 : _FDEV_ERR;
}

/* Gives back what was read ahead. Where there are no positions it stays. The caller has the lock. */
static int give_back(struct __file_bufio *stream)
{
    const int ahead = stream->len - stream->off;
    if (ahead && (!stream->lseek || stream->lseek(stream->fd, -(off_t)ahead, SEEK_CUR) < 0))
        return _FDEV_ERR;
    stream->len = stream->off = 0;
    return 0;
}

static int settle(struct __file_bufio *stream)
{
    return stream->dir == __SWR ? send_off(stream) : give_back(stream);
}

/* Has the stream read, or write, from now on. Where there are no positions both have nothing to do with each other, and what
 * was read ahead is lost. */
static int turn(struct __file_bufio *stream, uint8_t direction)
{
    if (stream->dir != direction) {
        if (settle(stream) < 0 && stream->dir == __SWR)
            return _FDEV_ERR;
        stream->len = stream->off = 0;
        stream->dir = direction;
    }
    return 0;
}

/* Sends what was written, or gives back what was read ahead: of a pipe there is nothing to send, and that stays. */
int posix_send_stream(FILE *file)
{
    const int before = errno;
    int result;
    __bufio_lock(file);
    result = settle(BUFFER(file));
    if (result < 0 && BUFFER(file)->dir != __SWR) {
        errno = before;
        result = 0;
    }
    __bufio_unlock(file);
    return result;
}

/* What was read ahead of a pipe stays: nobody could read it again. */
int __bufio_flush(FILE *file)
{
    return posix_send_stream(file);
}

static int put(struct __file_bufio *stream, char letter)
{
    if (turn(stream, __SWR) < 0 || (stream->len >= stream->size && send_off(stream) < 0))
        return _FDEV_ERR;
    stream->buf[stream->len++] = letter;
    if ((stream->len >= stream->size || (letter == '\n' && stream->bflags & __BLBF)) && send_off(stream) < 0) {
        /* It is the last that was not taken, and is put again by who is told so. */
        if (stream->len)
            stream->len--;
        return _FDEV_ERR;
    }
    return (unsigned char)letter;
}

int __bufio_put(char letter, FILE *file)
{
    int result;
    __bufio_lock(file);
    result = put(BUFFER(file), letter);
    __bufio_unlock(file);
    return result;
}

static int get(struct __file_bufio *stream)
{
    if (turn(stream, __SRD) < 0)
        return _FDEV_ERR;
    if (stream->off >= stream->len) {
        const ssize_t count = stream->read(stream->fd, stream->buf, (size_t)stream->size);
        stream->off = 0;
        stream->len = count > 0 ? (int)count : 0;
        if (count <= 0)
            return count < 0 ? _FDEV_ERR : _FDEV_EOF;
    }
    return (unsigned char)stream->buf[stream->off++];
}

int __bufio_get(FILE *file)
{
    int result;
    __bufio_lock(file);
    result = get(BUFFER(file));
    __bufio_unlock(file);
    return result;
}

/* A letter that was put back is read ahead, too. The caller has the lock. */
static void put_back(struct __file_bufio *stream)
{
    __ungetc_t *const letter = &stream->xfile.cfile.file.unget;
    if (*letter && stream->dir != __SWR) {
        stream->dir = __SRD;
        if (!stream->len)
            stream->len = stream->off = 1;
        if (stream->off) {
            stream->buf[--stream->off] = (char)*letter;
            *letter = 0;
        }
    }
}

off_t __bufio_seek(FILE *file, off_t offset, int whence)
{
    struct __file_bufio *const stream = BUFFER(file);
    off_t position = -1;
    __bufio_lock(file);
    put_back(stream);
    if (!stream->lseek)
        errno = ESPIPE;
    else if (offset == 0 && whence == SEEK_CUR && stream->dir == __SRD) {
        /* Who asks where it is finds there what was put back. */
        position = stream->lseek(stream->fd, 0, SEEK_CUR);
        if (position >= 0)
            position -= stream->len - stream->off;
    } else if (settle(stream) >= 0) {
        position = stream->lseek(stream->fd, offset, whence);
        stream->dir = 0;
    }
    __bufio_unlock(file);
    return position;
}

/* A buffer of the program's, or of the heap; of no size the stream keeps the one that it has. */
static int set_buffer(struct __file_bufio *stream, char *buffer, int mode, size_t size)
{
    const bool is_own = !buffer;
    if (mode == _IONBF) {
        buffer = NULL;
        size = 1;
    } else if (mode != _IOLBF && mode != _IOFBF)
        return -1;
    if (size > INT_MAX || settle(stream) < 0)
        return -1;
    if (size) {
        if (is_own || mode == _IONBF)
            buffer = malloc(size);
        if (!buffer)
            return -1;
        if (stream->bflags & __BALL)
            free(stream->buf);
        stream->bflags = is_own || mode == _IONBF ? __BALL : 0;
        stream->buf = buffer;
        stream->size = (int)size;
    }
    stream->bflags = (uint8_t)((stream->bflags & ~__BLBF) | (mode == _IOLBF ? __BLBF : 0));
    return 0;
}

int __bufio_setvbuf(FILE *file, char *buffer, int mode, size_t size)
{
    int result;
    __bufio_lock(file);
    result = set_buffer(BUFFER(file), buffer, mode, size);
    __bufio_unlock(file);
    return result;
}

int __bufio_close(FILE *file)
{
    struct __file_bufio *const stream = BUFFER(file);
    int result = __bufio_flush(file);
    const int error = errno;
    __bufio_lock(file);
    /* Whoever ends the process finds nothing more to send. */
    stream->len = stream->off = 0;
    if (stream->bflags & __BALL)
        free(stream->buf);
    /* It gives the lock back first. */
    __bufio_lock_close(file);
    if (stream->close && stream->close(stream->fd) < 0 && result == 0)
        result = -1;
    else if (result < 0)
        errno = error;
    free(file);
    return result;
}
