/* What shared memory objects and mappings have in common. */

#ifndef RIPOSTE_POSIX_MMAN_H
#define RIPOSTE_POSIX_MMAN_H

#include "../descriptor/table.h"

/* A region of the manifest. Linked with shm_open. */
extern const struct posix_operations posix_shared __attribute__((weak));

/* Where the region lies that this stands for, how long it is, and whether it may be written; false if the process has it no
 * more. Linked with shm_open. */
bool posix_shared_at(const struct posix_description *open, void **memory, size_t *length, bool *is_writable)
    __attribute__((weak));

#endif
