/* The server starts anew. */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void restarts(void)
{
    volatile uint32_t *words, *others;
    struct stat is;
    riposte_process_t server;
    int made, other;

    begin("a shared memory server that starts anew knows no names; who has an object keeps it, and it counts");
    words = make("/before", 64, &made);
    CHECK((void *)words != MAP_FAILED && tell("peer", OPEN_TO_WRITE, 0, "before") == 0 && tell("peer", MAP, 0, "") == 0);
    words[0] = 1;
    CHECK(riposte_process("shared-memory", &server) == RIPOSTE_OK && riposte_process_restart(server) == RIPOSTE_OK);
    CHECK(FAILS(shm_open("/before", O_RDWR, 0), ENOENT) && FAILS(shm_unlink("/before"), ENOENT));
    CHECK(fstat(made, &is) == 0 && is.st_size == 64 && is.st_nlink == 0);
    CHECK(tell("peer", PEEK, 0, "") == 0 && value == 1 && tell("peer", POKE, 2, "") == 0 && words[0] == 2);
    CHECK(tell("peer", SIZE, 0, "") > KERNEL && tell("peer", RECONNECT, 0, "") == 0);
    CHECK(tell("peer", SIZE, 0, "") == ENOENT);
    /* Of the same name another one is made. */
    others = make("/before", 64, &other);
    CHECK((void *)others != MAP_FAILED && others != words && others[0] == 0 && words[0] == 2);
    CHECK(tell("peer", PEEK, 0, "") == 0 && value == 2);
    /* Of three blocks two are in use. */
    {
        const int third = shm_open("/third", O_RDWR | O_CREAT, 0);
        CHECK(third >= 0 && FAILS(shm_open("/fourth", O_RDWR | O_CREAT, 0), ENOSPC));
        CHECK(close(third) == 0 && shm_unlink("/third") == 0);
    }
    CHECK(munmap((void *)(uintptr_t)words, 64) == 0 && munmap((void *)(uintptr_t)others, 64) == 0);
    CHECK(close(made) == 0 && close(other) == 0 && shm_unlink("/before") == 0);
    CHECK(tell("peer", UNMAP, 0, "") == 0 && tell("peer", CLOSE, 0, "") == 0);
    CHECK(tell("peer", HOARD, 0, "") == 0 && value == 8);
    end();
}
