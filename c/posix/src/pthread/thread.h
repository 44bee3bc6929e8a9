/* What threads do at their end. */

#ifndef RIPOSTE_POSIX_THREAD_H
#define RIPOSTE_POSIX_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "../posix.h"

/* Starts a spare thread of the library's own: its process does not wait for its end, and nobody joins it. It has the
 * caller's priority, or what the attributes say, which may be NULL; its id is stored. As pthread_create says why not. */
int posix_thread_start(const pthread_attr_t *attr, void *(*body)(void *), void *argument, uint32_t *id);

/* Attributes of one that sends signals: as urgent as the process may be, so that it comes before those that a signal is to
 * interrupt. */
static inline pthread_attr_t posix_signaller(void)
{
    return (pthread_attr_t){.__explicit = 1, .__policy = SCHED_FIFO,
                            .__priority = (uint8_t)sched_get_priority_max(SCHED_FIFO)};
}

/* Calls a function in such a thread as if it were the body of one that pthread_create has started. */
void posix_thread_call(void (*function)(union sigval), union sigval value);

/* Calls the destructors of the caller's keys; linked only if the program makes keys. */
void posix_at_thread_end(void) __attribute__((weak));

/* Calls the handlers that pthread_cleanup_push has set and nobody has taken away, the last one first; linked only with
 * that. */
void posix_clean_up(void) __attribute__((weak));

/* Whether to join a thread is to be tried again, which has failed so. */
bool posix_joins_again(pthread_t thread, riposte_error_t error);

/* Why a thread was not joined. */
int posix_join_failed(riposte_error_t error);

#endif
