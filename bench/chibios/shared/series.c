#include "series.h"

#include <stdio.h>

#include "pin.h"

void series_begin(struct series *series, const char *name, bool is_protected)
{
    *series = (struct series){
        .name = name, .is_protected = is_protected, .empty = UINT32_MAX, .shortest = UINT32_MAX};
    for (uint32_t pulse = 0; pulse < EMPTY; pulse++) {
        uint32_t counted;
        pin_set();
        pin_clear();
        counted = pin_counted();
        /* The first one may find its caches cold; the operations that count do not. */
        if (counted < series->empty)
            series->empty = counted;
    }
}

void series_note(struct series *series, uint32_t turn)
{
    const uint32_t counted = pin_counted();
    const uint32_t net = counted - series->empty;
    if (turn < WARM_UP)
        return;
    series->counted += counted;
    if (net < series->shortest)
        series->shortest = net;
    if (net > series->longest)
        series->longest = net;
    if (turn == WARM_UP)
        series->counted = counted;
}

void series_end(const struct series *series)
{
    const char *is_protected = series->is_protected ? "true" : "false";
    if (pin_is_shown()) {
        printf("@pulses {\"case\":\"%s\",\"protected\":%s,\"bytes\":0,\"empty\":%d,\"warm_up\":%d,"
               "\"operations\":%d}\n",
               series->name, is_protected, EMPTY, WARM_UP, ITERATIONS);
        return;
    }
    if (series->shortest == 0 || series->longest > series->counted) {
        printf("@fail %s: measured nothing\n", series->name);
        return;
    }
    printf("@result {\"case\":\"%s\",\"protected\":%s,\"bytes\":0,\"iterations\":%d,\"ticks\":%lu,"
           "\"loop_ticks\":%lu,\"min_ticks\":%lu,\"max_ticks\":%lu,\"method\":\"instructions counted "
           "where the pin would be set and cleared, those of an empty pulse subtracted: a count, no "
           "time\"}\n",
           series->name, is_protected, ITERATIONS, (unsigned long)series->counted,
           (unsigned long)series->empty * ITERATIONS, (unsigned long)series->shortest,
           (unsigned long)series->longest);
}
