/* What threads do at their end. */

#ifndef RIPOSTE_POSIX_THREAD_H
#define RIPOSTE_POSIX_THREAD_H

#include <pthread.h>

#include "../posix.h"

/* Calls the destructors of the caller's keys; linked only if the program makes keys. */
void posix_at_thread_end(void) __attribute__((weak));

#endif
