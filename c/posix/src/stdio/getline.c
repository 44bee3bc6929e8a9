/* getline and getdelim. */

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../posix.h"

/* Bytes that a line is given first. */
#define FIRST 64

/* Makes room for one more byte, and a zero behind it. */
static bool has_room(char **line, size_t *size, size_t length)
{
    /* Where there is no memory, its size may be anything: that of memory which was given back. */
    const size_t before = *line ? *size : 0, more = before ? before * 2 : FIRST;
    char *longer;
    if (length + 2 <= before)
        return true;
    if (length + 2 > SSIZE_MAX || more < before) {
        errno = EOVERFLOW;
        return false;
    }
    longer = realloc(*line, more);
    if (!longer)
        return false;
    *line = longer;
    *size = more;
    return true;
}

static ssize_t read_line(char **line, size_t *size, int end, FILE *stream)
{
    size_t length = 0;
    for (;;) {
        int letter;
        /* Also of a file that is at its end there is a line, of nothing. */
        if (!has_room(line, size, length))
            return -1;
        (*line)[length] = '\0';
        letter = getc(stream);
        if (letter == EOF)
            return length && !ferror(stream) ? (ssize_t)length : -1;
        (*line)[length++] = (char)letter;
        (*line)[length] = '\0';
        if (letter == (unsigned char)end)
            return (ssize_t)length;
    }
}

ssize_t getdelim(char **line, size_t *size, int end, FILE *stream)
{
    ssize_t length;
    if (!line || !size)
        return posix_fail(EINVAL);
    flockfile(stream);
    length = read_line(line, size, end, stream);
    funlockfile(stream);
    return length;
}

ssize_t getline(char **line, size_t *size, FILE *stream)
{
    return getdelim(line, size, '\n', stream);
}
