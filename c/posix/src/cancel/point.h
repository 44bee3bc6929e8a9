/* How a function becomes a cancellation point: the linker puts this one in its place, which calls it. */

#ifndef RIPOSTE_POSIX_POINT_H
#define RIPOSTE_POSIX_POINT_H

#include "cancel.h"

/* One that waits. It has failed if `failed` says so of its `result`. */
#define POINT(type, name, parameters, arguments, failed)                                                               \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        type result;                                                                                                   \
        posix_cancel_enter();                                                                                          \
        result = __real_##name arguments;                                                                              \
        posix_cancel_leave(failed);                                                                                    \
        return result;                                                                                                 \
    }

/* One that does not wait for long, and must not be left half done. */
#define POINT_BEFORE(type, name, parameters, arguments)                                                                \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        posix_cancel_pass();                                                                                           \
        return __real_##name arguments;                                                                                \
    }

#endif
