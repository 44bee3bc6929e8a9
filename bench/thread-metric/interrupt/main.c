/* Interrupt processing: a thread raises an interrupt, whose handler puts the semaphore that the thread then
 * gets. A count is one interrupt. */

#include <report.h>

enum { THREAD = 0, HANDLER = 1 };

void tm_interrupt_handler(void)
{
    ++tm_port_counters()[HANDLER];
    tm_semaphore_put(0);
}

static void interrupting(void)
{
    volatile unsigned long *const counters = tm_port_counters();
    /* It has one unit to begin with. */
    tm_semaphore_get(0);
    for (;;) {
        const unsigned long handled = counters[HANDLER];
        TM_CAUSE_INTERRUPT
        if (counters[HANDLER] != handled + 1 || tm_semaphore_get(0) != TM_SUCCESS)
            break;
        ++counters[THREAD];
    }
    report_failure();
}

static void prepare(void)
{
    tm_thread_create(0, 10, interrupting);
    tm_semaphore_create(0);
    tm_thread_resume(0);
}

int main(void)
{
    static const struct report test = {
        .name = "interrupt", .counters = 2, .summed = 1, .together = 1};
    return report_main(&test, prepare);
}
