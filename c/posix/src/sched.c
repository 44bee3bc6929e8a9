/* <sched.h>: who runs. */

#include <sched.h>

#include <riposte.h>

int sched_yield(void)
{
    riposte_yield();
    return 0;
}
