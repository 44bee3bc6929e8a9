/* Shared memory objects that are made while programs run, against the text of IEEE 1003.1-2017; with others that may less,
 * want all, and die. */

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

uint32_t value;

uint32_t tell(const char *who, uint32_t order, uint32_t argument, const char *name)
{
    struct {
        uint32_t words[2];
        char name[32];
    } request = {{order, argument}, ""};
    uint32_t answer[2] = {0};
    riposte_connection_t peer;
    riposte_error_t error;
    strcpy(request.name, name);
    if (riposte_connect(who, &peer) != RIPOSTE_OK)
        return DEAD;
    error = riposte_send(peer, &request, sizeof request.words + strlen(name), answer, sizeof answer, NULL);
    value = answer[1];
    return error == RIPOSTE_OK ? answer[0] : DEAD;
}

void *make(const char *name, size_t length, int *descriptor)
{
    *descriptor = shm_open(name, O_RDWR | O_CREAT, 0600);
    if (*descriptor < 0 || ftruncate(*descriptor, (off_t)length))
        return MAP_FAILED;
    return mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, *descriptor, 0);
}

int main(void)
{
    objects();
    mappings();
    rights();
    shares();
    locks();
    deaths();
    restarts();
    puts("@done");
    return (int)riposte_shutdown(0);
}
