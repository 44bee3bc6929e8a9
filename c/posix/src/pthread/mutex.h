/* What condition variables need of mutexes, and mutexes of ceilings. */

#ifndef RIPOSTE_POSIX_MUTEX_H
#define RIPOSTE_POSIX_MUTEX_H

#include <pthread.h>

#include "../posix.h"

/* Takes a mutex that is not free, or that more than the short way has to be done for. */
int posix_mutex_lock_until(pthread_mutex_t *mutex, riposte_deadline_t deadline);

/* Whether the caller has it. */
bool posix_mutex_is_own(pthread_mutex_t *mutex);

/* The ceilings of the mutexes that a thread holds. They are linked only if the program makes such mutexes:
 * pthread_mutexattr_setprotocol refers to them.
 *
 * posix_ceiling_enter raises the caller to the ceiling, or says EINVAL if it is above that; posix_ceiling_hold notes that
 * the mutex is the caller's now, posix_ceiling_release that it soon will not be; posix_ceiling_leave lowers the caller to
 * what its other mutexes ask for. */
int posix_ceiling_enter(pthread_mutex_t *mutex) __attribute__((weak));
void posix_ceiling_hold(pthread_mutex_t *mutex) __attribute__((weak));
void posix_ceiling_release(pthread_mutex_t *mutex) __attribute__((weak));
void posix_ceiling_leave(pthread_mutex_t *mutex) __attribute__((weak));
/* If the caller holds such mutexes: gives it another priority for when it no longer does, unless the kernel refuses it that,
 * and what the kernel says; tells that priority. False if it holds none. */
bool posix_ceiling_rebase(uint32_t priority, riposte_error_t *error) __attribute__((weak));
bool posix_ceiling_base(uint32_t *priority) __attribute__((weak));

#endif
