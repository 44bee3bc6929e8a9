/* fileno: the descriptor of a stream. */

#include <errno.h>
#include <stdio-bufio.h>
#include <stdio.h>
#include <unistd.h>

int fileno(FILE *stream)
{
    if (stream == stdin)
        return STDIN_FILENO;
    if (stream == stdout)
        return STDOUT_FILENO;
    if (stream == stderr)
        return STDERR_FILENO;
    /* One of fmemopen() or of the program's own functions has none. */
    if (!(stream->flags & __SBUF)) {
        errno = EBADF;
        return -1;
    }
    return ((struct __file_bufio *)stream)->fd;
}
