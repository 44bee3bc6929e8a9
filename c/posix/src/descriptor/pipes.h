/* Pipes and FIFOs. */

#ifndef PIPES_H
#define PIPES_H

#include "path.h"

/* Opens an end of a FIFO. */
int posix_open_fifo(const struct posix_place *place, int flags, struct posix_description *made);

/* Removes one. */
int posix_remove_fifo(const struct posix_place *place);

#endif
