/* Names of objects that are none of files. */

#include "named.h"

#include <string.h>

#include "posix.h"

const char *posix_name(const char *name)
{
    if (*name == '/')
        name++;
    if (strlen(name) > POSIX_NAME_LENGTH)
        errno = ENAMETOOLONG;
    else if (*name == 0 || strchr(name, '/'))
        errno = EINVAL;
    else
        return name;
    return NULL;
}

void *posix_region(const char *name, size_t least, size_t *length)
{
    void *memory;
    size_t bytes;
    bool writable;
    if (riposte_region(name, &memory, &bytes, &writable) != RIPOSTE_OK || !writable || bytes < least)
        return NULL;
    if (length)
        *length = bytes;
    return memory;
}
