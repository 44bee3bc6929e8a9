/* What camera and screen have in common. */

#ifndef FRAME_H
#define FRAME_H

#include <stdint.h>

#define NAME "/frame"

/* A frame, whose pixels are behind this. */
struct frame {
    uint32_t number;
    uint16_t width, height;
};

#endif
