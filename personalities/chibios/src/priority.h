/* Priorities, which the program counts from NORMALPRIO, and the kernel from 1. */

#ifndef CH_PRIORITY_H
#define CH_PRIORITY_H

/* The calling thread's priority is NORMALPRIO. */
void ch_priority_init(void);

/* Starts a thread of the highest priority that the process may use; NULL if there is no spare thread. */
thread_t *ch_thread_create_highest(void *area, tfunc_t function);

#endif
