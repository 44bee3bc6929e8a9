/* Cancellation points of what descriptors stand for. */

#include <fcntl.h>
#include <unistd.h>

#include "point.h"

POINT(int, creat, (const char *path, mode_t mode), (path, mode), result < 0)
POINT(ssize_t, read, (int descriptor, void *buffer, size_t length), (descriptor, buffer, length), result < 0)
POINT(ssize_t, write, (int descriptor, const void *bytes, size_t length), (descriptor, bytes, length), result < 0)
POINT(ssize_t, pread, (int descriptor, void *buffer, size_t length, off_t offset), (descriptor, buffer, length, offset),
      result < 0)
POINT(ssize_t, pwrite, (int descriptor, const void *bytes, size_t length, off_t offset),
      (descriptor, bytes, length, offset), result < 0)
POINT_BEFORE(int, close, (int descriptor), (descriptor))
POINT_BEFORE(int, fdatasync, (int descriptor), (descriptor))
POINT_BEFORE(int, fsync, (int descriptor), (descriptor))

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

/* There are no permissions: the mode is not looked at. */
int __wrap_open(const char *path, int flags, ...)
{
    int descriptor;
    posix_cancel_enter();
    descriptor = __real_open(path, flags);
    posix_cancel_leave(descriptor < 0);
    return descriptor;
}
