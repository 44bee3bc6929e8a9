/* Cooperative scheduling: five threads of one priority each let the next one run, and count their turns. */

#include <report.h>

static void take_turns(int id)
{
    volatile unsigned long *const counter = &tm_port_counters()[id];
    for (;;) {
        tm_thread_relinquish();
        ++*counter;
    }
}

static void thread_0(void)
{
    take_turns(0);
}

static void thread_1(void)
{
    take_turns(1);
}

static void thread_2(void)
{
    take_turns(2);
}

static void thread_3(void)
{
    take_turns(3);
}

static void thread_4(void)
{
    take_turns(4);
}

static void prepare(void)
{
    static void (*const entries[])(void) = {thread_0, thread_1, thread_2, thread_3, thread_4};
    for (int id = 0; id < 5; ++id)
        tm_thread_create(id, 3, entries[id]);
    for (int id = 0; id < 5; ++id)
        tm_thread_resume(id);
}

int main(void)
{
    static const struct report test = {.name = "cooperative", .counters = 5, .summed = 5};
    return report_main(&test, prepare);
}
