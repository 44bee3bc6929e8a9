/* fgetpos and fsetpos. */

#include <stdio.h>

int fgetpos(FILE *stream, fpos_t *position)
{
    const off_t at = ftello(stream);
    if (at < 0)
        return -1;
    *position = at;
    return 0;
}

int fsetpos(FILE *stream, const fpos_t *position)
{
    return fseeko(stream, (off_t)*position, SEEK_SET);
}
