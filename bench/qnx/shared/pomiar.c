#include "pomiar.h"

#include <measure.h>

static struct meter meter;

void pomiar_init(void)
{
    meter = measure_start();
}

clock_t times(struct tms *tms)
{
    (void)tms;
    return (clock_t)(uint32_t)~measure_left(meter);
}

void pomiar_begin(void)
{
    measure_begin(meter);
}

void pomiar_end(void)
{
    measure_end(meter);
}

clock_t pomiar_loop(unsigned licznik)
{
    struct tms tms;
    clock_t start, stop;
    start = times(&tms);
    while (licznik--)
        __asm__ volatile("" : "+r"(licznik));
    stop = times(&tms);
    return stop - start;
}

void pomiar_series(const char *name, bool is_protected, unsigned bytes, unsigned iterations, unsigned operations,
                   clock_t measured, clock_t loop)
{
    char of_size[40];
    snprintf(of_size, sizeof of_size, "%s-%uB", name, bytes);
    pomiar_result(of_size, is_protected, bytes, iterations, operations, measured, loop);
}

void pomiar_result(const char *name, bool is_protected, unsigned bytes, unsigned iterations, unsigned operations,
                   clock_t measured, clock_t loop)
{
    if ((uint32_t)measured <= (uint32_t)loop) {
        printf("@fail %s: measured nothing\n", name);
        return;
    }
    printf("@result {\"case\":\"%s\",\"protected\":%s,\"bytes\":%u,\"iterations\":%u,\"operations\":%u,"
           "\"ticks\":%lu,\"loop_ticks\":%lu}\n",
           name, is_protected ? "true" : "false", bytes, iterations, operations, (unsigned long)measured,
           (unsigned long)loop);
}
