/* What threads and their registry have in common. */

#ifndef CH_REGISTERED_H
#define CH_REGISTERED_H

/* Stops the process if there is a thread at a working area. */
void ch_registry_check_free(const void *area);

void ch_registry_add(thread_t *thread);

/* Whether each thread knows the one before and the one behind it. */
bool ch_registry_is_in_order(void);

/* Takes out one that was not started. */
void ch_registry_remove(thread_t *thread);

/* Notes that a thread ends. Whether nobody refers to it: then it is in the registry no more. */
bool ch_registry_end(thread_t *thread);

void ch_registry_refer(thread_t *thread);

/* Takes a reference from a thread. Whether it has ended and that was the last: then it is in the registry no
 * more. */
bool ch_registry_release(thread_t *thread);

/* Starts a thread that is to begin as `fresh` says; NULL if it can't be. */
thread_t *ch_thread_create(void *area, size_t size, tprio_t priority, const thread_t *fresh);

/* Gives the working area of a thread back to where it is from. */
void ch_thread_give_back(thread_t *thread);

#endif
