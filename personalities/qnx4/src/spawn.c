/* Children: POSIX's, by QNX 4's call. */

#include <errno.h>
#include <process.h>
#include <spawn.h>

#include "qnx4.h"

#define WITHOUT_MEANING                                                                                                \
    (_SPAWN_BGROUND | _SPAWN_NEWPGRP | _SPAWN_TCSETPGRP | _SPAWN_SIGCLR | _SPAWN_SETSID | _SPAWN_NOHUP)

/* What the descriptors are to be in the child. */
static int give(posix_spawn_file_actions_t *actions, const char *iov)
{
    for (int descriptor = 0; iov && descriptor < QNX4_IOV; descriptor++) {
        if (iov[descriptor] == (char)-1)
            continue;
        if (descriptor > 1)
            return ENOTSUP;
        const int error = posix_spawn_file_actions_adddup2(actions, iov[descriptor], descriptor);
        if (error)
            return error;
    }
    return 0;
}

pid_t qnx_spawn(int exec, struct _proc_spawn *msgbuf, nid_t node, int prio, int sched_algo, int flags, const char *path,
                char **argv, char **envp, char *iov, int ctfd)
{
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    int error;
    (void)msgbuf;
    (void)ctfd;
    if (node != 0)
        return qnx4_fail(EHOSTUNREACH);
    if (exec || prio != -1 || sched_algo != -1 || flags & ~WITHOUT_MEANING)
        return qnx4_fail(ENOTSUP);
    posix_spawn_file_actions_init(&actions);
    error = give(&actions, iov);
    if (!error)
        error = posix_spawn(&child, path, &actions, NULL, argv, envp);
    posix_spawn_file_actions_destroy(&actions);
    return error ? qnx4_fail(error) : child;
}
