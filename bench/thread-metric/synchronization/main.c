/* Synchronization: one thread gets a semaphore and puts it back. */

#include <report.h>

static void getting_and_putting(void)
{
    volatile unsigned long *const counter = tm_port_counters();
    while (tm_semaphore_get(0) == TM_SUCCESS && tm_semaphore_put(0) == TM_SUCCESS)
        ++*counter;
    report_failure();
}

static void prepare(void)
{
    tm_thread_create(0, 10, getting_and_putting);
    tm_semaphore_create(0);
    tm_thread_resume(0);
}

int main(void)
{
    static const struct report test = {.name = "synchronization", .counters = 1, .summed = 1};
    return report_main(&test, prepare);
}
