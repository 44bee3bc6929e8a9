/* <spawn.h>: children. They are programs that the manifest names (`[[program]]`), and that it lets this process spawn.
 *
 * A child gets its arguments, its environment, and as descriptors 0 and 1 what those are here once the file actions
 * are done: the console, a pipe of pipe(), or a file that an action opens. Other descriptors it does not get. */

#ifndef _SPAWN_H_
#define _SPAWN_H_

#include <sched.h>
#include <signal.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POSIX_SPAWN_RESETIDS 0x01
#define POSIX_SPAWN_SETPGROUP 0x02
#define POSIX_SPAWN_SETSCHEDPARAM 0x04
#define POSIX_SPAWN_SETSCHEDULER 0x08
#define POSIX_SPAWN_SETSIGDEF 0x10
#define POSIX_SPAWN_SETSIGMASK 0x20

typedef struct {
    short flags;
    short policy;
    pid_t group;
    struct sched_param parameters;
    sigset_t defaults;
    sigset_t mask;
} posix_spawnattr_t;

/* Actions, at most, and bytes of their paths. */
#define RIPOSTE_PRIVATE_SPAWN_ACTIONS 8
#define RIPOSTE_PRIVATE_SPAWN_PATHS 128

typedef struct {
    struct {
        signed char what;
        unsigned char path;
        short from;
        short to;
        int flags;
    } actions[RIPOSTE_PRIVATE_SPAWN_ACTIONS];
    unsigned char count;
    unsigned char used;
    char paths[RIPOSTE_PRIVATE_SPAWN_PATHS];
} posix_spawn_file_actions_t;

/* Starts the program of the path's last name as a child, and stores its PID. Returns the error: ENOENT if there is no
 * such program, EPERM if the manifest does not let this process spawn it, EAGAIN if all its instances are in use or
 * this process has as many children as it may, E2BIG of more than 32 arguments, 32 names in the environment (of which
 * each standard stream that is not the console takes one) or 256 bytes of both, EBADF of a descriptor in the actions
 * that is none, ENOTSUP of a descriptor that a child can't get, or of attributes that it can't have, and what open says
 * of a path. The first argument is the program's name, whatever argv says. */
int posix_spawn(pid_t *__restrict pid, const char *__restrict path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *__restrict attributes, char *const argv[], char *const envp[]);

/* The same: programs are not in directories. */
int posix_spawnp(pid_t *__restrict pid, const char *__restrict file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *__restrict attributes, char *const argv[], char *const envp[]);

/* What the child is to do with descriptors, in order. EBADF of a number that no descriptor can have, ENOMEM of more
 * than 8 actions, or than 128 bytes of paths. */
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *__restrict actions, int descriptor,
                                     const char *__restrict path, int flags, mode_t mode);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int descriptor, int other);
int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *actions, int descriptor);

/* Attributes. A child has the priority, the policy and the signals that the manifest says: with POSIX_SPAWN_SETPGROUP,
 * POSIX_SPAWN_SETSCHEDPARAM or POSIX_SPAWN_SETSCHEDULER, or a mask of signals that is not empty, posix_spawn says
 * ENOTSUP. EINVAL of flags that are none. */
int posix_spawnattr_init(posix_spawnattr_t *attributes);
int posix_spawnattr_destroy(posix_spawnattr_t *attributes);
int posix_spawnattr_getflags(const posix_spawnattr_t *__restrict attributes, short *__restrict flags);
int posix_spawnattr_setflags(posix_spawnattr_t *attributes, short flags);
int posix_spawnattr_getpgroup(const posix_spawnattr_t *__restrict attributes, pid_t *__restrict group);
int posix_spawnattr_setpgroup(posix_spawnattr_t *attributes, pid_t group);
int posix_spawnattr_getschedparam(const posix_spawnattr_t *__restrict attributes,
                                  struct sched_param *__restrict parameters);
int posix_spawnattr_setschedparam(posix_spawnattr_t *__restrict attributes,
                                  const struct sched_param *__restrict parameters);
int posix_spawnattr_getschedpolicy(const posix_spawnattr_t *__restrict attributes, int *__restrict policy);
int posix_spawnattr_setschedpolicy(posix_spawnattr_t *attributes, int policy);
int posix_spawnattr_getsigdefault(const posix_spawnattr_t *__restrict attributes, sigset_t *__restrict defaults);
int posix_spawnattr_setsigdefault(posix_spawnattr_t *__restrict attributes, const sigset_t *__restrict defaults);
int posix_spawnattr_getsigmask(const posix_spawnattr_t *__restrict attributes, sigset_t *__restrict mask);
int posix_spawnattr_setsigmask(posix_spawnattr_t *__restrict attributes, const sigset_t *__restrict mask);

#ifdef __cplusplus
}
#endif

#endif
