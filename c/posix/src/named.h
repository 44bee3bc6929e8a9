/* What has a name: the region of the manifest of that name, in which it lies for all processes that have it, or an object
 * of the process's own. */

#ifndef RIPOSTE_POSIX_NAMED_H
#define RIPOSTE_POSIX_NAMED_H

#include <stdbool.h>
#include <stddef.h>

/* Most bytes of a name, without the slash that it begins with. */
#define POSIX_NAME_LENGTH 31

/* The name without its slash; NULL, and errno says why, if it is none. */
const char *posix_name(const char *name);

/* The region of this name, if the process has it, may write it, and it has at least so many bytes; else NULL. `length`,
 * which may be NULL, is how many it has. */
void *posix_region(const char *name, size_t least, size_t *length);

#endif
