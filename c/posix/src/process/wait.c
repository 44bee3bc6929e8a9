/* wait, waitpid. */

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "../descriptor/table.h"
#include "manager.h"

/* The signal that ends a program which faults so elsewhere. */
static int signal_of(uint32_t reason)
{
    switch (reason) {
    case RIPOSTE_FAULT_ILLEGAL:
    case RIPOSTE_FAULT_BREAKPOINT:
        return SIGILL;
    case RIPOSTE_FAULT_ARITHMETIC:
        return SIGFPE;
    case RIPOSTE_FAULT_BUS:
        return SIGBUS;
    case RIPOSTE_FAULT_PANIC:
        return SIGABRT;
    default:
        return SIGSEGV;
    }
}

static int status_of(uint32_t reason, uint32_t status, uint32_t signal)
{
    if (reason == RIPOSTE_FAULT_EXIT)
        return (int)((status & 0xFF) << 8);
    if (reason == RIPOSTE_FAULT_CONTROLLED)
        return signal ? (int)signal : SIGKILL;
    return signal_of(reason);
}

static pid_t wait_for(pid_t pid, int *status, int options)
{
    uint32_t end[4] = {0};
    ssize_t length;
    if (options & ~(WNOHANG | WUNTRACED))
        return -EINVAL;
    if (pid < -1)
        return -ECHILD;
    length = posix_ask_manager(MANAGER_WAIT | (options & WNOHANG ? MANAGER_TRY : 0), pid > 0 ? (uint32_t)pid : 0, NULL,
                               0, end, sizeof end);
    if (length == -ENOSYS)
        return -ECHILD;
    if (length == -EAGAIN && options & WNOHANG)
        return 0;
    if (length < 0)
        return (pid_t)length;
    /* Of less there is no child. */
    if (length != sizeof end)
        return -EIO;
    if (status)
        *status = status_of(end[1], end[2], end[3]);
    return (pid_t)end[0];
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    return posix_result(wait_for(pid, status, options));
}

pid_t wait(int *status)
{
    return waitpid(-1, status, 0);
}
