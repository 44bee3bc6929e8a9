#include "check.h"
#include "storm.h"

static uint32_t now(void)
{
    return chVTGetSystemTimeX();
}

void storms(void)
{
    static struct storm storm = {.interrupts = 16, .rounds = 5, .distance = 1000000, .counter = now};

    begin("in a storm of interrupts nothing is lost and nothing is out of order");
    storm_run(&storm);
    if (storm.wrong != NULL)
        complain(__FILE__, __LINE__, storm.wrong);
    CHECK(storm.sustained != 0 && storm.total >= storm.sustained);
    end();
}
