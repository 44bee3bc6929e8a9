/* What <pthread.h> and <signal.h> both have. */

#ifndef RIPOSTE_PTHREAD_TYPES_H
#define RIPOSTE_PTHREAD_TYPES_H

#include <stddef.h>
#include <sys/types.h>

/* The kernel's id of a thread, which is never 0. */
typedef unsigned long pthread_t;

typedef struct {
    size_t __stack, __guard;
    __uint8_t __detached, __explicit, __policy, __priority;
} pthread_attr_t;

#endif
