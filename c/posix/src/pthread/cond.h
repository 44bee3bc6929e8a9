/* What cancellation needs of condition variables. */

#ifndef RIPOSTE_POSIX_COND_H
#define RIPOSTE_POSIX_COND_H

#include <pthread.h>
#include <stdbool.h>

/* Waits until a moment of the condition variable's clock, or for ever (NULL). `has_turn`: the caller was woken, so that
 * nobody else is; where it was to be cancelled by then, another one was woken in its place. */
int posix_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until, bool *has_turn);

#endif
