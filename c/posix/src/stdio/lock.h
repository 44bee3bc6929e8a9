/* The locks of the C library. */

#ifndef LOCK_H
#define LOCK_H

#include <riposte.h>

struct __lock {
    riposte_recursive_mutex_t mutex;
};

/* How long it is before a stream's lock is asked for again that the kernel has refused, in nanoseconds. */
#define STREAM_LOOK 1000000

/* Takes a stream's lock, also if whoever has it waits for the caller: that may be until a moment. Nobody could be told here; and
 * where it is for ever, it is so everywhere. */
static inline riposte_error_t stream_take_until(riposte_recursive_mutex_t *mutex, riposte_deadline_t deadline)
{
    riposte_error_t error;
    while ((error = riposte_recursive_mutex_lock_until(mutex, deadline)) == RIPOSTE_ERROR_DEADLOCK && riposte_clock() < deadline)
        riposte_sleep(STREAM_LOOK);
    return error;
}

static inline riposte_error_t stream_take(riposte_recursive_mutex_t *mutex)
{
    return stream_take_until(mutex, RIPOSTE_FOREVER);
}

#endif
