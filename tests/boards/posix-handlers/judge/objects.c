/* Shared memory objects that handlers open and close, whatever they interrupt. */

#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES 64
/* As many as a process can have. */
#define OBJECTS 8

static int kept;

static void use(void)
{
    struct stat is;
    const int made = shm_open("/made", O_RDWR, 0);
    void *const memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    CHECK(made >= 0 && memory != MAP_FAILED && fstat(made, &is) == 0 && is.st_size == BYTES);
    CHECK(munmap(memory, BYTES) == 0 && close(made) == 0);
}

static void exchange(void)
{
    struct stat is;
    CHECK(fstat(kept, &is) == 0 && is.st_size == BYTES && close(kept) == 0);
    kept = shm_open("/kept", O_RDWR, 0);
    CHECK(kept >= 0);
}

void objects(void)
{
    char name[] = "/0";
    int all[OBJECTS], made;
    begin("close, fstat: a handler may close a shared memory object, whatever it interrupts; none is lost");
    made = shm_open("/made", O_RDWR | O_CREAT, 0600);
    kept = shm_open("/kept", O_RDWR | O_CREAT, 0600);
    CHECK(ftruncate(made, BYTES) == 0 && ftruncate(kept, BYTES) == 0 && close(made) == 0);
    interrupted(600, use, exchange);
    CHECK(close(kept) == 0 && shm_unlink("/made") == 0 && shm_unlink("/kept") == 0);
    for (int n = 0; n < OBJECTS; n++) {
        name[1] = (char)('0' + n);
        CHECK((all[n] = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600)) >= 0);
    }
    for (int n = 0; n < OBJECTS; n++)
        CHECK(close(all[n]) == 0);
    end();
}
