/* Interrupt preemption: a thread raises an interrupt, whose handler resumes a more urgent thread, which
 * counts and suspends itself before the first one goes on. A count is one interrupt. */

#include <report.h>

enum { URGENT = 0, THREAD = 1, HANDLER = 2 };

void tm_interrupt_preemption_handler(void)
{
    ++tm_port_counters()[HANDLER];
    tm_thread_resume(URGENT);
}

static void urgent(void)
{
    volatile unsigned long *const counters = tm_port_counters();
    for (;;) {
        ++counters[URGENT];
        tm_thread_suspend(URGENT);
    }
}

static void interrupting(void)
{
    volatile unsigned long *const counters = tm_port_counters();
    for (;;) {
        const unsigned long preempted = counters[URGENT];
        TM_CAUSE_INTERRUPT
        if (counters[URGENT] != preempted + 1)
            break;
        ++counters[THREAD];
    }
    report_failure();
}

static void prepare(void)
{
    tm_thread_create(THREAD, 10, interrupting);
    tm_thread_create(URGENT, 9, urgent);
    tm_thread_resume(THREAD);
}

int main(void)
{
    static const struct report test = {
        .name = "interrupt-preemption", .counters = 3, .summed = 1, .together = 1};
    return report_main(&test, prepare);
}
