/* <dirent.h>: the entries of directories. */

#ifndef _DIRENT_H_
#define _DIRENT_H_

#include <sys/cdefs.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dirent {
    ino_t d_ino;
    char d_name[33];
};

typedef struct posix_directory DIR;

/* Opens a directory, to go through its entries. NULL: ENOENT, ENOTDIR, ENAMETOOLONG, EMFILE, EIO. Waits for its
 * server. */
DIR *opendir(const char *path);

/* The same of a descriptor, which is the directory's from then on. NULL: EBADF, ENOTDIR, EMFILE. */
DIR *fdopendir(int descriptor);

/* The next entry, until the next call for this directory; NULL at the end, where errno stays as it was, or if there is
 * an error: EBADF, EIO. `.` and `..` are no entries. */
struct dirent *readdir(DIR *directory);

/* As readdir, in `entry`; what it returns is the error, and *result is NULL at the end. */
int readdir_r(DIR *__restrict directory, struct dirent *__restrict entry, struct dirent **__restrict result);

/* The first entry comes again next. */
void rewinddir(DIR *directory);

/* Closes it, with its descriptor: EBADF. */
int closedir(DIR *directory);

/* Its descriptor. */
int dirfd(DIR *directory);

#ifdef __cplusplus
}
#endif

#endif
