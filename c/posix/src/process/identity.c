/* Who a process is, who has spawned it, and the only user that there is. */

#include <unistd.h>

#include "manager.h"

/* What a spawned process was told at its start: in programs that are not, nobody tells it. */
__attribute__((weak)) uint32_t posix_own_pid;

/* Of a process that begins with the system: its place in the manifest, and 1. */
pid_t getpid(void)
{
    return posix_own_pid ? (pid_t)posix_own_pid : (pid_t)riposte_process_index() + 1;
}

/* Nobody has spawned a process that begins with the system, and the parent of others may have ended: 0. */
pid_t getppid(void)
{
    uint32_t parent = 0;
    const bool is_told = posix_own_pid && posix_ask_manager(MANAGER_PARENT, 0, NULL, 0, &parent, sizeof parent) > 0;
    return is_told ? (pid_t)parent : 0;
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
