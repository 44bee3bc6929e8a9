/* <pthread.h>: threads and what they wait for each other with, over the kernel's threads, locks and words. An object of
 * all zeros is a new one with the default attributes. docs/src/posix.md says what each function does here. */

#ifndef _PTHREAD_H_
#define _PTHREAD_H_

#include <stddef.h>
#include <sys/types.h>
#include <sys/_timespec.h>
#include <sched.h>
#include <time.h>
#include <riposte/pthread_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Smallest stack that can be asked for, in bytes. */
#define PTHREAD_STACK_MIN 256
#define PTHREAD_KEYS_MAX 128
#define PTHREAD_DESTRUCTOR_ITERATIONS 4

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_NORMAL 1
#define PTHREAD_MUTEX_RECURSIVE 2
#define PTHREAD_MUTEX_ERRORCHECK 3
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_PRIO_PROTECT 2
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
/* The value of a thread that was cancelled. */
#define PTHREAD_CANCELED ((void *)-1)

/* New ones with the default attributes. */
#define PTHREAD_MUTEX_INITIALIZER {0, 0, 0, 0, 0, 0, 0}
#define PTHREAD_COND_INITIALIZER {0, 0, 0, 0, 0}
#define PTHREAD_RWLOCK_INITIALIZER {0, 0}
#define PTHREAD_ONCE_INIT {0, 0}

/* Threads. */
int pthread_create(pthread_t *__restrict thread, const pthread_attr_t *__restrict attr, void *(*start)(void *),
                   void *__restrict argument);
int pthread_detach(pthread_t thread);
int pthread_equal(pthread_t one, pthread_t other);
void pthread_exit(void *value) __attribute__((__noreturn__));
int pthread_join(pthread_t thread, void **value);
pthread_t pthread_self(void);

int pthread_attr_destroy(pthread_attr_t *attr);
int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state);
int pthread_attr_getguardsize(const pthread_attr_t *__restrict attr, size_t *__restrict size);
int pthread_attr_getinheritsched(const pthread_attr_t *__restrict attr, int *__restrict inherit);
int pthread_attr_getschedparam(const pthread_attr_t *__restrict attr, struct sched_param *__restrict param);
int pthread_attr_getschedpolicy(const pthread_attr_t *__restrict attr, int *__restrict policy);
int pthread_attr_getscope(const pthread_attr_t *__restrict attr, int *__restrict scope);
int pthread_attr_getstacksize(const pthread_attr_t *__restrict attr, size_t *__restrict size);
int pthread_attr_init(pthread_attr_t *attr);
int pthread_attr_setdetachstate(pthread_attr_t *attr, int state);
int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size);
int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit);
int pthread_attr_setschedparam(pthread_attr_t *__restrict attr, const struct sched_param *__restrict param);
int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy);
int pthread_attr_setscope(pthread_attr_t *attr, int scope);
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size);

int pthread_getschedparam(pthread_t thread, int *__restrict policy, struct sched_param *__restrict param);
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param);
int pthread_setschedprio(pthread_t thread, int priority);

/* Mutexes. */
int pthread_mutex_consistent(pthread_mutex_t *mutex);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_getprioceiling(const pthread_mutex_t *__restrict mutex, int *__restrict ceiling);
int pthread_mutex_init(pthread_mutex_t *__restrict mutex, const pthread_mutexattr_t *__restrict attr);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_setprioceiling(pthread_mutex_t *__restrict mutex, int ceiling, int *__restrict before);
int pthread_mutex_timedlock(pthread_mutex_t *__restrict mutex, const struct timespec *__restrict until);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr);
int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *__restrict attr, int *__restrict ceiling);
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *__restrict attr, int *__restrict protocol);
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *__restrict attr, int *__restrict shared);
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *__restrict attr, int *__restrict robust);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *__restrict attr, int *__restrict type);
int pthread_mutexattr_init(pthread_mutexattr_t *attr);
int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling);
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared);
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust);
int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type);

/* Condition variables. */
int pthread_cond_broadcast(pthread_cond_t *cond);
int pthread_cond_destroy(pthread_cond_t *cond);
int pthread_cond_init(pthread_cond_t *__restrict cond, const pthread_condattr_t *__restrict attr);
int pthread_cond_signal(pthread_cond_t *cond);
int pthread_cond_timedwait(pthread_cond_t *__restrict cond, pthread_mutex_t *__restrict mutex,
                           const struct timespec *__restrict until);
int pthread_cond_wait(pthread_cond_t *__restrict cond, pthread_mutex_t *__restrict mutex);

int pthread_condattr_destroy(pthread_condattr_t *attr);
int pthread_condattr_getclock(const pthread_condattr_t *__restrict attr, clockid_t *__restrict clock);
int pthread_condattr_getpshared(const pthread_condattr_t *__restrict attr, int *__restrict shared);
int pthread_condattr_init(pthread_condattr_t *attr);
int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock);
int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared);

/* Read-write locks. */
int pthread_rwlock_destroy(pthread_rwlock_t *lock);
int pthread_rwlock_init(pthread_rwlock_t *__restrict lock, const pthread_rwlockattr_t *__restrict attr);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *__restrict lock, const struct timespec *__restrict until);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *__restrict lock, const struct timespec *__restrict until);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int pthread_rwlock_unlock(pthread_rwlock_t *lock);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr);
int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *__restrict attr, int *__restrict shared);
int pthread_rwlockattr_init(pthread_rwlockattr_t *attr);
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared);

/* Spin locks, barriers, and what is done once. */
int pthread_spin_destroy(pthread_spinlock_t *lock);
int pthread_spin_init(pthread_spinlock_t *lock, int shared);
int pthread_spin_lock(pthread_spinlock_t *lock);
int pthread_spin_trylock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock);

int pthread_barrier_destroy(pthread_barrier_t *barrier);
int pthread_barrier_init(pthread_barrier_t *__restrict barrier, const pthread_barrierattr_t *__restrict attr,
                         unsigned count);
int pthread_barrier_wait(pthread_barrier_t *barrier);
int pthread_barrierattr_destroy(pthread_barrierattr_t *attr);
int pthread_barrierattr_getpshared(const pthread_barrierattr_t *__restrict attr, int *__restrict shared);
int pthread_barrierattr_init(pthread_barrierattr_t *attr);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared);

/* Data of which each thread has its own. */
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key);
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);

/* Cancellation. */
int pthread_cancel(pthread_t thread);
int pthread_setcancelstate(int state, int *before);
int pthread_setcanceltype(int type, int *before);
void pthread_testcancel(void);

/* What is to be done if the thread ends meanwhile. The members are the library's. */
struct __pthread_cleanup {
    void (*__routine)(void *);
    void *__argument;
    struct __pthread_cleanup *__next;
};
void __pthread_cleanup_push(struct __pthread_cleanup *cleanup);
void __pthread_cleanup_pop(struct __pthread_cleanup *cleanup, int execute);

/* These two stand in one block, as brackets do. */
#define pthread_cleanup_push(routine, argument)                                                                        \
    do {                                                                                                               \
        struct __pthread_cleanup __pthread_cleanup_here = {(routine), (argument), NULL};                               \
        __pthread_cleanup_push(&__pthread_cleanup_here)
#define pthread_cleanup_pop(execute)                                                                                   \
        __pthread_cleanup_pop(&__pthread_cleanup_here, (execute));                                                     \
    } while (0)

/* What is absent, which docs/src/posix.md says why. */
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int pthread_attr_getstack(const pthread_attr_t *__restrict attr, void **__restrict address, size_t *__restrict size);
int pthread_attr_setstack(pthread_attr_t *attr, void *address, size_t size);
int pthread_getcpuclockid(pthread_t thread, clockid_t *clock);

int pthread_once(pthread_once_t *once, void (*routine)(void));

#ifdef __cplusplus
}
#endif

#endif
