/* read, write, pread, pwrite, lseek, ftruncate, fsync, fstat, statvfs, isatty, sysconf, pathconf. */

#include "check.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* More than one request carries. */
#define LONG 17000
static unsigned char out[LONG], in[LONG];
/* What this process may have, and bytes of a block; more blocks than an answer has pieces. */
#define BLOCKS 80
#define BLOCK 256
#define PIECES 20

static void long_ones(void)
{
    begin("read, write: more bytes than a message carries, in order");
    const int file = open("long", O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int n = 0; n < LONG; n++)
        out[n] = (unsigned char)(n * 7 + n / 256);
    CHECK(write(file, out, LONG) == LONG);
    CHECK(lseek(file, 0, SEEK_SET) == 0);
    CHECK(read(file, in, LONG) == LONG && !memcmp(in, out, LONG));
    CHECK(read(file, in, LONG) == 0);
    CHECK(lseek(file, 10, SEEK_SET) == 10 && read(file, in, LONG) == LONG - 10 && !memcmp(in, out + 10, LONG - 10));
    end();
    begin("write: less than was wanted where there is no room for all, and then ENOSPC");
    ssize_t count, all = LONG;
    CHECK(lseek(file, 0, SEEK_END) == LONG);
    while ((count = write(file, out, LONG)) > 0)
        all += count;
    CHECK(count == -1 && errno == ENOSPC);
    CHECK(lseek(file, 0, SEEK_END) == all && all == BLOCKS * BLOCK);
    CHECK(close(file) == 0 && unlink("long") == 0);
    end();
}

static void scattered(void)
{
    begin("read, pread: all that was asked for, and is there, in however many pieces it lies");
    const int file = open("one", O_RDWR | O_CREAT | O_TRUNC, 0600), other = open("other", O_WRONLY | O_CREAT, 0600);
    for (int n = 0; n < PIECES; n++) {
        CHECK(write(file, out + n * BLOCK, BLOCK) == BLOCK);
        CHECK(write(other, out, BLOCK) == BLOCK);
    }
    CHECK(lseek(file, 0, SEEK_SET) == 0);
    CHECK(read(file, in, LONG) == PIECES * BLOCK && !memcmp(in, out, PIECES * BLOCK));
    CHECK(pread(file, in, LONG, 10) == PIECES * BLOCK - 10 && !memcmp(in, out + 10, PIECES * BLOCK - 10));
    CHECK(close(file) == 0 && close(other) == 0 && unlink("one") == 0 && unlink("other") == 0);
    end();
}

static void errors(void)
{
    char text[4];
    const int file = open("short", O_RDWR | O_CREAT | O_TRUNC, 0600), reader = open("short", O_RDONLY),
              writer = open("short", O_WRONLY), directory = open("/ram", O_RDONLY), root = open("/", O_RDONLY);
    begin("read EBADF: it is not open, or not to be read");
    CHECK(FAILS(read(-1, text, 1), EBADF));
    CHECK(FAILS(read(15, text, 1), EBADF));
    CHECK(FAILS(read(writer, text, 1), EBADF));
    end();
    begin("read EISDIR: it is a directory");
    CHECK(FAILS(read(directory, text, 1), EISDIR));
    CHECK(FAILS(read(root, text, 1), EISDIR));
    end();
    begin("read, write: no bytes are no bytes");
    CHECK(read(file, text, 0) == 0 && write(file, text, 0) == 0);
    end();
    begin("read EFAULT, write EFAULT: the buffer is not this process's, and nothing was written");
    CHECK(write(file, "abcdefgh", 8) == 8 && lseek(file, 0, SEEK_SET) == 0);
    CHECK(FAILS(read(file, (void *)4, 100), EFAULT));
    CHECK(FAILS(write(file, (void *)0xFFFFF000u, 100), EFAULT));
    CHECK(lseek(file, 0, SEEK_END) == 8);
    end();
    begin("write EBADF: it is not open, or not to be written");
    CHECK(FAILS(write(-1, text, 1), EBADF));
    CHECK(FAILS(write(reader, text, 1), EBADF));
    end();
    begin("lseek EBADF, EINVAL, ESPIPE, EOVERFLOW: nothing has moved");
    CHECK(lseek(file, 5, SEEK_SET) == 5);
    CHECK(FAILS(lseek(15, 0, SEEK_SET), EBADF));
    CHECK(FAILS(lseek(file, -6, SEEK_CUR), EINVAL));
    CHECK(FAILS(lseek(file, 0, 7), EINVAL));
    CHECK(FAILS(lseek(0, 0, SEEK_CUR), ESPIPE));
    CHECK(FAILS(lseek(file, LONG_MAX, SEEK_CUR), EOVERFLOW) && FAILS(lseek(file, LONG_MAX, SEEK_END), EOVERFLOW));
    CHECK(lseek(file, 0, SEEK_CUR) == 5);
    CHECK(lseek(file, LONG_MAX, SEEK_SET) == LONG_MAX && FAILS(lseek(file, 1, SEEK_CUR), EOVERFLOW));
    CHECK(lseek(file, 0, SEEK_CUR) == LONG_MAX && read(file, text, 1) == 0 && lseek(file, 5, SEEK_SET) == 5);
    end();
    begin("lseek: behind the end, where a write leaves zeros between");
    CHECK(lseek(file, 4, SEEK_END) == 12 && write(file, "z", 1) == 1);
    CHECK(lseek(file, 7, SEEK_SET) == 7 && read(file, in, 10) == 6 && !memcmp(in, "h\0\0\0\0z", 6));
    end();
    begin("ftruncate, truncate: shorter, and longer by zeros; EBADF, EINVAL");
    CHECK(ftruncate(file, 2) == 0 && ftruncate(file, 4) == 0);
    CHECK(lseek(file, 0, SEEK_SET) == 0 && read(file, in, 10) == 4 && !memcmp(in, "ab\0\0", 4));
    CHECK(FAILS(ftruncate(15, 0), EBADF));
    CHECK(FAILS(ftruncate(reader, 0), EINVAL));
    CHECK(FAILS(ftruncate(file, -1), EINVAL));
    CHECK(FAILS(ftruncate(1, 0), EINVAL));
    CHECK(truncate("short", 3) == 0 && lseek(file, 0, SEEK_END) == 3);
    CHECK(FAILS(truncate("absent", 0), ENOENT) && FAILS(truncate("/ram", 0), EISDIR));
    /* Without waiting for whoever reads it. */
    CHECK(FAILS(truncate("/pipe/there", 0), EINVAL));
    end();
    begin("fsync, fdatasync: EBADF, EINVAL where it makes no sense");
    CHECK(fsync(file) == 0 && fdatasync(file) == 0);
    CHECK(FAILS(fsync(15), EBADF));
    CHECK(FAILS(fsync(1), EINVAL));
    end();
    for (int descriptor = 3; descriptor < 8; descriptor++)
        CHECK(close(descriptor) == 0);
}

static void positions(void)
{
    char text[8];
    const int file = open("at", O_RDWR | O_CREAT | O_TRUNC, 0600), other = open("at", O_RDONLY),
              writer = open("at", O_WRONLY), directory = open("/ram", O_RDONLY), root = open("/", O_RDONLY);
    int ends[2];
    begin("pread, pwrite: from an offset on, and the file's own position does not move");
    CHECK(write(file, "abcdef", 6) == 6 && lseek(file, 2, SEEK_SET) == 2);
    CHECK(pread(file, text, 3, 1) == 3 && !memcmp(text, "bcd", 3));
    CHECK(pwrite(file, "XY", 2, 3) == 2 && lseek(file, 0, SEEK_CUR) == 2);
    CHECK(read(file, text, 8) == 4 && !memcmp(text, "cXYf", 4));
    CHECK(pread(other, text, 8, 0) == 6 && !memcmp(text, "abcXYf", 6) && lseek(other, 0, SEEK_CUR) == 0);
    end();
    begin("pread: less at the end, nothing behind it; pwrite: behind the end, zeros are between");
    CHECK(pread(file, text, 8, 5) == 1 && pread(file, text, 8, 6) == 0 && pread(file, text, 8, 1000) == 0);
    CHECK(pread(file, text, 0, 0) == 0 && pwrite(file, text, 0, 100) == 0 && lseek(file, 0, SEEK_END) == 6);
    CHECK(pwrite(file, "z", 1, 8) == 1 && pread(file, text, 8, 5) == 4 && !memcmp(text, "f\0\0z", 4));
    end();
    begin("pread, pwrite: more bytes than a message carries, in order");
    for (int n = 0; n < LONG; n++)
        out[n] = (unsigned char)(n * 5 + n / 256);
    CHECK(pwrite(file, out, LONG, 100) == LONG && lseek(file, 0, SEEK_CUR) == 6);
    CHECK(pread(file, in, LONG, 100) == LONG && !memcmp(in, out, LONG));
    CHECK(pread(file, in, LONG, 4200) == LONG - 4100 && !memcmp(in, out + 4100, LONG - 4100));
    end();
    begin("pread EBADF, EINVAL, EISDIR, ESPIPE, EFAULT; nothing has moved");
    CHECK(FAILS(pread(15, text, 1, 0), EBADF) && FAILS(pread(writer, text, 1, 0), EBADF));
    CHECK(FAILS(pread(file, text, 1, -1), EINVAL));
    CHECK(FAILS(pread(directory, text, 1, 0), EISDIR) && FAILS(pread(root, text, 1, 0), EISDIR));
    CHECK(FAILS(pread(0, text, 1, 0), ESPIPE));
    CHECK(FAILS(pread(file, (void *)4, 100, 0), EFAULT) && lseek(file, 0, SEEK_CUR) == 6);
    end();
    begin("pwrite EBADF, EINVAL, ESPIPE, EFBIG, EFAULT; nothing has moved or changed");
    CHECK(FAILS(pwrite(15, text, 1, 0), EBADF) && FAILS(pwrite(other, text, 1, 0), EBADF));
    CHECK(FAILS(pwrite(file, text, 1, -1), EINVAL) && FAILS(pwrite(1, text, 1, 0), ESPIPE));
    CHECK(FAILS(pwrite(file, text, 2, 0x7FFFFFFF), EFBIG));
    CHECK(FAILS(pwrite(file, (void *)0xFFFFF000u, 100, 0), EFAULT));
    CHECK(pipe(ends) == 0 && FAILS(pread(ends[0], text, 1, 0), ESPIPE) && FAILS(pwrite(ends[1], text, 1, 0), ESPIPE));
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    CHECK(lseek(file, 0, SEEK_CUR) == 6 && pread(file, text, 1, 0) == 1 && text[0] == 'a');
    end();
    begin("pwrite ENOSPC: there is no room at that offset");
    CHECK(FAILS(pwrite(file, text, 1, BLOCKS * BLOCK), ENOSPC) && lseek(file, 0, SEEK_END) == LONG + 100);
    end();
    for (int descriptor = file; descriptor <= root; descriptor++)
        CHECK(close(descriptor) == 0);
    CHECK(unlink("at") == 0);
}

static void space(void)
{
    struct statvfs before, after;
    begin("statvfs, fstatvfs: what there is, and what this process may still use; ENOENT, EBADF, ENOSYS");
    CHECK(statvfs("/ram", &before) == 0 && before.f_frsize == 256 && before.f_namemax == NAME_MAX);
    CHECK(before.f_bavail == BLOCKS && before.f_bfree >= BLOCKS && before.f_blocks >= before.f_bfree);
    const int file = open("long", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(write(file, out, 3 * 256) == 3 * 256 && fstatvfs(file, &after) == 0);
    CHECK(after.f_bavail == before.f_bavail - 3 && after.f_bfree == before.f_bfree - 3);
    CHECK(after.f_favail == before.f_favail - 1 && after.f_blocks == before.f_blocks);
    CHECK(close(file) == 0 && unlink("long") == 0);
    CHECK(FAILS(statvfs("absent", &after), ENOENT) && FAILS(fstatvfs(15, &after), EBADF));
    CHECK(FAILS(fstatvfs(0, &after), ENOSYS) && FAILS(statvfs("/dev/null", &after), ENOSYS));
    end();
}

static void limits(void)
{
    begin("sysconf: options as <unistd.h> has them, limits as they are; EINVAL, and -1 of what has none");
    CHECK(sysconf(_SC_VERSION) == _POSIX_VERSION && sysconf(_SC_THREADS) == _POSIX_THREADS);
    CHECK(sysconf(_SC_SPORADIC_SERVER) == -1 && sysconf(_SC_OPEN_MAX) == 20 && sysconf(_SC_PAGESIZE) == PAGESIZE);
    CHECK(sysconf(_SC_REALTIME_SIGNALS) == _POSIX_REALTIME_SIGNALS && sysconf(_SC_RTSIG_MAX) == RTSIG_MAX);
    CHECK(sysconf(_SC_MQ_PRIO_MAX) == MQ_PRIO_MAX && sysconf(_SC_ARG_MAX) == 256);
    /* Not less than <limits.h> promises. */
    CHECK(sysconf(_SC_LINE_MAX) >= LINE_MAX && sysconf(_SC_NGROUPS_MAX) >= NGROUPS_MAX);
    errno = 0;
    CHECK(sysconf(_SC_CHILD_MAX) == -1 && errno == 0);
    CHECK(FAILS(sysconf(-1), EINVAL) && FAILS(sysconf(100000), EINVAL));
    /* As many as it says, and no more. */
    int count = 0;
    while (open("/dev/null", O_RDONLY) >= 0)
        count++;
    CHECK(errno == EMFILE && count + 3 == sysconf(_SC_OPEN_MAX));
    while (count > 0)
        CHECK(close(--count + 3) == 0);
    end();
    begin("pathconf, fpathconf: names, paths and pipes; ENOENT, EBADF, EINVAL");
    CHECK(pathconf("/ram", _PC_NAME_MAX) == NAME_MAX && fpathconf(0, _PC_PATH_MAX) == PATH_MAX);
    CHECK(FAILS(pathconf("absent", _PC_NAME_MAX), ENOENT) && FAILS(fpathconf(15, _PC_NAME_MAX), EBADF));
    CHECK(FAILS(pathconf("/ram", -1), EINVAL));
    end();
}

static void kinds(void)
{
    struct stat is, other;
    begin("fstat, stat, lstat: kind, size and number; EBADF, ENOENT, ENOTDIR");
    const int file = open("short", O_RDONLY), directory = open("/ram", O_RDONLY), null = open("/dev/null", O_RDONLY);
    CHECK(fstat(file, &is) == 0 && S_ISREG(is.st_mode) && is.st_size == 3 && is.st_nlink == 1);
    CHECK(stat("short", &other) == 0 && other.st_ino == is.st_ino && other.st_dev == is.st_dev);
    CHECK(lstat("short", &other) == 0 && other.st_ino == is.st_ino && other.st_size == 3);
    CHECK(fstat(directory, &is) == 0 && S_ISDIR(is.st_mode) && is.st_ino != other.st_ino);
    CHECK(fstat(null, &is) == 0 && S_ISCHR(is.st_mode));
    CHECK(fstat(0, &is) == 0 && S_ISCHR(is.st_mode));
    CHECK(stat("/", &is) == 0 && S_ISDIR(is.st_mode));
    CHECK(FAILS(fstat(15, &is), EBADF));
    CHECK(FAILS(stat("absent", &is), ENOENT));
    CHECK(FAILS(stat("short/er", &is), ENOTDIR));
    CHECK(FAILS(stat("", &is), ENOENT));
    end();
    begin("isatty: the console is one; ENOTTY, EBADF");
    CHECK(isatty(0) == 1 && isatty(1) == 1 && isatty(2) == 1);
    errno = 0;
    CHECK(isatty(file) == 0 && errno == ENOTTY);
    CHECK(isatty(15) == 0 && errno == EBADF);
    end();
    begin("/dev/null takes all, and gives nothing");
    CHECK(close(null) == 0 && open("/dev/null", O_RDWR) == null);
    CHECK(write(null, "text", 4) == 4 && read(null, in, 4) == 0);
    end();
    begin("write: to the console, a line of its own");
    CHECK(fflush(stdout) == 0 && write(1, "a line\n", 7) == 7 && write(2, "another\n", 8) == 8);
    end();
    CHECK(close(file) == 0 && close(directory) == 0 && close(null) == 0);
    CHECK(unlink("short") == 0);
}

void moving_bytes(void)
{
    long_ones();
    scattered();
    errors();
    kinds();
    positions();
    space();
    limits();
}
