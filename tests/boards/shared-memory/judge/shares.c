/* Nobody takes what is others'. */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

void shares(void)
{
    void *kept;
    int made[4], more;

    begin("shm_open: an object whose name is gone counts until nobody has it; ENOSPC");
    kept = make("/a", 64, &made[0]);
    CHECK(kept != MAP_FAILED);
    made[1] = shm_open("/b", O_RDWR | O_CREAT, 0);
    made[2] = shm_open("/c", O_RDWR | O_CREAT, 0);
    CHECK(made[1] >= 0 && made[2] >= 0 && FAILS(shm_open("/d", O_RDWR | O_CREAT, 0), ENOSPC));
    CHECK(shm_unlink("/a") == 0 && FAILS(shm_open("/d", O_RDWR | O_CREAT, 0), ENOSPC));
    CHECK(close(made[0]) == 0 && FAILS(shm_open("/d", O_RDWR | O_CREAT, 0), ENOSPC));
    CHECK(munmap(kept, 64) == 0);
    made[3] = shm_open("/d", O_RDWR | O_CREAT, 0);
    CHECK(made[3] >= 0 && shm_unlink("/d") == 0 && close(made[3]) == 0);
    /* Not open, but named. */
    CHECK(close(made[1]) == 0 && close(made[2]) == 0);
    made[1] = shm_open("/b", O_RDWR, 0);
    CHECK(made[1] >= 0 && close(made[1]) == 0);
    CHECK(shm_unlink("/b") == 0 && shm_unlink("/c") == 0);
    end();

    begin("a client that makes all that it can, and keeps it, takes nothing of others'");
    /* Of names it has a share, of memory a pool. */
    CHECK(tell("peer", NAME, 0, "") == 0 && value == 3);
    CHECK(tell("peer", HOARD, 0, "") == 0 && value == 8);
    CHECK(tell("peer", CREATE, 0, "more") == ENOSPC);
    for (int n = 0; n < 3; n++) {
        const char name[] = {'/', (char)('a' + n), 0};
        made[n] = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0);
        CHECK(made[n] >= 0 && ftruncate(made[n], ROOM) == 0);
    }
    for (int n = 0; n < 3; n++) {
        const char name[] = {'/', (char)('a' + n), 0};
        CHECK(close(made[n]) == 0 && shm_unlink(name) == 0);
    }
    CHECK(tell("peer", DIE, 0, "") == DEAD);
    CHECK(tell("peer", HOARD, 0, "") == 0 && value == 8);
    CHECK(tell("peer", DIE, 0, "") == DEAD);
    end();

    begin("shm_open: as many descriptors as there are; EMFILE, and no handle is lost");
    made[0] = shm_open("/a", O_RDWR | O_CREAT, 0);
    for (more = 0; shm_open("/a", O_RDONLY, 0) >= 0; more++)
        ;
    CHECK(errno == EMFILE && more > 8);
    /* Nothing is made for nobody. */
    CHECK(FAILS(shm_open("/b", O_RDWR | O_CREAT, 0), EMFILE) && tell("peer", OPEN_TO_READ, 0, "b") == ENOENT);
    for (int descriptor = 4; descriptor < 20; descriptor++)
        CHECK(close(descriptor) == 0);
    CHECK(close(made[0]) == 0 && shm_unlink("/a") == 0);
    for (int n = 0; n < 3; n++) {
        const char name[] = {'/', (char)('a' + n), 0};
        made[n] = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0);
        CHECK(made[n] >= 0 && close(made[n]) == 0);
    }
    CHECK(shm_unlink("/a") == 0 && shm_unlink("/b") == 0 && shm_unlink("/c") == 0);
    end();

    begin("shm_open: a process has 8 objects open or mapped; EMFILE, and nothing is made");
    {
        int all[8];
        for (int n = 0; n < 8; n++) {
            CHECK(tell("peer", CREATE, 0, "x") == 0);
            all[n] = shm_open("/x", O_RDONLY, 0);
            CHECK(all[n] >= 0 && tell("peer", UNLINK, 0, "x") == 0);
        }
        CHECK(FAILS(shm_open("/new", O_RDWR | O_CREAT, 0), EMFILE));
        CHECK(FAILS(shm_open("/new", O_RDWR | O_CREAT | O_EXCL, 0), EMFILE));
        CHECK(tell("peer", OPEN_TO_READ, 0, "new") == ENOENT && tell("peer", CLOSE, 0, "") == 0);
        for (int n = 0; n < 8; n++)
            CHECK(close(all[n]) == 0);
        CHECK(tell("peer", HOARD, 0, "") == 0 && value == 8 && tell("peer", DIE, 0, "") == DEAD);
    }
    end();
}
