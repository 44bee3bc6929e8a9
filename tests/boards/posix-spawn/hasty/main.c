/* More urgent than who has spawned it: whatever it does it has done when that one goes on. As `hasty` it ends before it has
 * opened its streams, as `brief` it closes its output and lives on. */

#include <string.h>
#include <time.h>
#include <unistd.h>

#include <riposte.h>

static __attribute__((constructor)) void end_early(void)
{
    if (!strncmp(riposte_process_name(), "hasty", 5))
        _exit(6);
}

int main(void)
{
    close(STDOUT_FILENO);
    for (;;)
        nanosleep(&(struct timespec){1000, 0}, NULL);
}
