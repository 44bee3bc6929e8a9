/* Who a process is, and the only user that there is. (Who a process's parent is, the process manager does not tell it:
 * there is no getppid.) */

#include <unistd.h>

#include "manager.h"

/* What a spawned process was told at its start: in programs that are not, nobody tells it. */
__attribute__((weak)) uint32_t posix_own_pid;

/* Of a process that begins with the system: its place in the manifest, and 1. */
pid_t getpid(void)
{
    return posix_own_pid ? (pid_t)posix_own_pid : (pid_t)riposte_process_index() + 1;
}

uid_t getuid(void)
{
    return 0;
}

uid_t geteuid(void)
{
    return 0;
}

gid_t getgid(void)
{
    return 0;
}

gid_t getegid(void)
{
    return 0;
}
