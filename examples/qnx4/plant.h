/* What the programs of the plant say to each other. */

#ifndef PLANT_H
#define PLANT_H

#include <sys/types.h>

#define FURNACE "/plant/furnace"
#define OPERATOR "/plant/operator"

enum { HEAT, WATCH, OFF };

struct request {
    int type;
    int degrees;   /* of HEAT: how much hotter */
    pid_t proxy;   /* of WATCH: what to trigger when it is too hot */
};

struct reply {
    int is_on;
    int degrees;
};

#endif
