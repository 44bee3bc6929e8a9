/* Pipes and FIFOs. */

#ifndef PIPES_H
#define PIPES_H

#include "path.h"

/* Opens an end of a FIFO. */
int posix_open_fifo(const struct posix_place *place, int flags, struct posix_description *made);

/* How many bytes it holds: -ENOENT. */
int posix_look_at_fifo(const struct posix_place *place);

/* Most ends that can be watched at once. */
#define MOST_WATCHED 16

/* Waits until one of these ends of one server's is ready: -EAGAIN at the deadline or if too many threads wait. */
int posix_watch(riposte_connection_t server, const uint32_t *ends, size_t count, riposte_deadline_t deadline);

/* Removes one. */
int posix_remove_fifo(const struct posix_place *place);

#endif
