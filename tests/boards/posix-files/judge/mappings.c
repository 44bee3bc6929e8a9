/* shm_open, shm_unlink, ftruncate, mmap, munmap, mlock, munlock, mlockall, munlockall. */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES 4096
#define NOT_MAPPED(call, error) (errno = 0, (call) == MAP_FAILED && errno == (error))

static void opens(void)
{
    struct stat is;
    int all, seen;

    begin("shm_open: opens a region of the manifest by its name, with the manifest's rights; ENOENT, ENOSPC, EEXIST, "
          "EACCES, EINVAL, ENAMETOOLONG, EMFILE");
    all = shm_open("/shared", O_RDWR | O_CREAT, 0600);
    seen = shm_open("/fixed", O_RDONLY, 0);
    CHECK(all >= 0 && seen >= 0 && fcntl(all, F_GETFD) == FD_CLOEXEC);
    CHECK(fstat(all, &is) == 0 && is.st_size == BYTES);
    CHECK(FAILS(shm_open("/none", O_RDWR, 0600), ENOENT) && FAILS(shm_open("/none", O_RDWR | O_CREAT, 0600), ENOSPC));
    CHECK(FAILS(shm_open("/shared", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST));
    CHECK(FAILS(shm_open("/fixed", O_RDWR, 0), EACCES));
    CHECK(FAILS(shm_open("/shared", O_WRONLY, 0), EINVAL) && FAILS(shm_open("/shared", O_RDWR | O_TRUNC, 0), EINVAL));
    CHECK(FAILS(shm_open("/a/b", O_RDWR, 0), EINVAL));
    CHECK(FAILS(shm_open("/a-name-of-more-bytes-than-any-may-have", O_RDWR, 0), ENAMETOOLONG));
    for (int n = 0; n < 64; n++) {
        const int more = shm_open("/shared", O_RDONLY, 0);
        if (more < 0) {
            CHECK(errno == EMFILE && n > 0);
            break;
        }
    }
    for (int descriptor = 3; descriptor < 20; descriptor++)
        if (descriptor != all && descriptor != seen)
            close(descriptor);
    end();

    begin("shm_unlink: takes no region away; EACCES, ENOENT");
    CHECK(FAILS(shm_unlink("/shared"), EACCES) && FAILS(shm_unlink("/none"), ENOENT));
    end();

    begin("ftruncate: of a shared memory object up to its region's size; EINVAL");
    CHECK(ftruncate(all, 64) == 0 && ftruncate(all, BYTES) == 0 && FAILS(ftruncate(all, BYTES + 1), EINVAL));
    CHECK(FAILS(ftruncate(seen, 64), EINVAL));
    CHECK(fstat(all, &is) == 0 && is.st_size == BYTES);
    CHECK(close(all) == 0 && close(seen) == 0);
    end();
}

static void maps_regions(void)
{
    const int all = shm_open("/shared", O_RDWR, 0), seen = shm_open("/fixed", O_RDONLY, 0);
    volatile uint32_t *words, *again;
    uint32_t *copy;

    begin("mmap: a shared memory object is where all processes have it; MAP_PRIVATE is a copy");
    words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, all, 0);
    CHECK((void *)words != MAP_FAILED && words[0] == 0xFEED);
    words[1] = 7;
    again = mmap(NULL, 8, PROT_READ, MAP_SHARED, all, 0);
    CHECK(again == words && again[1] == 7);
    copy = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_PRIVATE, all, 0);
    CHECK((void *)copy != MAP_FAILED && copy[0] == 0xFEED && copy[1] == 7);
    copy[0] = 1;
    CHECK(words[0] == 0xFEED);
    again = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, seen, 0);
    CHECK((void *)again != MAP_FAILED && again[0] == 0x600D);
    end();

    begin("mmap: EACCES, EBADF, EINVAL, ENODEV, ENOTSUP, ENXIO");
    CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, seen, 0), EACCES));
    CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_READ, MAP_SHARED, 15, 0), EBADF));
    CHECK(NOT_MAPPED(mmap(NULL, 0, PROT_READ, MAP_SHARED, all, 0), EINVAL));
    CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_READ, 0, all, 0), EINVAL));
    CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_READ, MAP_SHARED | MAP_PRIVATE, all, 0), EINVAL));
    CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_READ, MAP_SHARED, all, 4), EINVAL));
    CHECK(NOT_MAPPED(mmap((void *)(uintptr_t)words, 8, PROT_READ, MAP_SHARED | MAP_FIXED, all, 0), ENOTSUP));
    CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_READ | PROT_EXEC, MAP_SHARED, all, 0), ENOTSUP));
    CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_NONE, MAP_SHARED, all, 0), ENOTSUP));
    CHECK(NOT_MAPPED(mmap(NULL, BYTES + 1, PROT_READ, MAP_SHARED, all, 0), ENXIO));
    CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_READ, MAP_SHARED, all, BYTES), ENXIO));
    CHECK(NOT_MAPPED(mmap(NULL, SIZE_MAX, PROT_READ, MAP_SHARED, all, 0), ENXIO));
    CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0), ENODEV));
    end();

    begin("munmap: gives back a copy as a whole, and once; EINVAL");
    CHECK(FAILS(munmap(copy, 0), EINVAL) && FAILS(munmap(copy, 4), EINVAL) && FAILS(munmap(copy + 1, 4), EINVAL));
    CHECK(copy[0] == 1 && munmap(copy, 8) == 0 && munmap(copy, 8) == 0 && FAILS(munmap(MAP_FAILED, 8), EINVAL));
    CHECK(munmap((void *)(uintptr_t)words, BYTES) == 0);
    CHECK(close(all) == 0 && close(seen) == 0);
    end();
}

static void maps_files(void)
{
    const char text[] = "what the file is";
    const int file = open("/ram/mapped", O_RDWR | O_CREAT, 0600), writer = open("/ram/mapped", O_WRONLY);
    char *copy, *more;

    begin("mmap: a file privately, as it is now, with zeros behind its end; munmap gives the memory back; ENODEV, EACCES, "
          "ENOMEM");
    CHECK(write(file, text, sizeof text) == sizeof text);
    copy = mmap(NULL, 64, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    CHECK(copy != MAP_FAILED && !memcmp(copy, text, sizeof text) && copy[63] == 0);
    CHECK(lseek(file, 0, SEEK_CUR) == sizeof text);
    copy[0] = 'W';
    CHECK(pread(file, copy + 32, 1, 0) == 1 && copy[32] == 'w');
    CHECK(close(file) == 0 && copy[0] == 'W' && munmap(copy, 64) == 0);
    CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_READ, MAP_PRIVATE, writer, 0), EACCES) && close(writer) == 0);
    {
        const int again = open("/ram/mapped", O_RDONLY);
        CHECK(NOT_MAPPED(mmap(NULL, 8, PROT_READ, MAP_SHARED, again, 0), ENODEV));
        CHECK(NOT_MAPPED(mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE, again, 0), ENOMEM));
        CHECK(NOT_MAPPED(mmap(NULL, SIZE_MAX, PROT_READ, MAP_PRIVATE, again, 0), ENOMEM));
        /* More often than there is memory for at once. */
        for (int n = 0; n < 40; n++) {
            more = mmap(NULL, 1024, PROT_READ, MAP_PRIVATE, again, 0);
            CHECK(more != MAP_FAILED && !strcmp(more, text) && munmap(more, 1024) == 0);
        }
        CHECK(close(again) == 0 && unlink("/ram/mapped") == 0);
    }
    end();
}

/* Of more bytes than one request reads. */
static void maps_large_files(void)
{
    static const char block[64] = "of a large file";
    const int torn = open("/dev/flaky/torn", O_RDONLY), large = open("/ram/large", O_RDWR | O_CREAT, 0600);
    char *copy;

    begin("mmap: EIO of a file whose end cannot be read, however much of it can; a file is mapped to its end");
    CHECK(torn >= 0 && NOT_MAPPED(mmap(NULL, BYTES + 1, PROT_READ, MAP_PRIVATE, torn, 0), EIO));
    copy = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, torn, 0);
    CHECK(copy != MAP_FAILED && !strcmp(copy, "half") && munmap(copy, BYTES) == 0 && close(torn) == 0);
    for (size_t at = 0; at < BYTES + sizeof block; at += sizeof block)
        CHECK(write(large, block, sizeof block) == sizeof block);
    copy = mmap(NULL, BYTES + 2 * sizeof block, PROT_READ, MAP_PRIVATE, large, 0);
    CHECK(copy != MAP_FAILED && !strcmp(copy + BYTES, block) && copy[BYTES + sizeof block] == 0);
    CHECK(munmap(copy, BYTES + 2 * sizeof block) == 0 && close(large) == 0 && unlink("/ram/large") == 0);
    end();
}

void mappings(void)
{
    int here;
    opens();
    maps_regions();
    maps_files();
    maps_large_files();
    begin("mlock, munlock, mlockall, munlockall: all memory is always there; EINVAL");
    CHECK(mlock(&here, sizeof here) == 0 && munlock(&here, sizeof here) == 0);
    CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 && munlockall() == 0);
    CHECK(FAILS(mlockall(0), EINVAL) && FAILS(mlockall(8), EINVAL));
    end();
}
