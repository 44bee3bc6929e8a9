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
 * pthread_mutexattr_setprotocol refers to them. A program that does not may still meet one, in memory that it shares: who
 * calls them looks first.
 *
 * posix_ceiling_enter raises the caller to the ceiling, or says EINVAL if it is above that, EAGAIN if it has as many such
 * mutexes as a thread can; posix_ceiling_leave lowers it to what its other mutexes ask for. posix_ceiling_follow has it at the
 * ceiling that a mutex has by now; if that is refused, the caller has left. */
int posix_ceiling_enter(const pthread_mutex_t *mutex) __attribute__((weak));
int posix_ceiling_follow(const pthread_mutex_t *mutex) __attribute__((weak));
void posix_ceiling_leave(const pthread_mutex_t *mutex) __attribute__((weak));
/* As riposte_thread_set_priority and riposte_thread_schedule, of the priority that a thread has without ceilings. */
riposte_error_t posix_ceiling_set_priority(uint32_t thread, uint32_t priority) __attribute__((weak));
riposte_error_t posix_ceiling_schedule(uint32_t thread, uint32_t *priority, uint32_t *policy) __attribute__((weak));
/* Stores what a thread inherits from a caller that has a ceiling, which is not inherited. */
void posix_ceiling_inherit(uint32_t *priority, uint32_t *policy) __attribute__((weak));

#endif
