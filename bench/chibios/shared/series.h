/* The switches of one case, and the line that tells the host of them. */

#ifndef SERIES_H
#define SERIES_H

#include <riposte.h>

/* Pulses with nothing in them: what setting and clearing the pin takes. */
#define EMPTY 8
/* Switches before those that count. */
#define WARM_UP 8
/* Switches that count. */
#define ITERATIONS 256
#define TURNS (WARM_UP + ITERATIONS)

struct series {
    const char *name;
    bool is_protected;
    uint32_t empty; /* what the longest empty pulse took */
    uint32_t counted;
    uint32_t shortest, longest;
};

/* Begins a series with the empty pulses.
 *
 * @param name Its case.
 * @param is_protected Whether the two threads are of two processes. */
void series_begin(struct series *series, const char *name, bool is_protected);

/* Notes a switch, by its number from 0. */
void series_note(struct series *series, uint32_t turn);

/* Prints the line. */
void series_end(const struct series *series);

#endif
