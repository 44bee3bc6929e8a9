/* The processor time that a program has used. The kernel counts none, and this is the time that passes, which is no less. */

#include <time.h>

#include <riposte.h>

clock_t clock(void)
{
    return (clock_t)(riposte_clock() / (1000000000 / CLOCKS_PER_SEC));
}
