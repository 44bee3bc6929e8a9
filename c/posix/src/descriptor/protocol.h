/* The requests of servers of files, as servers/files/client/src/protocol.rs has them. Their statuses are errno's. */

#ifndef PROTOCOL_H
#define PROTOCOL_H

#define FILES_PATH 128
#define FILES_NAME 32
#define FILES_LARGEST 16384
#define FILES_STAT 16
#define FILES_SHIFT 8

enum { FILES_OPEN, FILES_CLOSE, FILES_READ, FILES_WRITE, FILES_SEEK, FILES_GET_STAT, FILES_SYNC, FILES_TRUNCATE,
       FILES_LIST, FILES_DUPLICATE, FILES_STAT_PATH, FILES_MAKE_DIRECTORY, FILES_REMOVE, FILES_RENAME, FILES_SPACE,
       FILES_MAKE_FIFO };

/* With a read or a write: at once or not at all. Nothing waits of files. */
#define FILES_TRY (1 << 8)
/* With a read or a write: from a position on that the request says. */
#define FILES_AT (1 << 9)
/* With a write: from the end on. */
#define FILES_AT_END (1 << 10)
/* With a seek: to no position that an off_t can't tell. */
#define FILES_SMALL (4 << FILES_SHIFT)

enum { FILES_OPTION_READ = 1, FILES_OPTION_WRITE = 2, FILES_OPTION_CREATE = 4, FILES_OPTION_EXCLUSIVE = 8,
       FILES_OPTION_TRUNCATE = 16, FILES_OPTION_APPEND = 32 };

enum { FILES_KIND_FILE = 1, FILES_KIND_DIRECTORY = 2, FILES_KIND_PIPE = 3, FILES_KIND_CONSOLE = 4,
       FILES_KIND_REMOVED = 1 << 8 };

/* The server has no such operation (ENOSYS). */
#define FILES_NOT_SUPPORTED 88

#endif
