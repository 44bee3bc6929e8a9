/* As the worker in Rust. */

#include <stdbool.h>
#include <stdio.h>

#include <riposte.h>

#define TIMES 30000

static bool broken;

static void holds(const char *name, bool it_holds)
{
    if (!it_holds)
        broken = true;
    printf(it_holds ? "@pass C: %s\n" : "@fail C: %s: it does not hold\n", name);
}

int main(void)
{
    static riposte_mutex_t mutex = RIPOSTE_MUTEX;
    unsigned not_taken = 0;
    unsigned not_given_up = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        not_taken += riposte_mutex_lock(&mutex) != RIPOSTE_OK;
        not_given_up += riposte_mutex_unlock(&mutex) != RIPOSTE_OK;
    }
    holds("a lock that nobody has is taken whatever interrupts", !not_taken);
    holds("and is given up", !not_given_up);
    riposte_mutex_lock(&mutex);
    holds("a lock that the thread itself has is refused",
          riposte_mutex_lock(&mutex) == RIPOSTE_ERROR_DEADLOCK);
    riposte_mutex_unlock(&mutex);
    holds("who does not have it cannot give it up",
          riposte_mutex_unlock(&mutex) == RIPOSTE_ERROR_NOT_PERMITTED);
    printf("@done\n");
    return (int)riposte_shutdown(broken);
}
