/* Descriptors and what they stand for. Functions here return what POSIX's do, or an error as a negative number of
 * <errno.h>. */

#ifndef TABLE_H
#define TABLE_H

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <riposte.h>
#include <riposte/descriptors.h>

struct dirent;
struct statvfs;

/* What a thread waits for at one of a server's: POLLIN and POLLOUT, at what the server calls `number`. */
struct posix_watched {
    uint32_t number;
    uint32_t events;
};

/* Most that can be watched at once. */
#define MOST_WATCHED 16

/* What can be done with something that is open. */
struct posix_operations {
    /* S_IF of <sys/stat.h>. Of files and directories, which one tells only the server: 0. */
    mode_t kind;
    ssize_t (*read)(struct posix_description *open, void *buffer, size_t length);
    ssize_t (*write)(struct posix_description *open, const void *bytes, size_t length);
    /* NULL, and those below: ESPIPE or EINVAL, as each call has it. */
    ssize_t (*read_at)(struct posix_description *open, void *buffer, size_t length, off_t offset);
    ssize_t (*write_at)(struct posix_description *open, const void *bytes, size_t length, off_t offset);
    off_t (*seek)(struct posix_description *open, off_t offset, int whence);
    int (*stat)(struct posix_description *open, struct stat *stat);
    int (*truncate)(struct posix_description *open, off_t size);
    int (*sync)(struct posix_description *open);
    /* How much there is of what it lies on, and left. */
    int (*space)(struct posix_description *open, struct statvfs *space);
    /* Which of POLLIN and POLLOUT there is now, POLLERR, POLLHUP and POLLNVAL among them. NULL: always both. */
    int (*ready)(struct posix_description *open);
    /* Waits until one of these of the same server's may be ready: -EAGAIN at the deadline, or if too many threads wait.
     * NULL: it is never waited for. */
    int (*watch)(riposte_connection_t server, const struct posix_watched *all, size_t count,
                 riposte_deadline_t deadline);
    /* The next entry of a directory: 1, 0 at the end. */
    int (*list)(struct posix_description *open, struct dirent *entry);
    /* Nobody uses it any more. */
    int (*close)(struct posix_description *open);
};

extern const struct posix_operations posix_file, posix_pipe_end, posix_console, posix_null, posix_root;

/* Waits until a line of the console can be read: -EAGAIN at the deadline, -EINTR, -EIO. */
int posix_console_wait(riposte_deadline_t deadline);

/* What a call of the kernel's says, as POSIX has it. */
int posix_error_of(riposte_error_t error);

/* Sets errno if a result is an error. */
ssize_t posix_result(ssize_t result);

/* open, close, read and write, for what is itself no cancellation point: in a program that cancels threads the linker has
 * those in the places of all that are called so, the library's own calls among them. */
int posix_open(const char *path, int flags);
int posix_close(int descriptor);
ssize_t posix_read(int descriptor, void *buffer, size_t length);
ssize_t posix_write(int descriptor, const void *bytes, size_t length);

/* As posix_result, of a write: where nobody reads any more, SIGPIPE says so first. */
ssize_t posix_written(ssize_t result);

/* Takes the lock of all that is here, and masks all signals meanwhile. */
bool posix_table_lock(void);
void posix_table_unlock(void);

/* Finds what a descriptor stands for, and keeps it open until posix_done: -EBADF. */
int posix_use(int descriptor, struct posix_description **open);

/* The counterpart. Closes what nobody uses any more, and returns what came of that. */
int posix_done(struct posix_description *open);

/* Sets a description aside, and the lowest free descriptor from `from` on, which cannot be used yet: -EMFILE. */
int posix_reserve(int from, uint8_t flags, struct posix_description **open);

/* The description that was set aside is what `made` says. */
void posix_open_as(struct posix_description *open, const struct posix_description *made);

/* It could not be opened. */
void posix_give_up(int descriptor, struct posix_description *open);

/* The lowest free descriptor from `from` on for what is in use: -EINVAL, -EMFILE. */
int posix_duplicate(struct posix_description *open, int from, uint8_t flags);

#endif
