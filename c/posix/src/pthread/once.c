/* What is done once. */

#include <pthread.h>

#include "../posix.h"
#include "circle.h"

_Static_assert(sizeof(pthread_once_t) == sizeof(riposte_once_t), "the same words");

struct routine {
    pthread_once_t *once;
    void (*routine)(void);
};

/* Whoever is cancelled in the routine has not called it: the next one does. */
static void give_up(void *once)
{
    riposte_mutex_unlock((riposte_mutex_t *)(void *)&((pthread_once_t *)once)->__lock);
}

static void call(void *argument)
{
    const struct routine *const it = argument;
    pthread_cleanup_push(give_up, it->once);
    it->routine();
    pthread_cleanup_pop(0);
}

/* Whether the kernel has refused the caller a circle that ends: whoever calls the routine waits for it until a moment. */
static COLD bool waits_on(riposte_once_t *once, riposte_error_t error)
{
    return error == RIPOSTE_ERROR_DEADLOCK && !riposte_private_mutex_is_own(&once->lock)
        && posix_is_to_try_again(riposte_word_load(&once->lock.word) & RIPOSTE_LOCK_OWNER_MASK, RIPOSTE_FOREVER);
}

int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    riposte_once_t *const it = (riposte_once_t *)(void *)once;
    struct routine argument = {once, routine};
    riposte_error_t error;
    while (!LIKELY((error = riposte_once_call(it, call, &argument)) == RIPOSTE_OK))
        if (!waits_on(it, error))
            return EDEADLK;
    return 0;
}
