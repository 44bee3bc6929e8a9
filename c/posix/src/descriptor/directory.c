/* Directories. */

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "path.h"

/* Directories that a program can go through at once. */
#define DIRECTORIES 8

struct posix_directory {
    /* One more than its descriptor; 0 of one that is free. */
    int descriptor;
    struct dirent entry;
};

static struct posix_directory directories[DIRECTORIES];

static DIR *take(int descriptor)
{
    DIR *found = NULL;
    if (!posix_table_lock())
        return NULL;
    for (DIR *it = directories; it < directories + DIRECTORIES && !found; it++)
        if (!it->descriptor) {
            it->descriptor = descriptor + 1;
            found = it;
        }
    posix_table_unlock();
    if (!found)
        errno = EMFILE;
    return found;
}

DIR *fdopendir(int descriptor)
{
    struct stat is;
    if (fstat(descriptor, &is))
        return NULL;
    if (!S_ISDIR(is.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    return take(descriptor);
}

DIR *opendir(const char *path)
{
    const int descriptor = posix_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory;
    if (descriptor < 0)
        return NULL;
    directory = take(descriptor);
    if (!directory) {
        posix_close(descriptor);
        errno = EMFILE;
    }
    return directory;
}

/* 1: an entry, 0: the end, or an error. */
static int next(const DIR *directory, struct dirent *entry)
{
    struct posix_description *open;
    int found = posix_use(directory->descriptor - 1, &open);
    if (found)
        return found;
    found = open->operations->list ? open->operations->list(open, entry) : -EBADF;
    posix_done(open);
    return found;
}

struct dirent *readdir(DIR *directory)
{
    const int found = next(directory, &directory->entry);
    if (found < 0)
        errno = -found;
    return found > 0 ? &directory->entry : NULL;
}

int readdir_r(DIR *__restrict directory, struct dirent *__restrict entry, struct dirent **__restrict result)
{
    const int found = next(directory, entry);
    *result = found > 0 ? entry : NULL;
    return found < 0 ? -found : 0;
}

void rewinddir(DIR *directory)
{
    const int before = errno;
    lseek(directory->descriptor - 1, 0, SEEK_SET);
    errno = before;
}

int closedir(DIR *directory)
{
    const int descriptor = directory->descriptor - 1;
    directory->descriptor = 0;
    return posix_close(descriptor);
}

int dirfd(DIR *directory)
{
    return directory->descriptor - 1;
}
