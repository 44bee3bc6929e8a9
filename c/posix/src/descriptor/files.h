/* Servers of files. */

#ifndef FILES_H
#define FILES_H

#include "table.h"

/* Sends a request and waits for its answer, at most `room` bytes; how many they are, or why not. */
ssize_t posix_ask(riposte_connection_t server, const void *request, size_t length, void *answer, size_t room);

/* Opens a file of the server `files`, by its path there: to be read, or to be written at its end. */
int posix_open_plain(const char *path, int mode, struct posix_description *made);

/* How much there is of the files of a server, and left. */
int posix_space_of(riposte_connection_t server, uint8_t device, struct statvfs *space);

/* What the four words of an answer say. */
void posix_fill_stat(struct stat *stat, const uint32_t words[4], uint8_t device);

#endif
