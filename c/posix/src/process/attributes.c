/* The attributes of children. */

#include <errno.h>
#include <spawn.h>
#include <string.h>

#define ALL                                                                                                            \
    (POSIX_SPAWN_RESETIDS | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSCHEDPARAM | POSIX_SPAWN_SETSCHEDULER               \
     | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)

int posix_spawnattr_init(posix_spawnattr_t *attributes)
{
    memset(attributes, 0, sizeof *attributes);
    return 0;
}

int posix_spawnattr_destroy(posix_spawnattr_t *attributes)
{
    memset(attributes, 0, sizeof *attributes);
    return 0;
}

int posix_spawnattr_setflags(posix_spawnattr_t *attributes, short flags)
{
    if (flags & ~ALL)
        return EINVAL;
    attributes->flags = flags;
    return 0;
}

int posix_spawnattr_getflags(const posix_spawnattr_t *__restrict attributes, short *__restrict flags)
{
    *flags = attributes->flags;
    return 0;
}

int posix_spawnattr_setpgroup(posix_spawnattr_t *attributes, pid_t group)
{
    attributes->group = (pid_t)group;
    return 0;
}

int posix_spawnattr_getpgroup(const posix_spawnattr_t *__restrict attributes, pid_t *__restrict group)
{
    *group = attributes->group;
    return 0;
}

int posix_spawnattr_setschedpolicy(posix_spawnattr_t *attributes, int policy)
{
    attributes->policy = (short)policy;
    return 0;
}

int posix_spawnattr_getschedpolicy(const posix_spawnattr_t *__restrict attributes, int *__restrict policy)
{
    *policy = attributes->policy;
    return 0;
}

int posix_spawnattr_setschedparam(posix_spawnattr_t *__restrict attributes, const struct sched_param *__restrict parameters)
{
    attributes->parameters = *parameters;
    return 0;
}

int posix_spawnattr_getschedparam(const posix_spawnattr_t *__restrict attributes, struct sched_param *__restrict parameters)
{
    *parameters = attributes->parameters;
    return 0;
}

int posix_spawnattr_setsigdefault(posix_spawnattr_t *__restrict attributes, const sigset_t *__restrict defaults)
{
    attributes->defaults = *defaults;
    return 0;
}

int posix_spawnattr_getsigdefault(const posix_spawnattr_t *__restrict attributes, sigset_t *__restrict defaults)
{
    *defaults = attributes->defaults;
    return 0;
}

int posix_spawnattr_setsigmask(posix_spawnattr_t *__restrict attributes, const sigset_t *__restrict mask)
{
    attributes->mask = *mask;
    return 0;
}

int posix_spawnattr_getsigmask(const posix_spawnattr_t *__restrict attributes, sigset_t *__restrict mask)
{
    *mask = attributes->mask;
    return 0;
}
