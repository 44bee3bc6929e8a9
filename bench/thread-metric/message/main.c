/* Message processing: one thread sends itself four words through a queue, and looks whether they came. */

#include <report.h>

static void sending_and_receiving(void)
{
    volatile unsigned long *const counter = tm_port_counters();
    unsigned long sent[4] = {0x11112222, 0, 0, 0x33334444};
    unsigned long received[4];
    for (;;) {
        ++sent[3];
        if (tm_queue_send(0, sent) != TM_SUCCESS || tm_queue_receive(0, received) != TM_SUCCESS
            || received[3] != sent[3])
            break;
        ++*counter;
    }
    report_failure();
}

static void prepare(void)
{
    tm_thread_create(0, 10, sending_and_receiving);
    tm_queue_create(0);
    tm_thread_resume(0);
}

int main(void)
{
    static const struct report test = {.name = "message", .counters = 1, .summed = 1};
    return report_main(&test, prepare);
}
