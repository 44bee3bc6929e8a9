/* Pipes and FIFOs. */

#ifndef PIPES_H
#define PIPES_H

#include "path.h"

/* Opens an end of a FIFO. */
int posix_open_fifo(const struct posix_place *place, int flags, struct posix_description *made);

/* Opens the end of a pipe without a name, of that number, to be read or to be written. */
int posix_open_end(uint32_t pipe, int mode, struct posix_description *made);

/* A child is to open the pipe of this end, as this end is: until it has, or ends, that side has not ended. Of a pipe that
 * another process has made, nobody can say so. */
void posix_expect(const struct posix_description *open, uint32_t child);

/* How many bytes it holds: -ENOENT. */
int posix_look_at_fifo(const struct posix_place *place);

/* Removes one. */
int posix_remove_fifo(const struct posix_place *place);

#endif
