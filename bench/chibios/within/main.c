/* The publication's cases, with both threads in one process. */

#include "pin.h"
#include "stage.h"

static struct stage stage;

int main(void)
{
    chSysInit();
    pin_init(&stage.cleared);
    stage_init(&stage);
    for (size_t index = 0; index < CASES; index++) {
        /* It runs until it waits. */
        thread_t *high = chThdCreateStatic(stage.high, sizeof stage.high, NORMALPRIO + 1,
                                           high_cases[index], &stage);
        if (high == NULL)
            chSysHalt("no spare thread");
        low_cases[index](&stage, false);
        chThdWait(high);
    }
    return 0;
}
