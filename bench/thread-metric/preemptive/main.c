/* Preemptive scheduling: five threads of rising urgency. Each resumes the next one, which runs at once, and
 * suspends itself; the least urgent begins anew. A turn of the five is five counts. */

#include <report.h>

/* A turn of the thread `id`, which the next one interrupts. */
static inline void turn(int id, volatile unsigned long *counter)
{
    tm_thread_resume(id + 1);
    ++*counter;
}

static void thread_0(void)
{
    volatile unsigned long *const counter = &tm_port_counters()[0];
    for (;;)
        turn(0, counter);
}

static inline void take_turns(int id)
{
    volatile unsigned long *const counter = &tm_port_counters()[id];
    for (;;) {
        turn(id, counter);
        tm_thread_suspend(id);
    }
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
    volatile unsigned long *const counter = &tm_port_counters()[4];
    for (;;) {
        ++*counter;
        tm_thread_suspend(4);
    }
}

static void prepare(void)
{
    static void (*const entries[])(void) = {thread_0, thread_1, thread_2, thread_3, thread_4};
    for (int id = 0; id < 5; ++id)
        tm_thread_create(id, 10 - id, entries[id]);
    tm_thread_resume(0);
}

int main(void)
{
    static const struct report test = {
        .name = "preemptive", .counters = 5, .summed = 5, .together = 1};
    return report_main(&test, prepare);
}
