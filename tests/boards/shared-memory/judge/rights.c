/* Who may what. */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The status of a request of so many bytes. */
static uint32_t status_of(const void *request, size_t length)
{
    riposte_connection_t server;
    riposte_reply_t reply = {0};
    if (riposte_connect("shared-memory", &server) != RIPOSTE_OK
        || riposte_send(server, request, length, NULL, 0, &reply) != RIPOSTE_OK)
        return DEAD;
    return reply.status;
}

void rights(void)
{
    static char request[100];
    uint32_t *const words = (uint32_t *)(void *)request;
    volatile uint32_t *own;
    int made;

    begin("who opened an object to read can map it to be read alone, and is stopped if it writes");
    own = make("/own", 64, &made);
    CHECK((void *)own != MAP_FAILED);
    own[0] = 5;
    CHECK(tell("peer", OPEN_TO_READ, 0, "own") == 0);
    CHECK(tell("peer", MAP, 0, "") == KERNEL + RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(tell("peer", MAP_TO_READ, 0, "") == 0 && tell("peer", PEEK, 0, "") == 0 && value == 5);
    CHECK(tell("peer", POKE_ANYWAY, 6, "") == DEAD && own[0] == 5);
    CHECK(tell("peer", OPEN_TO_WRITE, 0, "own") == 0 && tell("peer", MAP, 0, "") == 0);
    CHECK(tell("peer", POKE_ANYWAY, 6, "") == 0 && own[0] == 6);
    CHECK(tell("peer", UNMAP, 0, "") == 0 && tell("peer", CLOSE, 0, "") == 0);
    end();

    begin("a client that may change nothing opens objects to read, and makes, resizes and takes away none");
    CHECK(tell("viewer", OPEN_TO_WRITE, 0, "own") == EACCES && tell("viewer", CREATE, 0, "own") == EACCES);
    CHECK(tell("viewer", CREATE, 0, "new") == EACCES && tell("viewer", UNLINK, 0, "own") == EACCES);
    CHECK(tell("viewer", OPEN_TO_READ, 0, "own") == 0 && value == 64);
    CHECK(tell("viewer", RESIZE, 4, "") == EACCES && tell("viewer", SIZE, 0, "") == 0 && value == 64);
    CHECK(tell("viewer", MAP, 0, "") == KERNEL + RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(tell("viewer", MAP_TO_READ, 0, "") == 0 && tell("viewer", PEEK, 0, "") == 0 && value == 6);
    CHECK(tell("viewer", UNMAP, 0, "") == 0 && tell("viewer", CLOSE, 0, "") == 0);
    end();

    begin("a request that makes no sense is EINVAL, and changes nothing");
    CHECK(status_of(NULL, 0) == EINVAL && status_of(request, 7) == EINVAL);
    for (uint32_t operation = 0; operation < 6; operation++) {
        memset(request, 0, sizeof request);
        words[0] = operation;
        /* Nothing behind it, too little, too much. */
        CHECK(status_of(request, 8) == EINVAL && status_of(request, 9) == EINVAL && status_of(request, 40) == EINVAL);
        CHECK(status_of(request, 100) == EINVAL);
        strcpy(request + 8, "own/own1");
        words[0] = operation | 1u << 31;
        CHECK(status_of(request, 11) == EINVAL && status_of(request, 16) == EINVAL);
        words[0] = operation;
        words[1] = operation == 3 ? 0 : 1;
        CHECK(status_of(request, 11) == EINVAL && (operation == 3 || status_of(request, 16) == EINVAL));
    }
    memset(request, 0xFF, sizeof request);
    CHECK(status_of(request, 8) == EINVAL && status_of(request, 16) == EINVAL && status_of(request, 39) == EINVAL);
    /* No object has such a number. */
    words[0] = 3;
    words[1] = 0;
    CHECK(status_of(request, 16) == ENOENT);
    words[0] = 2;
    CHECK(status_of(request, 16) == ENOENT && own[0] == 6);
    CHECK(munmap((void *)(uintptr_t)own, 64) == 0 && close(made) == 0 && shm_unlink("/own") == 0);
    end();
}
