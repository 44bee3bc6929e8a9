/* freopen, in place of the C library's own: that one takes no standard stream, keeps a letter that was put back for the next
 * file, and opens that before the last one's descriptor is free. */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio-bufio.h>
#include <stdio.h>
#include <unistd.h>

#include "../descriptor/table.h"
#include "streams.h"

#define DIRECTIONS (__SRD | __SWR)

static void renew(FILE *stream)
{
    stream->flags = (uint8_t)(stream->flags & ~(__SERR | __SEOF));
    stream->unget = 0;
}

/* A standard stream has its descriptor for good: the file takes its place, and until then whoever prints finds the last one.
 * If there is none, the stream's is closed all the same. */
static FILE *replace_standard(const char *path, int flags, FILE *stream)
{
    const int own = fileno(stream);
    int opened, error;
    if (stream == stdin)
        riposte_private_forget_input();
    else
        fflush(stream);
    opened = posix_open(path, flags);
    if (opened < 0 && errno == EMFILE) {
        posix_close(own);
        opened = posix_open(path, flags);
    }
    if (opened < 0) {
        error = errno;
        posix_close(own);
        errno = error;
        return NULL;
    }
    if (opened != own) {
        dup2(opened, own);
        posix_close(opened);
    }
    renew(stream);
    return stream;
}

static FILE *replace(const char *path, int flags, int directions, FILE *stream)
{
    struct __file_bufio *const file = (struct __file_bufio *)(void *)stream;
    int error;
    __bufio_lock(stream);
    __bufio_flush(stream);
    file->close(file->fd);
    file->fd = posix_open(path, flags);
    /* Nothing is left for it of the last one, nor for its end. */
    file->len = file->off = 0;
    file->dir = 0;
    renew(stream);
    stream->flags = (uint8_t)((stream->flags & ~DIRECTIONS) | directions);
    error = errno;
    __bufio_unlock(stream);
    if (file->fd >= 0)
        return stream;
    /* Nobody may name it any more. */
    fclose(stream);
    errno = error;
    return NULL;
}

FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
    const bool is_standard = stream == stdin || stream == stdout || stream == stderr;
    int flags, directions = posix_mode(mode, &flags);
    if (!directions)
        return NULL;
    /* No stream changes its mode alone; one of fmemopen has no file; and a standard one has its direction for good. */
    if (!path || (!is_standard && !(stream->flags & __SBUF))) {
        errno = EBADF;
        return NULL;
    }
    if (!is_standard)
        return replace(path, flags, directions, stream);
    if ((directions & stream->flags & DIRECTIONS) == 0) {
        errno = EINVAL;
        return NULL;
    }
    return replace_standard(path, flags, stream);
}
