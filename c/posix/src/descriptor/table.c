/* The table of descriptors. Its lock is never held while a server is asked, but for the first use, which opens the
 * standard streams. */

#include "table.h"

#include <fcntl.h>
#include <unistd.h>
#include <string.h>

#include "../posix.h"

static struct posix_lock lock;
/* Whether the standard streams are there. */
static bool is_ready;

/* In programs that others start: what the environment gives it in place of the console. Returns whether it does. */
__attribute__((weak)) bool posix_inherited(int descriptor, struct posix_description *open);

static void set(int descriptor, struct posix_description *open, uint8_t flags)
{
    posix_descriptors[descriptor].description = (uint8_t)(open - posix_descriptions + 1);
    posix_descriptors[descriptor].flags = flags;
    open->users++;
}

static struct posix_description *get(int descriptor)
{
    const uint8_t place = posix_descriptors[descriptor].description;
    return place ? &posix_descriptions[place - 1] : NULL;
}

/* Opens the standard streams: each what this program was given for it, or else the console. */
static void prepare(void)
{
    struct posix_description *const console = &posix_descriptions[0];
    is_ready = true;
    console->operations = &posix_console;
    console->flags = O_RDWR;
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        struct posix_description *const own = &posix_descriptions[descriptor + 1];
        if (posix_inherited && posix_inherited(descriptor, own))
            set(descriptor, own, 0);
        else
            set(descriptor, console, 0);
    }
}

bool posix_table_lock(void)
{
    if (!posix_lock(&lock))
        return false;
    if (!is_ready)
        prepare();
    return true;
}

void posix_table_unlock(void)
{
    posix_unlock(&lock);
}

int posix_error_of(riposte_error_t error)
{
    switch (error) {
    case RIPOSTE_ERROR_SERVER_DIED:
    case RIPOSTE_ERROR_BAD_HANDLE:
    case RIPOSTE_ERROR_PEER_DIED:
        return EIO;
    default:
        /* The others have errno's numbers. */
        return (int)error;
    }
}

ssize_t posix_result(ssize_t result)
{
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

int posix_use(int descriptor, struct posix_description **open)
{
    struct posix_description *found = NULL;
    if (descriptor < 0 || (size_t)descriptor >= posix_descriptor_count || !posix_table_lock())
        return -EBADF;
    found = get(descriptor);
    if (found && found->operations)
        found->users++;
    else
        found = NULL;
    posix_table_unlock();
    *open = found;
    return found ? 0 : -EBADF;
}

int posix_done(struct posix_description *open)
{
    struct posix_description last;
    int closed = 0;
    if (!posix_table_lock())
        return -EIO;
    last = *open;
    if (last.users > 1)
        open->users--;
    posix_table_unlock();
    if (last.users > 1)
        return 0;
    /* Nobody finds it any more. */
    if (last.operations && last.operations->close)
        closed = last.operations->close(&last);
    if (last.is_own_server)
        riposte_close(last.server);
    if (!posix_table_lock())
        return -EIO;
    memset(open, 0, sizeof *open);
    posix_table_unlock();
    return closed;
}

/* The lowest free descriptor from `from` on. The caller has the lock. */
static int lowest(int from)
{
    for (; (size_t)from < posix_descriptor_count; from++)
        if (!get(from))
            return from;
    return -EMFILE;
}

int posix_reserve(int from, uint8_t flags, struct posix_description **open)
{
    int descriptor;
    if (!posix_table_lock())
        return -EMFILE;
    descriptor = lowest(from);
    /* There are as many descriptions as descriptors, of which each stands for at most one; but those may be more that
     * a call still uses whose descriptor was closed. */
    for (size_t place = 0; descriptor >= 0; place++) {
        struct posix_description *const it = &posix_descriptions[place];
        if (place == posix_descriptor_count) {
            descriptor = -EMFILE;
        } else if (!it->users) {
            /* One for the descriptor, one for who opens it. */
            it->users = 1;
            set(descriptor, it, flags);
            *open = it;
            break;
        }
    }
    posix_table_unlock();
    return descriptor;
}

void posix_open_as(struct posix_description *open, const struct posix_description *made)
{
    if (!posix_table_lock())
        return;
    const uint16_t users = open->users;
    *open = *made;
    open->users = users;
    posix_table_unlock();
    posix_done(open);
}

void posix_give_up(int descriptor, struct posix_description *open)
{
    bool is_there = false;
    if (!posix_table_lock())
        return;
    /* Another thread may have put something else in its place. */
    is_there = get(descriptor) == open;
    if (is_there)
        memset(&posix_descriptors[descriptor], 0, sizeof posix_descriptors[descriptor]);
    posix_table_unlock();
    if (is_there)
        posix_done(open);
    posix_done(open);
}

int posix_duplicate(struct posix_description *open, int from, uint8_t flags)
{
    int descriptor;
    if (from < 0 || (size_t)from >= posix_descriptor_count)
        return -EINVAL;
    if (!posix_table_lock())
        return -EMFILE;
    descriptor = lowest(from);
    if (descriptor >= 0)
        set(descriptor, open, flags);
    posix_table_unlock();
    return descriptor;
}

static int close_descriptor(int descriptor)
{
    struct posix_description *found = NULL;
    if (descriptor < 0 || (size_t)descriptor >= posix_descriptor_count || !posix_table_lock())
        return -EBADF;
    found = get(descriptor);
    if (found && found->operations)
        memset(&posix_descriptors[descriptor], 0, sizeof posix_descriptors[descriptor]);
    else
        found = NULL;
    posix_table_unlock();
    return found ? posix_done(found) : -EBADF;
}

int posix_close(int descriptor)
{
    return (int)posix_result(close_descriptor(descriptor));
}

int close(int descriptor) __attribute__((alias("posix_close")));

static int duplicate_to(int descriptor, int other)
{
    struct posix_description *open, *before;
    int error = posix_use(descriptor, &open);
    if (error)
        return error;
    if (other < 0 || (size_t)other >= posix_descriptor_count || !posix_table_lock()) {
        posix_done(open);
        return -EBADF;
    }
    before = get(other);
    if (descriptor != other)
        set(other, open, 0);
    posix_table_unlock();
    posix_done(open);
    /* What becomes of that one, nobody is told: POSIX has no place for it. */
    if (before && descriptor != other)
        posix_done(before);
    return other;
}

int dup2(int descriptor, int other)
{
    return (int)posix_result(duplicate_to(descriptor, other));
}

int dup(int descriptor)
{
    return fcntl(descriptor, F_DUPFD, 0);
}
