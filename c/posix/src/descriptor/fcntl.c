/* fcntl: what a descriptor and its description are told, and asked. */

#include "table.h"

#include <fcntl.h>
#include <stdarg.h>

/* Flags that F_SETFL changes. */
#define CHANGEABLE (O_APPEND | O_NONBLOCK | O_SYNC)

static int set_flags(struct posix_description *open, int flags)
{
    /* The server would go on. */
    if (open->appends && !(flags & O_APPEND))
        return -EINVAL;
    if (!posix_table_lock())
        return -EBADF;
    open->flags = (open->flags & ~(uint32_t)CHANGEABLE) | ((uint32_t)flags & CHANGEABLE);
    posix_table_unlock();
    return 0;
}

static int control(int descriptor, int command, int argument)
{
    struct posix_description *open;
    int result = posix_use(descriptor, &open);
    if (result)
        return result;
    switch (command) {
    case F_DUPFD:
        result = posix_duplicate(open, argument, 0);
        break;
    case F_DUPFD_CLOEXEC:
        result = posix_duplicate(open, argument, FD_CLOEXEC);
        break;
    case F_GETFD:
        result = posix_descriptors[descriptor].flags;
        break;
    case F_SETFD:
        posix_descriptors[descriptor].flags = argument & FD_CLOEXEC;
        break;
    case F_GETFL:
        result = (int)open->flags;
        break;
    case F_SETFL:
        result = set_flags(open, argument);
        break;
    default:
        result = -EINVAL;
    }
    posix_done(open);
    return result;
}

int fcntl(int descriptor, int command, ...)
{
    va_list arguments;
    int argument = 0;
    /* Those that take one take an int; a pointer of record locking, which there is not, is not looked at. */
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
    case F_SETFD:
    case F_SETFL:
        va_start(arguments, command);
        argument = va_arg(arguments, int);
        va_end(arguments);
    }
    return (int)posix_result(control(descriptor, command, argument));
}
