/* Processes that die with objects. */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void deaths(void)
{
    volatile uint32_t *words;
    struct stat is;
    int made;

    begin("an object stays, with its name, when its maker has died; its next life takes the name away");
    CHECK(tell("peer", CREATE, 0, "left") == 0 && tell("peer", RESIZE, 64, "") == 0 && tell("peer", MAP, 0, "") == 0);
    CHECK(tell("peer", POKE, 0xCAFE, "") == 0 && tell("peer", DIE, 0, "") == DEAD);
    made = shm_open("/left", O_RDWR, 0);
    CHECK(made >= 0 && fstat(made, &is) == 0 && is.st_size == 64);
    words = mmap(NULL, 64, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    CHECK((void *)words != MAP_FAILED && words[0] == 0xCAFE && FAILS(shm_unlink("/left"), EACCES));
    words[0] = 0xBEEF;
    CHECK(tell("peer", OPEN_TO_READ, 0, "left") == 0 && value == 64 && tell("peer", MAP_TO_READ, 0, "") == 0);
    CHECK(tell("peer", PEEK, 0, "") == 0 && value == 0xBEEF && tell("peer", UNLINK, 0, "left") == 0);
    /* What the judge keeps is of the maker's blocks. */
    CHECK(tell("peer", UNMAP, 0, "") == 0 && tell("peer", CLOSE, 0, "") == 0 && close(made) == 0);
    CHECK(tell("peer", HOARD, 0, "") == 0 && value == 7 && tell("peer", DIE, 0, "") == DEAD);
    CHECK(munmap((void *)(uintptr_t)words, 64) == 0);
    CHECK(tell("peer", HOARD, 0, "") == 0 && value == 8 && tell("peer", DIE, 0, "") == DEAD);
    end();

    begin("who dies with others' objects open and mapped gives them up");
    for (int n = 0; n < 10; n++) {
        words = make("/lent", ROOM, &made);
        CHECK((void *)words != MAP_FAILED);
        CHECK(tell("peer", OPEN_TO_WRITE, 0, "lent") == 0 && tell("peer", MAP, 0, "") == 0 && tell("peer", POKE, 1, "") == 0);
        CHECK(shm_unlink("/lent") == 0 && close(made) == 0 && tell("peer", DIE, 0, "") == DEAD);
        CHECK(words[0] == 1 && munmap((void *)(uintptr_t)words, ROOM) == 0);
    }
    end();
}
