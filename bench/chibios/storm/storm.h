/* The interrupt storm: two sources interrupt at random times, at a rising rate, while threads pass on
 * what their handlers give them, by every primitive of ch.h. Nothing may be lost, or come out of order.
 *
 * The board is saturated when an interrupt comes before its source's last one was handled. */

#ifndef STORM_H
#define STORM_H

#include <ch.h>

struct storm {
    /* Set by the caller. */
    uint32_t interrupts; /* of both sources together, in a round */
    uint32_t rounds;     /* at most */
    uint64_t distance;   /* mean time between two interrupts in the first round, in nanoseconds */
    uint32_t (*counter)(void);
    /* Set by storm_run. */
    const char *wrong;    /* what was lost or out of order, or NULL */
    bool is_saturated;    /* whether the last round saturated the board */
    uint32_t sustained;   /* interrupts of the last round that did not */
    uint32_t counted;     /* what the counter counted in it */
    uint32_t total;       /* interrupts in all rounds */
};

/* Lets it storm, until the board is saturated or all rounds are over. To be called once, from a process
 * with the interrupts `software` and `spare`, the channels `software` and `spare`, seven spare threads,
 * and seven levels of priority above the caller's. */
void storm_run(struct storm *storm);

#endif
