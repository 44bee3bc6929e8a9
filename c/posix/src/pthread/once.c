/* What is done once. */

#include <pthread.h>

#include "../posix.h"

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

int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    struct routine argument = {once, routine};
    return riposte_once_call((riposte_once_t *)(void *)once, call, &argument) == RIPOSTE_OK ? 0 : EDEADLK;
}
