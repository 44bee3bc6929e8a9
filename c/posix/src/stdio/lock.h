/* The locks of the C library. */

#ifndef LOCK_H
#define LOCK_H

#include <riposte.h>

struct __lock {
    riposte_recursive_mutex_t mutex;
};

#endif
