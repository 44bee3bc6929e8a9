#include "report.h"

#include <stdio.h>

#include <riposte.h>

#define MOST_COUNTERS 7
/* Behind them: how often something was found wrong. */
#define FAILURES MOST_COUNTERS

/* What the conductor is told. */
enum { TURN = 1, BEGIN = 2, END = 3 };

static const struct report *reported;
static void (*prepare_test)(void);

/* Tells the conductor, and returns what it answers. */
static uint32_t tell(uint32_t what)
{
    riposte_connection_t conductor;
    riposte_reply_t reply;
    if (riposte_connect("conductor", &conductor) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no connection `conductor`");
    if (riposte_send_words(conductor, &what, 1, &reply) != RIPOSTE_OK)
        riposte_panic("the conductor is gone");
    return reply.words[0];
}

void report_failure(void)
{
    ++tm_port_counters()[FAILURES];
}

static void read_counters(unsigned long *counters)
{
    for (int index = 0; index < reported->counters; ++index)
        counters[index] = tm_port_counters()[index];
}

/* Whether what was to happen in the window did. */
static int is_right(const unsigned long *counts)
{
    unsigned long least = counts[0], most = counts[0];
    for (int index = 1; index < reported->counters; ++index) {
        least = counts[index] < least ? counts[index] : least;
        most = counts[index] > most ? counts[index] : most;
    }
    if (tm_port_counters()[FAILURES] != 0) {
        printf("@fail %s: a call failed, or what came was wrong\n", reported->name);
        return 0;
    }
    if (least == 0) {
        printf("@fail %s: a thread did not run, or an interrupt did not come\n", reported->name);
        return 0;
    }
    if (reported->together && most - least > 1) {
        printf("@fail %s: between two counts of a thread, another had %lu to %lu\n", reported->name,
               least, most);
        return 0;
    }
    return 1;
}

static void print_result(const unsigned long *counts, uint32_t ticks)
{
    uint32_t is_apart = 0;
    unsigned long total = 0;
    for (int index = 0; index < reported->summed; ++index)
        total += counts[index];
    riposte_setting("apart", &is_apart);
    printf("@result {\"case\":\"%s\",\"protected\":%s,\"iterations\":%lu,\"ticks\":%lu,\"counters\":[",
           reported->name, is_apart ? "true" : "false", total, (unsigned long)ticks);
    for (int index = 0; index < reported->counters; ++index)
        printf("%s%lu", index > 0 ? "," : "", counts[index]);
    printf("]}\n");
}

/* The window begins when every thread has run for a while. */
static void reporting(void)
{
    unsigned long before[MOST_COUNTERS], counts[MOST_COUNTERS];
    tm_thread_sleep(1);
    read_counters(before);
    tell(BEGIN);
    tm_thread_sleep(TM_TEST_DURATION);
    const uint32_t ticks = tell(END);
    read_counters(counts);
    for (int index = 0; index < reported->counters; ++index)
        counts[index] -= before[index];
    if (is_right(counts))
        print_result(counts, ticks);
    fflush(stdout);
    riposte_exit(0);
}

static void prepare(void)
{
    prepare_test();
    if (tm_thread_create(REPORT_THREAD, 2, reporting) != TM_SUCCESS
        || tm_thread_resume(REPORT_THREAD) != TM_SUCCESS)
        riposte_panic("no reporting thread");
}

int report_main(const struct report *test, void (*test_prepare)(void))
{
    riposte_connection_t conductor;
    reported = test;
    prepare_test = test_prepare;
    /* A process that has a thread of the test alone has no word in this. */
    if (riposte_connect("conductor", &conductor) == RIPOSTE_OK)
        tell(TURN);
    tm_initialize(prepare);
    return 0;
}
