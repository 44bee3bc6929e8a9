/* Basic processing: one thread counts, and nothing else happens. What the other tests are made of. */

#include <report.h>

static void counting(void)
{
    volatile unsigned long *const counter = tm_port_counters();
    for (;;)
        ++*counter;
}

static void prepare(void)
{
    tm_thread_create(0, 10, counting);
    tm_thread_resume(0);
}

int main(void)
{
    static const struct report test = {.name = "basic", .counters = 1, .summed = 1};
    return report_main(&test, prepare);
}
