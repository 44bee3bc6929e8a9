/* The queue in a region, and the other process that has it. */

#ifndef LETTERS_H
#define LETTERS_H

#include "shared.h"

#include <mqueue.h>

extern struct common *common;

/* Has the other process do something, and waits until it has. */
void order(enum order what);

/* Being told of messages at it. */
void letters_told(mqd_t queue);

/* What others leave there, or keep, who have it too. */
void letters_left(mqd_t queue);

#endif
