/* Cancels threads wherever they can be cancelled. */

#include "check.h"
#include "thread.h"

#include <riposte.h>

volatile int cleaned, destroyed;
volatile char order[8];
volatile bool has_passed, has_come;

pthread_t start(int priority, void *(*body)(void *), void *argument)
{
    cleaned = destroyed = 0;
    has_passed = has_come = false;
    return thread_of(priority, body, argument);
}

void *finish(pthread_t thread)
{
    const struct timespec little = {0, 200000};
    void *value = NULL;
    for (int turn = 0; turn < 200 && pthread_kill(thread, 0) == 0; turn++)
        nanosleep(&little, NULL);
    if (pthread_kill(thread, 0) == 0)
        return (void *)(uintptr_t)pthread_self();
    CHECK(pthread_join(thread, &value) == 0);
    return value;
}

void clean(void *letter)
{
    const int at = cleaned + destroyed;
    cleaned++;
    if (at < 8)
        order[at] = *(const char *)letter;
}

int main(void)
{
    states();
    points();
    windows();
    statics();
    leftovers();
    puts("@done");
    return (int)riposte_shutdown(0);
}
