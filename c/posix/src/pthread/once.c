/* What is done once. */

#include <pthread.h>

#include "../posix.h"

_Static_assert(sizeof(pthread_once_t) == sizeof(riposte_once_t), "the same words");

struct routine {
    void (*routine)(void);
};

static void call(void *argument)
{
    ((struct routine *)argument)->routine();
}

int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    struct routine argument = {routine};
    return riposte_once_call((riposte_once_t *)(void *)once, call, &argument) == RIPOSTE_OK ? 0 : EDEADLK;
}
