/* <sys/wait.h>: the ends of children. */

#ifndef _SYS_WAIT_H
#define _SYS_WAIT_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Do not wait. */
#define WNOHANG 1
/* Stopped children, too: there are none. */
#define WUNTRACED 2

/* A status is the exit status in its second byte, or the signal that has ended the child in its first, where no child that
 * has stopped has 0x7F: none stops. */
#define WIFEXITED(status) (((status)&0xFF) == 0)
#define WEXITSTATUS(status) (((status) >> 8) & 0xFF)
#define WIFSIGNALED(status) (((status)&0xFF) != 0 && ((status)&0xFF) != 0x7F)
#define WTERMSIG(status) ((status)&0x7F)
#define WIFSTOPPED(status) (((status)&0xFF) == 0x7F)
#define WSTOPSIG(status) WEXITSTATUS(status)

/* Waits for the end of any child, and forgets it: its PID, and how it ended in *status, if that is not NULL. -1: ECHILD
 * if there is none, EINTR, EAGAIN if as many threads of this process wait as may, EIO. A child that has faulted was
 * ended by SIGSEGV, SIGBUS, SIGILL or SIGFPE, one that has panicked by SIGABRT, one that was stopped by SIGKILL. */
pid_t wait(int *status);

/* The same of the child `pid`, or of any if that is -1 or 0. With WNOHANG 0, if none has ended. -1: as wait; EINVAL of
 * options that are none. There are no process groups: of one below -1 there is no child. */
pid_t waitpid(pid_t pid, int *status, int options);

#ifdef __cplusplus
}
#endif

#endif
