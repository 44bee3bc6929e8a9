/* Shared memory objects that are made while programs run: the shared memory server's. */

#ifndef RIPOSTE_POSIX_OBJECT_H
#define RIPOSTE_POSIX_OBJECT_H

#include "../descriptor/table.h"

/* An object that this process has open or mapped. */
struct posix_object;

/* An open one. Linked with shm_open. */
extern const struct posix_operations posix_object __attribute__((weak));

/* Opens the object of this name, whose slash is gone: -ENOENT, -ENOSPC and more, of which each is in docs/src/posix.md. */
int posix_object_open(const char *name, int flags, struct posix_description *made);

/* Takes the name away. */
int posix_object_unlink(const char *name);

/* Maps the object, or finds it mapped: where it begins, and its bytes as somebody may map them. Linked with shm_open. */
int posix_object_map(const struct posix_description *open, bool writes, void **memory, size_t *length,
                     struct posix_object **object) __attribute__((weak));

/* The counterpart: what is mapped is gone with the last one. */
void posix_object_unmap(struct posix_object *object) __attribute__((weak));

#endif
