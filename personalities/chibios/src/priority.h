/* Priorities, which the program counts from NORMALPRIO, and the kernel from 1. */

#ifndef CH_PRIORITY_H
#define CH_PRIORITY_H

/* The calling thread's priority is NORMALPRIO. */
void ch_priority_init(void);

/* Starts a thread of the highest priority that the process may use; NULL if there is no spare thread. */
thread_t *ch_thread_create_highest(void *area, tfunc_t function);

/* Gives the calling thread the highest priority that the process may use; the kernel's priority that it had. */
uint32_t ch_priority_raise(void);

/* Gives it that again: who was woken meanwhile and is more urgent runs, the most urgent one first. */
void ch_priority_restore(uint32_t before);

#endif
