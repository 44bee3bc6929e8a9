/* fdopen and fopen, in place of the C library's own: to that one a descriptor that is not open was one; when there was no
 * memory for a stream it left the file open, and when there was none for its lock it made one that exit does not find. */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio-bufio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../descriptor/table.h"
#include "streams.h"

/* The C library's, which knows no x. */
int __posix_sflags(const char *mode, int *flags);

int posix_mode(const char *mode, int *flags)
{
    const int directions = __posix_sflags(mode, flags);
    if (directions && *flags & O_CREAT && strchr(mode, 'x'))
        *flags |= O_EXCL;
    return directions;
}

FILE *fdopen(int descriptor, const char *mode)
{
    struct __file_bufio *stream;
    FILE *file;
    int flags;
    const int directions = posix_mode(mode, &flags);
    if (!directions || fcntl(descriptor, F_GETFD) < 0)
        return NULL;
    stream = malloc(sizeof *stream + BUFSIZ);
    if (!stream)
        return NULL;
    *stream = (struct __file_bufio)FDEV_SETUP_BUFIO(descriptor, (char *)(stream + 1), BUFSIZ, posix_read, posix_write,
                                                    lseek, posix_close, (uint8_t)directions, 0);
    file = &stream->xfile.cfile.file;
    __bufio_lock_init(file);
    if (!stream->lock) {
        free(stream);
        errno = ENOMEM;
        return NULL;
    }
    if (flags & O_APPEND)
        lseek(descriptor, 0, SEEK_END);
    return file;
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    FILE *file;
    int flags, descriptor, error;
    if (!posix_mode(mode, &flags))
        return NULL;
    descriptor = posix_open(path, flags);
    if (descriptor < 0)
        return NULL;
    file = fdopen(descriptor, mode);
    if (!file) {
        error = errno;
        posix_close(descriptor);
        errno = error;
    }
    return file;
}
