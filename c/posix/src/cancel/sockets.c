/* Cancellation points of <sys/socket.h>. */

#include <sys/socket.h>

#include "point.h"

POINT(int, accept, (int descriptor, struct sockaddr *address, socklen_t *length), (descriptor, address, length),
      result < 0)
POINT(int, connect, (int descriptor, const struct sockaddr *address, socklen_t length), (descriptor, address, length),
      result < 0)
POINT(ssize_t, recv, (int descriptor, void *bytes, size_t length, int flags), (descriptor, bytes, length, flags),
      result < 0)
POINT(ssize_t, recvfrom,
      (int descriptor, void *bytes, size_t length, int flags, struct sockaddr *address, socklen_t *address_length),
      (descriptor, bytes, length, flags, address, address_length), result < 0)
POINT(ssize_t, send, (int descriptor, const void *bytes, size_t length, int flags), (descriptor, bytes, length, flags),
      result < 0)
POINT(ssize_t, sendto,
      (int descriptor, const void *bytes, size_t length, int flags, const struct sockaddr *address,
       socklen_t address_length),
      (descriptor, bytes, length, flags, address, address_length), result < 0)
