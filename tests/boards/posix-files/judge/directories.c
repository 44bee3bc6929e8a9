/* opendir, fdopendir, readdir, readdir_r, rewinddir, closedir. */

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int entries(DIR *directory, unsigned *seen)
{
    struct dirent *entry;
    int count = 0;
    *seen = 0;
    errno = 0;
    while ((entry = readdir(directory)) != NULL) {
        count++;
        if (strlen(entry->d_name) == 1 && entry->d_name[0] >= 'a')
            *seen |= 1u << (entry->d_name[0] - 'a');
    }
    return errno ? -1 : count;
}

void directories(void)
{
    static DIR *many[30];
    unsigned seen;
    struct dirent entry, *next;
    CHECK(mkdir("dir", 0700) == 0 && mkdir("dir/a", 0700) == 0 && mkdir("dir/b", 0700) == 0);
    begin("opendir, readdir: each entry once; the end leaves errno as it was");
    DIR *const directory = opendir("dir");
    CHECK(directory && entries(directory, &seen) == 2 && seen == 3);
    CHECK(!readdir(directory) && !errno);
    end();
    begin("rewinddir: from the beginning, with what is there now");
    CHECK(mkdir("dir/c", 0700) == 0);
    rewinddir(directory);
    CHECK(entries(directory, &seen) == 3 && seen == 7);
    end();
    begin("readdir_r: into the caller's entry; NULL at the end");
    rewinddir(directory);
    CHECK(readdir_r(directory, &entry, &next) == 0 && next == &entry && strlen(entry.d_name) == 1);
    while (next)
        CHECK(readdir_r(directory, &entry, &next) == 0);
    end();
    begin("closedir: with its descriptor; opendir ENOENT, ENOTDIR, EMFILE");
    const int descriptor = dirfd(directory);
    struct stat is;
    CHECK(fstat(descriptor, &is) == 0 && fcntl(descriptor, F_GETFD) == FD_CLOEXEC);
    CHECK(closedir(directory) == 0 && FAILS(fstat(descriptor, &is), EBADF));
    CHECK(IS_NULL(opendir("absent"), ENOENT) && IS_NULL(opendir(""), ENOENT));
    CHECK(close(open("dir/file", O_CREAT | O_WRONLY, 0600)) == 0 && IS_NULL(opendir("dir/file"), ENOTDIR));
    int count = 0;
    while (count < 30 && (many[count] = opendir("dir")) != NULL)
        count++;
    CHECK(count == 8 && errno == EMFILE);
    while (count--)
        CHECK(closedir(many[count]) == 0);
    end();
    begin("fdopendir: EBADF, ENOTDIR");
    const int file = open("dir/file", O_RDONLY);
    CHECK(IS_NULL(fdopendir(15), EBADF) && IS_NULL(fdopendir(file), ENOTDIR) && close(file) == 0);
    end();
    begin("opendir of the root: what the manifest gives this process");
    DIR *const root = opendir("/");
    static const char *const names[] = {"ram", "sd", "safe", "pipe", "tmp"};
    for (size_t n = 0; n < 5; n++) {
        next = readdir(root);
        CHECK(next && !strcmp(next->d_name, names[n]));
    }
    CHECK(!readdir(root) && closedir(root) == 0);
    end();
    CHECK(unlink("dir/file") == 0 && rmdir("dir/a") == 0 && rmdir("dir/b") == 0 && rmdir("dir/c") == 0);
    CHECK(rmdir("dir") == 0);
}
