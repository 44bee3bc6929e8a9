/* QNX 4's <sys/sendmx.h>: the parts of a message. */

#ifndef QNX4_SYS_SENDMX_H
#define QNX4_SYS_SENDMX_H

#include <stddef.h>

/** A part of a message: set it with _setmx. */
struct _mxfer_entry {
    /** The first byte. */
    void *address;
    /** How many bytes. */
    size_t length;
};

/** Sets a part. */
#define _setmx(entry, first, bytes) ((entry)->address = (void *)(first), (entry)->length = (bytes))

#endif
