/* The reporting thread that every test has: it lets the others run for a window, looks whether what was to
 * happen did, and prints a line for the benchmark. */

#ifndef REPORT_H
#define REPORT_H

#include <tm_api.h>
#include <tm_port.h>

/* Its id, beside at most five threads of a test. */
#define REPORT_THREAD 5

struct report {
    /* The benchmark's case. */
    const char *name;
    /* Counters that the test has, each of which must move in the window. */
    int counters;
    /* How many of them the counts are: the sum of the first ones. */
    int summed;
    /* Whether a counter that is further than 1 from another is a failure of the test: what was to happen
     * between the two did not. */
    int together;
};

/* Says that the calling thread found something wrong, and that there is no figure: it returns then. */
void report_failure(void);

/* Waits until it is this test's turn, then runs it. Does not return. */
int report_main(const struct report *test, void (*prepare)(void));

#endif
