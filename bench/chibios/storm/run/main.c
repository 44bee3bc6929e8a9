/* The storm, until the board is saturated. */

#include <stdio.h>

#include "counter.h"
#include "storm.h"

static THD_WORKING_AREA(area, 0);

/* Keeps the processor busy: where an emulator's processor waits for interrupts, its time may jump a little
 * further than to the next one, now and then. */
static THD_FUNCTION(spins, unused)
{
    (void)unused;
    for (;;)
        ;
}

int main(void)
{
    static struct storm storm = {.interrupts = 96, .rounds = 40, .distance = 800000, .counter = counter_read};
    chSysInit();
    counter_init();
    chDbgAssert(chThdCreateStatic(area, sizeof area, NORMALPRIO - 1, spins, NULL) != NULL,
                "storm: no spare thread");
    storm_run(&storm);
    if (storm.wrong != NULL)
        printf("@fail storm: %s\n", storm.wrong);
    else if (!storm.is_saturated || storm.sustained == 0)
        printf("@fail storm: the board was not saturated\n");
    else
        printf("@result {\"case\":\"storm\",\"protected\":false,\"bytes\":0,\"iterations\":%lu,\"ticks\":%lu,"
               "\"method\":\"mean distance of interrupts of two sources, at the highest rate (of steps of a "
               "third) at which each was handled before its source's next; %lu interrupts at rising rates, none "
               "lost, none out of order\"}\n",
               (unsigned long)storm.sustained, (unsigned long)storm.counted, (unsigned long)storm.total);
    printf("@done\n");
    fflush(stdout);
    return (int)riposte_shutdown(0);
}
