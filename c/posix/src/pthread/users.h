/* Those who are inside of a process's own object that may be freed as soon as it is destroyed, though they were let go and have not
 * run since. The last thing that each does to the object is to leave it. */

#ifndef RIPOSTE_POSIX_USERS_H
#define RIPOSTE_POSIX_USERS_H

#include "../posix.h"

/* In the word that counts them: somebody waits until they have left. */
#define USERS_AWAITED (UINT32_C(1) << 31)

static inline void posix_users_leave(uint32_t *users, uint32_t *left)
{
    /* The unit is given in one step: who takes it may free the object at once. */
    if (riposte_word_add(users, UINT32_MAX) == (USERS_AWAITED | 1))
        riposte_semaphore_give((riposte_semaphore_t *)(void *)left);
}

/* Waits until all have left. Nobody is to come. */
static inline void posix_users_await(uint32_t *users, uint32_t *left)
{
    if ((riposte_word_or(users, USERS_AWAITED) & ~USERS_AWAITED) != 0)
        while (riposte_semaphore_take((riposte_semaphore_t *)(void *)left) != RIPOSTE_OK)
            ;
}

#endif
