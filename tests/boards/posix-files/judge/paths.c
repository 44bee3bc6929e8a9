/* mkdir, rmdir, unlink, rename, access, chdir, getcwd, and where paths lead. */

#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int make(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT, 0600);
    return file < 0 ? -1 : close(file);
}

static void changes(void)
{
    begin("mkdir: EEXIST, ENOENT, ENOTDIR, EROFS");
    CHECK(mkdir("one", 0700) == 0 && mkdir("one/two", 0700) == 0);
    CHECK(FAILS(mkdir("one", 0700), EEXIST));
    CHECK(FAILS(mkdir("/", 0700), EEXIST));
    CHECK(FAILS(mkdir("/ram", 0700), EEXIST));
    CHECK(FAILS(mkdir("absent/two", 0700), ENOENT));
    CHECK(FAILS(mkdir("", 0700), ENOENT));
    CHECK(make("file") == 0 && FAILS(mkdir("file/two", 0700), ENOTDIR));
    CHECK(FAILS(mkdir("/safe/three", 0700), EROFS));
    CHECK(FAILS(mkdir("/pipe/there", 0700), EEXIST) && FAILS(mkdir("/pipe/absent", 0700), ENOTSUP));
    end();
    begin("rmdir: ENOTEMPTY, ENOENT, ENOTDIR, EINVAL, EBUSY, EROFS");
    CHECK(FAILS(rmdir("one"), ENOTEMPTY));
    CHECK(FAILS(rmdir("absent"), ENOENT));
    CHECK(FAILS(rmdir("file"), ENOTDIR));
    CHECK(FAILS(rmdir("one/two/."), EINVAL));
    CHECK(FAILS(rmdir("/ram"), EBUSY));
    CHECK(FAILS(rmdir("/"), EBUSY));
    CHECK(FAILS(rmdir("/safe/one/two"), EROFS));
    CHECK(rmdir("one/two") == 0);
    end();
    begin("unlink: ENOENT, ENOTDIR, EPERM of a directory, EBUSY, EROFS");
    CHECK(FAILS(unlink("absent"), ENOENT));
    CHECK(FAILS(unlink("file/two"), ENOTDIR));
    CHECK(FAILS(unlink("one"), EPERM));
    CHECK(FAILS(unlink("/dev/null"), EBUSY));
    CHECK(FAILS(unlink("/safe/file"), EROFS));
    end();
    begin("unlink: what is open lives until it is closed");
    const int open_file = open("file", O_RDWR);
    struct stat is;
    char text[4];
    CHECK(write(open_file, "abc", 3) == 3 && unlink("file") == 0);
    CHECK(fstat(open_file, &is) == 0 && S_ISREG(is.st_mode) && is.st_size == 3 && is.st_nlink == 0);
    CHECK(FAILS(access("file", F_OK), ENOENT));
    CHECK(lseek(open_file, 0, SEEK_SET) == 0 && read(open_file, text, 4) == 3 && !memcmp(text, "abc", 3));
    CHECK(close(open_file) == 0);
    end();
    begin("rename: in place of another one, at once; ENOENT, EISDIR, ENOTDIR, ENOTEMPTY, EINVAL, EXDEV, EBUSY");
    CHECK(make("old") == 0 && make("new") == 0 && rename("old", "new") == 0);
    CHECK(FAILS(access("old", F_OK), ENOENT) && access("new", F_OK) == 0);
    CHECK(rename("new", "new") == 0 && rename("new", "one/moved") == 0);
    CHECK(FAILS(rename("absent", "new"), ENOENT));
    CHECK(FAILS(rename("", "new"), ENOENT));
    CHECK(FAILS(rename("one/moved", "one"), EISDIR));
    CHECK(mkdir("two", 0700) == 0 && FAILS(rename("two", "one/moved"), ENOTDIR));
    CHECK(FAILS(rename("two", "one"), ENOTEMPTY));
    CHECK(FAILS(rename("one", "one/in-itself"), EINVAL));
    CHECK(FAILS(rename("one/.", "three"), EINVAL));
    CHECK(FAILS(rename("one/moved", "/safe/moved"), EXDEV));
    CHECK(FAILS(rename("/dev/null", "/dev/console"), EXDEV));
    CHECK(FAILS(rename("/pipe/there", "/pipe/here"), EBUSY) && FAILS(rename("/pipe/absent", "/pipe/here"), ENOENT));
    end();
    begin("remove: a file as unlink does, a directory as rmdir");
    CHECK(remove("two") == 0 && remove("one/moved") == 0);
    CHECK(FAILS(remove("two"), ENOENT));
    end();
}

static void looks(void)
{
    begin("access: ENOENT, EACCES of what can't be executed, EROFS, EINVAL");
    CHECK(make("file") == 0);
    CHECK(access("file", F_OK) == 0 && access("file", R_OK | W_OK) == 0 && access("one", R_OK | X_OK) == 0);
    CHECK(FAILS(access("absent", R_OK), ENOENT));
    CHECK(FAILS(access("file", X_OK), EACCES));
    CHECK(access("/safe/file", R_OK) == 0 && FAILS(access("/safe/file", W_OK), EROFS));
    CHECK(FAILS(access("file", 8), EINVAL));
    end();
    begin("chdir, getcwd: ENOENT, ENOTDIR, EINVAL, ERANGE; nothing has changed");
    char where[32];
    CHECK(getcwd(where, sizeof where) == where && !strcmp(where, "/ram"));
    CHECK(mkdir("one/two", 0700) == 0 && chdir("one/./two/") == 0);
    CHECK(getcwd(where, sizeof where) == where && !strcmp(where, "/ram/one/two"));
    CHECK(make("here") == 0 && access("/ram/one/two/here", F_OK) == 0 && access("../two/here", F_OK) == 0);
    CHECK(FAILS(chdir("absent"), ENOENT) && FAILS(chdir("here"), ENOTDIR) && FAILS(chdir(""), ENOENT));
    CHECK(FAILS(chdir("/dev/null"), ENOTDIR));
    CHECK(getcwd(where, 13) == where && !strcmp(where, "/ram/one/two"));
    CHECK(IS_NULL(getcwd(where, 12), ERANGE) && IS_NULL(getcwd(where, 0), EINVAL));
    CHECK(chdir("../..") == 0 && getcwd(where, sizeof where) == where && !strcmp(where, "/ram"));
    CHECK(chdir("../..") == 0 && getcwd(where, sizeof where) == where && !strcmp(where, "/"));
    CHECK(access("ram/one", F_OK) == 0 && chdir("ram") == 0);
    end();
    begin("paths: `.` and `..`, slashes, and out of one volume into another");
    CHECK(access("/ram/../ram/one", F_OK) == 0 && access("//ram///one/../one/.", F_OK) == 0);
    CHECK(access("/../ram/one", F_OK) == 0 && access("../ram/one/../../safe/one", F_OK) == 0);
    CHECK(FAILS(access("/ram/../absent", F_OK), ENOENT));
    CHECK(FAILS(access("file/", F_OK), ENOTDIR));
    CHECK(FAILS(access("/dev/null/", F_OK), ENOTDIR) && FAILS(open("/dev/console//", O_RDONLY), ENOTDIR));
    CHECK(FAILS(access("file/..", F_OK), ENOTDIR));
    end();
    CHECK(unlink("one/two/here") == 0 && rmdir("one/two") == 0 && rmdir("one") == 0 && unlink("file") == 0);
}

void paths(void)
{
    changes();
    looks();
}
