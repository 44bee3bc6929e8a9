/* fdopen, in place of the C library's own: that one takes a descriptor that is not open. */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio-bufio.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "streams.h"

FILE *fdopen(int descriptor, const char *mode)
{
    struct __file_bufio *stream;
    FILE *file;
    int flags;
    const int directions = __posix_sflags(mode, &flags);
    if (!directions || fcntl(descriptor, F_GETFD) < 0)
        return NULL;
    stream = malloc(sizeof *stream + BUFSIZ);
    if (!stream)
        return NULL;
    *stream = (struct __file_bufio)FDEV_SETUP_BUFIO(descriptor, (char *)(stream + 1), BUFSIZ, read, write, lseek, close,
                                                    (uint8_t)directions, 0);
    file = &stream->xfile.cfile.file;
    __bufio_lock_init(file);
    if (flags & O_APPEND)
        lseek(descriptor, 0, SEEK_END);
    return file;
}
