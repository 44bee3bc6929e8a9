/* Pipes and FIFOs. */

#ifndef PIPES_H
#define PIPES_H

#include "path.h"

/* Opens an end of a FIFO. */
int posix_open_fifo(const struct posix_place *place, int flags, struct posix_description *made);

/* Opens the end of a pipe without a name, of that number, to be read or to be written. */
int posix_open_end(uint32_t pipe, int mode, struct posix_description *made);

/* Somebody else is to open the pipe of that number, to be read or to be written, and until then that side has not
 * ended; or is no more. */
int posix_expect(uint32_t pipe, int mode, bool is_to_come);

/* How many bytes it holds: -ENOENT. */
int posix_look_at_fifo(const struct posix_place *place);

/* Removes one. */
int posix_remove_fifo(const struct posix_place *place);

#endif
