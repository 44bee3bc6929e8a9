/* What is to be done if a thread ends in the middle of something. */

#include "thread.h"

/* The calling thread's, the last one first. */
static _Thread_local struct __pthread_cleanup *cleanups;

void __pthread_cleanup_push(struct __pthread_cleanup *cleanup)
{
    cleanup->__next = cleanups;
    cleanups = cleanup;
}

void __pthread_cleanup_pop(struct __pthread_cleanup *cleanup, int execute)
{
    cleanups = cleanup->__next;
    if (execute)
        cleanup->__routine(cleanup->__argument);
}

void posix_clean_up(void)
{
    while (cleanups)
        __pthread_cleanup_pop(cleanups, 1);
}
