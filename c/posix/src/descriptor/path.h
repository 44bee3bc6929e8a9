/* From a path to the server that has what it leads to. */

#ifndef PATH_H
#define PATH_H

#include "protocol.h"
#include "table.h"

/* Longest path that is looked at, with the directory that it is relative to. */
#define LONGEST_PATH 255

enum posix_realm { REALM_ROOT, REALM_FILES, REALM_PIPES, REALM_CONSOLE, REALM_NULL };

struct posix_place {
    enum posix_realm realm;
    riposte_connection_t server;
    /* As that of a description. */
    uint8_t device;
    bool is_own_server;
    /* The name by which it was found, of so many bytes, if it is an own one. */
    const char *name;
    size_t name_length;
    /* What the server is to make of it, from its root on: it begins with a `/`. */
    const char *rest;
    char text[LONGEST_PATH + 1];
};

/* Finds the place. The error: ENOENT, ENAMETOOLONG, EIO if the server has ended. */
int posix_find(const char *path, struct posix_place *place);

/* The counterpart: gives up a connection that was only for this. */
void posix_leave(struct posix_place *place);

/* Whether one server has both, as far as can be told: by their connections of the manifest, or by one name. */
bool posix_is_same_server(const struct posix_place *one, const struct posix_place *other);

/* Sends the operation with the place's path behind it. */
ssize_t posix_ask_of(const struct posix_place *place, uint32_t operation, void *answer, size_t room);

/* The name of the n-th directory below the root that this process has; NULL behind the last one. */
const char *posix_top(size_t n);

/* What a place is. */
int posix_stat_of(const struct posix_place *place, struct stat *stat);

#endif
