/* The interface of a lamp: what its server and its users share. */

#ifndef LAMP_H
#define LAMP_H

#include <cmrx.h>

struct LampInterface {
    int (*set)(INSTANCE(lamp), uint32_t brightness);
    int (*get)(INSTANCE(lamp));
};

/* Of a lamp, its users know no more than how it is called. */
struct Lamp {
    const struct LampInterface *vtable;
    uint32_t brightness;
};

#endif
