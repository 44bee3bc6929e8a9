/* Memory allocation: one thread allocates a block of 128 bytes and gives it back. */

#include <report.h>

static void allocating_and_releasing(void)
{
    volatile unsigned long *const counter = tm_port_counters();
    unsigned char *block;
    while (tm_memory_pool_allocate(0, &block) == TM_SUCCESS
           && tm_memory_pool_deallocate(0, block) == TM_SUCCESS)
        ++*counter;
    report_failure();
}

static void prepare(void)
{
    tm_thread_create(0, 10, allocating_and_releasing);
    tm_memory_pool_create(0);
    tm_thread_resume(0);
}

int main(void)
{
    static const struct report test = {.name = "memory", .counters = 1, .summed = 1};
    return report_main(&test, prepare);
}
