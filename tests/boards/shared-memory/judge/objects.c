/* shm_open, ftruncate, fstat, shm_unlink. */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void opens(void)
{
    struct stat is;
    volatile uint32_t *words;
    int made, again;

    begin("shm_open: O_CREAT makes an object of no size and zeros, which another process finds by its name");
    CHECK(FAILS(shm_open("/made", O_RDWR, 0600), ENOENT) && tell("peer", OPEN_TO_READ, 0, "made") == ENOENT);
    made = shm_open("/made", O_RDWR | O_CREAT, 0600);
    CHECK(made >= 0 && fcntl(made, F_GETFD) == FD_CLOEXEC && fstat(made, &is) == 0 && is.st_size == 0);
    CHECK(S_ISREG(is.st_mode) && is.st_nlink == 1);
    CHECK(ftruncate(made, 100) == 0 && fstat(made, &is) == 0 && is.st_size == 100);
    words = mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    CHECK((void *)words != MAP_FAILED);
    for (size_t n = 0; n < ROOM / sizeof *words; n++)
        CHECK(words[n] == 0);
    words[0] = 0xFEED;
    CHECK(tell("peer", OPEN_TO_WRITE, 0, "made") == 0 && value == 100 && tell("peer", MAP, 0, "") == 0);
    CHECK(tell("peer", PEEK, 0, "") == 0 && value == 0xFEED);
    CHECK(tell("peer", POKE, 0xF00D, "") == 0 && words[0] == 0xF00D);
    CHECK(tell("peer", UNMAP, 0, "") == 0 && tell("peer", CLOSE, 0, "") == 0);
    CHECK(munmap((void *)(uintptr_t)words, 100) == 0);
    end();

    begin("shm_open: of an object that is there; EEXIST, EINVAL, ENAMETOOLONG");
    again = shm_open("/made", O_RDWR | O_CREAT, 0600);
    CHECK(again >= 0 && fstat(again, &is) == 0 && is.st_size == 100 && close(again) == 0);
    CHECK(FAILS(shm_open("/made", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST));
    CHECK(FAILS(shm_open("/made", O_WRONLY, 0), EINVAL) && FAILS(shm_open("/made", O_RDONLY | O_TRUNC, 0), EINVAL));
    CHECK(FAILS(shm_open("/a/b", O_RDWR | O_CREAT, 0), EINVAL) && FAILS(shm_open("/", O_RDWR | O_CREAT, 0), EINVAL));
    CHECK(FAILS(shm_open("/a-name-of-more-bytes-than-any-may-have", O_RDWR | O_CREAT, 0), ENAMETOOLONG));
    again = shm_open("/a-name-of-as-many-bytes-as-can", O_RDWR | O_CREAT | O_EXCL, 0);
    CHECK(again >= 0 && close(again) == 0 && shm_unlink("/a-name-of-as-many-bytes-as-can") == 0);
    end();

    begin("shm_open: one object that is opened often takes a slot for a handle once");
    for (int n = 0; n < 200; n++) {
        const int all[3] = {shm_open("/made", O_RDONLY, 0), shm_open("/made", O_RDWR, 0), shm_open("/made", O_RDONLY, 0)};
        CHECK(all[0] >= 0 && all[1] >= 0 && all[2] >= 0);
        CHECK(close(all[0]) == 0 && close(all[1]) == 0 && close(all[2]) == 0);
    }
    end();
    CHECK(close(made) == 0);
}

static void sizes(void)
{
    struct stat is;
    int made, other;
    volatile uint32_t *words;

    begin("ftruncate: of an object up to its block, for all processes; EFBIG, EINVAL");
    made = shm_open("/made", O_RDWR, 0);
    other = shm_open("/made", O_RDONLY, 0);
    CHECK(ftruncate(made, ROOM) == 0 && fstat(other, &is) == 0 && is.st_size == ROOM);
    CHECK(FAILS(ftruncate(made, ROOM + 1), EFBIG) && FAILS(ftruncate(made, 0x7FFFFFFF), EFBIG));
    CHECK(FAILS(ftruncate(made, -1), EINVAL) && FAILS(ftruncate(other, 8), EINVAL));
    CHECK(fstat(made, &is) == 0 && is.st_size == ROOM);
    CHECK(tell("peer", OPEN_TO_WRITE, 0, "made") == 0 && value == ROOM);
    CHECK(tell("peer", RESIZE, 4096, "") == 0 && fstat(made, &is) == 0 && is.st_size == 4096);
    CHECK(tell("peer", RESIZE, ROOM + 1, "") == EFBIG && tell("peer", SIZE, 0, "") == 0 && value == 4096);
    end();

    begin("ftruncate: what is cut off is zeros when the object is longer again; so is all of it after O_TRUNC");
    words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    CHECK((void *)words != MAP_FAILED);
    words[0] = 1;
    words[1] = 2;
    words[1023] = 3;
    CHECK(ftruncate(made, 4) == 0 && ftruncate(made, 4096) == 0);
    CHECK(words[0] == 1 && words[1] == 0 && words[1023] == 0);
    CHECK(close(other) == 0);
    other = shm_open("/made", O_RDWR | O_TRUNC, 0);
    CHECK(other >= 0 && fstat(made, &is) == 0 && is.st_size == 0 && words[0] == 0);
    CHECK(munmap((void *)(uintptr_t)words, 4096) == 0 && close(other) == 0);
    CHECK(tell("peer", CLOSE, 0, "") == 0);
    end();

    begin("shm_unlink: the name goes, who has the object open keeps it; ENOENT, EACCES of another process's");
    CHECK(ftruncate(made, 64) == 0);
    CHECK(tell("peer", UNLINK, 0, "made") == EACCES && tell("peer", UNLINK, 0, "none") == ENOENT);
    CHECK(shm_unlink("/made") == 0 && FAILS(shm_unlink("/made"), ENOENT) && FAILS(shm_open("/made", O_RDWR, 0), ENOENT));
    CHECK(fstat(made, &is) == 0 && is.st_size == 64 && is.st_nlink == 0);
    CHECK(ftruncate(made, 128) == 0 && fstat(made, &is) == 0 && is.st_size == 128);
    words = mmap(NULL, 128, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    CHECK((void *)words != MAP_FAILED && close(made) == 0);
    words[0] = 9;
    made = shm_open("/made", O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(made >= 0 && fstat(made, &is) == 0 && is.st_size == 0 && words[0] == 9);
    CHECK(munmap((void *)(uintptr_t)words, 128) == 0 && close(made) == 0 && shm_unlink("/made") == 0);
    end();
}

void objects(void)
{
    opens();
    sizes();
}
