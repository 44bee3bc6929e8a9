/* Threads whose function returns a number. */

#include <stdint.h>
#include <stdlib.h>

#include "threads.h"

struct beginning {
    thrd_start_t function;
    void *argument;
};

static void *begin(void *argument)
{
    const struct beginning it = *(struct beginning *)argument;
    free(argument);
    return (void *)(intptr_t)it.function(it.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    struct beginning *const it = malloc(sizeof *it);
    int error;
    if (!it)
        return thrd_nomem;
    *it = (struct beginning){function, argument};
    error = pthread_create(thread, NULL, begin, it);
    if (error)
        free(it);
    return posix_thrd_result(error);
}

void thrd_exit(int result)
{
    pthread_exit((void *)(intptr_t)result);
}

int thrd_join(thrd_t thread, int *result)
{
    void *value;
    const int error = pthread_join(thread, &value);
    if (!error && result)
        *result = (int)(intptr_t)value;
    return error ? thrd_error : thrd_success;
}

int thrd_detach(thrd_t thread)
{
    return pthread_detach(thread) ? thrd_error : thrd_success;
}

thrd_t thrd_current(void)
{
    return pthread_self();
}

int thrd_equal(thrd_t one, thrd_t other)
{
    return pthread_equal(one, other);
}
