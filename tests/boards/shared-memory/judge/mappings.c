/* mmap and munmap of objects. */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static void maps(void)
{
    int made, seen;
    volatile uint32_t *words, *again;
    uint32_t *copy;

    begin("mmap: an object is there once in a process, for all descriptors and mappings; MAP_PRIVATE is a copy");
    words = make("/mapped", ROOM, &made);
    seen = shm_open("/mapped", O_RDONLY, 0);
    CHECK((void *)words != MAP_FAILED && seen >= 0);
    words[0] = 7;
    words[1024] = 8;
    again = mmap(NULL, 4, PROT_READ, MAP_SHARED, seen, 0);
    CHECK(again == words);
    again = mmap(NULL, 4096, PROT_READ, MAP_SHARED, seen, 4096);
    CHECK(again == words + 1024 && again[0] == 8);
    copy = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_PRIVATE, seen, 0);
    CHECK((void *)copy != MAP_FAILED && copy[0] == 7);
    copy[0] = 1;
    CHECK(words[0] == 7 && munmap(copy, 8) == 0);
    CHECK(NOT_MAPPED(mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE, seen, 0), ENXIO));
    end();

    begin("munmap: of several mappings of an object one each time, as a whole; the last one unmaps it; EINVAL");
    CHECK(FAILS(munmap((void *)(uintptr_t)words, 3), EINVAL) && FAILS(munmap((void *)(uintptr_t)(words + 1), 4), EINVAL));
    CHECK(munmap((void *)(uintptr_t)words, ROOM) == 0 && words[0] == 7);
    CHECK(FAILS(munmap((void *)(uintptr_t)(words + 1024), 8), EINVAL));
    CHECK(munmap((void *)(uintptr_t)(words + 1024), 4096) == 0 && words[0] == 7);
    CHECK(munmap((void *)(uintptr_t)words, 4) == 0 && munmap((void *)(uintptr_t)words, 4) == 0);
    again = mmap(NULL, 4, PROT_READ, MAP_SHARED, made, 0);
    CHECK((void *)again != MAP_FAILED && again[0] == 7);
    /* Mapped to be read it is so for all of the process. */
    CHECK(NOT_MAPPED(mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0), ENOTSUP));
    CHECK(munmap((void *)(uintptr_t)again, 4) == 0);
    words = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    CHECK((void *)words != MAP_FAILED && words[0] == 7 && munmap((void *)(uintptr_t)words, 4) == 0);
    end();

    begin("mmap: of an object; EACCES, ENXIO, ENOTSUP, EINVAL, EMFILE");
    CHECK(NOT_MAPPED(mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, seen, 0), EACCES));
    CHECK(NOT_MAPPED(mmap(NULL, 4, PROT_READ | PROT_EXEC, MAP_SHARED, made, 0), ENOTSUP));
    CHECK(NOT_MAPPED(mmap(NULL, 4, PROT_READ, MAP_SHARED, made, 4), EINVAL));
    CHECK(NOT_MAPPED(mmap(NULL, ROOM + 1, PROT_READ, MAP_SHARED, made, 0), ENXIO));
    CHECK(NOT_MAPPED(mmap(NULL, 8192, PROT_READ, MAP_SHARED, made, 4096), ENXIO));
    CHECK(NOT_MAPPED(mmap(NULL, SIZE_MAX, PROT_READ, MAP_SHARED, made, 0), ENXIO));
    CHECK(ftruncate(made, 0) == 0 && NOT_MAPPED(mmap(NULL, 4, PROT_READ, MAP_SHARED, made, 0), ENXIO));
    /* What failed has mapped nothing: there are two places. */
    {
        int other[2];
        void *const first = make("/first", 64, &other[0]), *const second = make("/second", 64, &other[1]);
        CHECK(first != MAP_FAILED && second != MAP_FAILED && ftruncate(made, 64) == 0);
        CHECK(NOT_MAPPED(mmap(NULL, 4, PROT_READ, MAP_SHARED, made, 0), EMFILE));
        CHECK(munmap(first, 64) == 0 && munmap(second, 64) == 0 && close(other[0]) == 0 && close(other[1]) == 0);
        CHECK(shm_unlink("/first") == 0 && shm_unlink("/second") == 0);
    }
    CHECK(close(made) == 0 && close(seen) == 0 && shm_unlink("/mapped") == 0);
    end();
}

static void in_circles(void)
{
    begin("mmap, munmap, shm_open, shm_unlink: a thousand times, and all of it is there still");
    for (int n = 0; n < 1000; n++) {
        int made;
        volatile uint32_t *const words = make("/again", ROOM, &made);
        CHECK((void *)words != MAP_FAILED && words[0] == 0 && words[2047] == 0);
        if (wrong)
            break;
        words[0] = words[2047] = 1;
        CHECK(shm_unlink("/again") == 0 && close(made) == 0 && munmap((void *)(uintptr_t)words, ROOM) == 0);
    }
    end();
}

void mappings(void)
{
    maps();
    in_circles();
}
