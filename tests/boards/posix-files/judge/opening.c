/* open, creat, close. */

#include "check.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void errors(void)
{
    static char path[400];
    begin("open ENOENT: the file, or a directory before it, is not there, or the path is empty");
    CHECK(FAILS(open("absent", O_RDONLY), ENOENT));
    CHECK(FAILS(open("absent/file", O_RDWR | O_CREAT), ENOENT));
    CHECK(FAILS(open("", O_RDONLY), ENOENT));
    CHECK(FAILS(open("/nowhere/file", O_RDONLY), ENOENT));
    CHECK(FAILS(open("/pipe/absent", O_RDONLY), ENOENT));
    end();
    begin("open EEXIST: O_CREAT and O_EXCL, and it is there");
    const int made = open("made", O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(made == 3);
    CHECK(FAILS(open("made", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST));
    CHECK(FAILS(open("/dev/null", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST));
    end();
    begin("open EISDIR: a directory is to be written");
    CHECK(FAILS(open("/ram", O_WRONLY), EISDIR));
    CHECK(FAILS(open("/", O_RDWR), EISDIR));
    end();
    begin("open ENOTDIR: a name before the last one is no directory, or O_DIRECTORY and it is none");
    CHECK(FAILS(open("made/file", O_RDONLY), ENOTDIR));
    CHECK(FAILS(open("made", O_RDONLY | O_DIRECTORY), ENOTDIR));
    CHECK(FAILS(open("/dev/null/file", O_RDONLY), ENOTDIR));
    CHECK(FAILS(open("/dev/console", O_RDONLY | O_DIRECTORY), ENOTDIR));
    end();
    begin("open EINVAL: the access mode is none");
    CHECK(FAILS(open("made", O_ACCMODE), EINVAL));
    end();
    begin("open ENAMETOOLONG: a name longer than NAME_MAX, or a path longer than PATH_MAX");
    memset(path, 'a', 33);
    CHECK(FAILS(open(path, O_RDONLY), ENAMETOOLONG));
    memset(path, 'a', sizeof path - 1);
    CHECK(FAILS(open(path, O_RDONLY), ENAMETOOLONG));
    end();
    begin("open EROFS: a file is to be written on a volume that this process may only read");
    CHECK(FAILS(open("/safe/made", O_WRONLY), EROFS));
    CHECK(FAILS(open("/safe/other", O_RDWR | O_CREAT, 0600), EROFS));
    const int reader = open("/safe/made", O_RDONLY);
    CHECK(reader == 4);
    CHECK(close(reader) == 0);
    end();
    CHECK(close(made) == 0);
}

static void meaning(void)
{
    int file;
    char text[8] = "";
    begin("open: the lowest descriptor that is free");
    const int first = open("made", O_RDONLY), second = open("made", O_RDONLY);
    CHECK(first == 3 && second == 4);
    CHECK(close(first) == 0);
    CHECK(open("/dev/null", O_RDWR) == 3);
    CHECK(close(3) == 0 && close(4) == 0);
    end();
    begin("open O_TRUNC: it is empty; O_APPEND: each write goes to the end");
    file = creat("made", 0600);
    CHECK(write(file, "one", 3) == 3 && close(file) == 0);
    file = open("made", O_RDWR | O_APPEND);
    CHECK(lseek(file, 0, SEEK_SET) == 0);
    CHECK(write(file, "two", 3) == 3);
    CHECK(lseek(file, 0, SEEK_SET) == 0 && read(file, text, sizeof text) == 6 && !memcmp(text, "onetwo", 6));
    CHECK(close(file) == 0);
    file = open("made", O_RDWR | O_TRUNC);
    CHECK(lseek(file, 0, SEEK_END) == 0);
    CHECK(close(file) == 0);
    end();
    begin("open EMFILE: all descriptors are open, and no file was made");
    int last = 0, count = 0;
    while ((file = open("/dev/null", O_RDWR)) >= 0)
        last = file, count++;
    CHECK(errno == EMFILE && last == 19 && count == 17);
    CHECK(FAILS(open("another", O_RDWR | O_CREAT, 0600), EMFILE));
    CHECK(FAILS(dup(0), EMFILE));
    CHECK(close(10) == 0 && open("/dev/null", O_RDONLY) == 10);
    for (file = 3; file <= last; file++)
        CHECK(close(file) == 0);
    CHECK(FAILS(access("another", F_OK), ENOENT));
    end();
    begin("close EBADF: it is not open");
    CHECK(FAILS(close(3), EBADF));
    CHECK(FAILS(close(-1), EBADF));
    CHECK(FAILS(close(20), EBADF));
    CHECK(FAILS(close(1000000), EBADF));
    end();
}

void opening(void)
{
    errors();
    meaning();
}
