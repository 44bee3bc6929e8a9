/* The types of <pthread.h>, which <sys/types.h> has, too. The members are the library's. */

#ifndef RIPOSTE_PTHREAD_TYPES_H
#define RIPOSTE_PTHREAD_TYPES_H

#include <stddef.h>
#include <sys/_types.h>

/* The kernel's id of a thread, which is never 0. */
typedef unsigned long pthread_t;

typedef struct {
    size_t __stack, __guard;
    __uint8_t __detached, __explicit, __policy, __priority;
} pthread_attr_t;

typedef unsigned pthread_key_t;

typedef struct {
    /* The kernel's lock; of a mutex with a ceiling a mark that nobody owns, so that no short way takes it. */
    __uint32_t __word;
    /* How often its owner has taken it again. */
    __uint32_t __again;
    __uint8_t __type, __protocol, __robust, __ceiling;
    /* Of a mutex with a ceiling: its lock. */
    __uint32_t __inner;
} pthread_mutex_t;

typedef struct {
    __uint8_t __type, __protocol, __robust, __ceiling, __shared;
} pthread_mutexattr_t;

typedef struct {
    __uint32_t __signals, __waiting, __left;
    __uint8_t __clock, __shared;
} pthread_cond_t;

typedef struct {
    __clockid_t __clock;
    __uint8_t __shared;
} pthread_condattr_t;

typedef struct {
    __uint32_t __gate, __readers;
} pthread_rwlock_t;

typedef struct {
    __uint8_t __shared;
} pthread_rwlockattr_t;

typedef struct {
    __uint32_t __word;
} pthread_spinlock_t;

typedef struct {
    __uint32_t __threads, __come, __signals, __waiting;
    __uint32_t __inside, __left;
    __uint8_t __shared;
} pthread_barrier_t;

typedef struct {
    __uint8_t __shared;
} pthread_barrierattr_t;

typedef struct {
    __uint32_t __done, __lock;
} pthread_once_t;

#endif
