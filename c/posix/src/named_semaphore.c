/* Named semaphores. One whose name is that of a region of the manifest lies there, and is that of all processes that have
 * the region; any other one is its process's own. */

#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>

#include "named.h"
#include "posix.h"

/* Most semaphores that are a process's own at once. */
#define OWN 16

/* At the beginning of a region. All zeros is none yet. */
struct shared {
    uint32_t is_made;
    sem_t sem;
};

/* One of the process's own, in use while somebody has it open or it has its name. */
static struct own {
    sem_t sem;
    char name[POSIX_NAME_LENGTH + 1];
    uint32_t opened;
    bool has_name;
} own[OWN];
static riposte_mutex_t lock;

/* Gives a semaphore the units that it begins with. Somebody may wait for them already. */
static void fill(sem_t *sem, unsigned units)
{
    for (; units; units--) {
        uint32_t none = 0;
        if (riposte_word_compare_exchange(&sem->__word, &none, units))
            return;
        sem_post(sem);
    }
}

static sem_t *open_shared(struct shared *shared, int flags, unsigned units)
{
    uint32_t none = 0;
    if (!(flags & O_CREAT)) {
        if (riposte_word_load(&shared->is_made))
            return &shared->sem;
        errno = ENOENT;
        return SEM_FAILED;
    }
    if (riposte_word_compare_exchange(&shared->is_made, &none, 1)) {
        fill(&shared->sem, units);
    } else if (flags & O_EXCL) {
        errno = EEXIST;
        return SEM_FAILED;
    }
    return &shared->sem;
}

/* The process's own semaphore of this name, if there is one. */
static struct own *find(const char *name)
{
    struct own *each;
    for (each = own; each < own + OWN; each++)
        if (each->has_name && strcmp(each->name, name) == 0)
            return each;
    return NULL;
}

static struct own *make(const char *name, unsigned units)
{
    struct own *each;
    for (each = own; each < own + OWN; each++) {
        if (each->has_name || each->opened)
            continue;
        strcpy(each->name, name);
        each->has_name = true;
        each->sem.__word = units;
        return each;
    }
    return NULL;
}

/* The caller has the lock. */
static sem_t *open_own(const char *name, int flags, unsigned units)
{
    struct own *found = find(name);
    if (found && (flags & O_CREAT) && (flags & O_EXCL)) {
        errno = EEXIST;
        return SEM_FAILED;
    }
    if (!found && !(flags & O_CREAT)) {
        errno = ENOENT;
        return SEM_FAILED;
    }
    if (!found)
        found = make(name, units);
    if (!found) {
        errno = ENOSPC;
        return SEM_FAILED;
    }
    found->opened++;
    return &found->sem;
}

sem_t *sem_open(const char *name, int flags, ...)
{
    unsigned units = 0;
    struct shared *shared;
    sem_t *sem;
    if (flags & O_CREAT) {
        va_list more;
        va_start(more, flags);
        (void)va_arg(more, int);
        units = va_arg(more, unsigned);
        va_end(more);
    }
    name = posix_name(name);
    if (!name)
        return SEM_FAILED;
    if (units > SEM_VALUE_MAX) {
        errno = EINVAL;
        return SEM_FAILED;
    }
    shared = posix_region(name, sizeof *shared, NULL);
    if (shared)
        return open_shared(shared, flags, units);
    riposte_mutex_lock(&lock);
    sem = open_own(name, flags, units);
    riposte_mutex_unlock(&lock);
    return sem;
}

int sem_close(sem_t *sem)
{
    struct own *each;
    for (each = own; each < own + OWN; each++) {
        bool was_open;
        if (sem != &each->sem)
            continue;
        riposte_mutex_lock(&lock);
        was_open = each->opened != 0;
        if (was_open)
            each->opened--;
        riposte_mutex_unlock(&lock);
        return was_open ? 0 : posix_fail(EINVAL);
    }
    /* One in a region needs nobody to end. */
    return 0;
}

int sem_unlink(const char *name)
{
    struct own *found;
    name = posix_name(name);
    if (!name)
        return -1;
    /* The name is the manifest's. */
    if (posix_region(name, sizeof(struct shared), NULL))
        return posix_fail(EACCES);
    riposte_mutex_lock(&lock);
    found = find(name);
    if (found)
        found->has_name = false;
    riposte_mutex_unlock(&lock);
    return found ? 0 : posix_fail(ENOENT);
}
