/* posix_spawn: a program of the manifest becomes a child. */

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../descriptor/path.h"
#include "../descriptor/pipes.h"
#include "manager.h"

enum { ADD_CLOSE, ADD_DUP, ADD_OPEN };

/* Descriptors whose numbers the actions may name that are not open here. */
#define NUMBERS 32

/* What a descriptor is to be in the child. */
struct plan {
    /* An own descriptor; -1: none, -2: a path. */
    int own;
    const char *path;
    int flags;
    /* It is there for the actions, and not for the child. */
    bool closes;
};

/* Arguments and environment, each with a zero behind it, and how many names that is. */
struct block {
    char text[MANAGER_BLOCK];
    size_t length;
    size_t names;
};

static int put(struct block *block, const char *first, const char *second)
{
    const size_t one = strlen(first), two = strlen(second);
    if (block->length + one + two + 1 > sizeof block->text)
        return E2BIG;
    memcpy(block->text + block->length, first, one);
    memcpy(block->text + block->length + one, second, two + 1);
    block->length += one + two + 1;
    return 0;
}

/* Puts a name of the environment and its value. */
static int put_name(struct block *block, const char *name, const char *value)
{
    return block->names++ < CHILD_TEXTS ? put(block, name, value) : E2BIG;
}

/* What the file actions make of the descriptors. */
static int follow(const posix_spawn_file_actions_t *actions, struct plan plans[NUMBERS])
{
    for (int n = 0; n < NUMBERS; n++) {
        const int flags = fcntl(n, F_GETFD);
        plans[n] = (struct plan){.own = flags >= 0 ? n : -1, .closes = flags >= 0 && flags & FD_CLOEXEC};
    }
    for (int n = 0; actions && n < actions->count; n++) {
        const int from = actions->actions[n].from, to = actions->actions[n].to;
        if (to >= NUMBERS || from >= NUMBERS)
            return EBADF;
        switch (actions->actions[n].what) {
        case ADD_CLOSE:
            plans[to].own = -1;
            break;
        case ADD_DUP:
            if (plans[from].own == -1)
                return EBADF;
            plans[to] = plans[from];
            plans[to].closes = false;
            break;
        default:
            plans[to] = (struct plan){.own = -2, .path = actions->paths + actions->actions[n].path,
                                      .flags = actions->actions[n].flags};
        }
    }
    for (int n = 0; n < NUMBERS; n++)
        if (plans[n].closes)
            plans[n].own = -1;
    return 0;
}

/* A file that the child opens: made and emptied now, as the child only opens it. */
static int put_path(struct block *block, const char *name, const struct plan *plan)
{
    struct posix_place place;
    struct stat is;
    const int mode = plan->flags & O_ACCMODE;
    int file, error;
    if (mode == O_RDWR || (!strcmp(name, "STDIN=") ? mode != O_RDONLY : mode != O_WRONLY))
        return ENOTSUP;
    error = posix_find(plan->path, &place);
    if (error)
        return error;
    posix_leave(&place);
    /* The console is what it has without. */
    if (place.realm == REALM_CONSOLE)
        return 0;
    /* It opens files of the server that is connected as `files`, by their paths there; and nothing tells it to write at the
     * end: it would over what is there. */
    if (place.realm != REALM_FILES || place.device != 1 || plan->flags & O_APPEND)
        return ENOTSUP;
    /* Nor does it open a FIFO, at which this process would wait, and be met by who is there for the child. */
    if (!posix_stat_of(&place, &is) && S_ISFIFO(is.st_mode))
        return ENOTSUP;
    /* First: what does not fit has made no file. */
    error = put_name(block, name, place.rest);
    if (error)
        return error;
    file = posix_open(plan->path, plan->flags);
    if (file < 0)
        return errno;
    posix_close(file);
    return 0;
}

/* Says what the child's descriptor is. The end of a pipe that it is to open is stored, and in use until it is expected there:
 * nobody closes it before. */
static int put_stream(struct block *block, const char *name, const struct plan *plan, struct posix_description **end)
{
    static const char digits[] = "0123456789abcdef";
    struct posix_description *open;
    char number[10] = "|";
    int error;
    if (plan->own == -2)
        return put_path(block, name, plan);
    /* What has no descriptor there is the console. */
    if (plan->own == -1)
        return 0;
    error = -posix_use(plan->own, &open);
    if (error)
        return error;
    if (open->operations == &posix_pipe_end && open->pipe) {
        for (int n = 0; n < 8; n++)
            number[1 + n] = digits[open->pipe >> (28 - 4 * n) & 0xF];
        *end = open;
        return put_name(block, name, number);
    }
    if (open->operations != &posix_console)
        error = ENOTSUP;
    posix_done(open);
    return error;
}

/* A child's standard error is the console: nothing tells it of another. */
static int check_standard_error(const struct plan *plan)
{
    struct posix_description *open;
    struct posix_place place;
    bool is_console;
    int error = 0;
    if (plan->own == -1)
        return 0;
    if (plan->own == -2) {
        error = posix_find(plan->path, &place);
        if (error)
            return error;
        posix_leave(&place);
        return place.realm == REALM_CONSOLE ? 0 : ENOTSUP;
    }
    error = -posix_use(plan->own, &open);
    if (error)
        return error;
    is_console = open->operations == &posix_console;
    posix_done(open);
    return is_console ? 0 : ENOTSUP;
}

/* Whether an entry of the environment says what a stream is: what this process was told is not for the child. */
static bool is_stream(const char *entry)
{
    return !strncmp(entry, "STDIN=", 6) || !strncmp(entry, "STDOUT=", 7);
}

static int check(const posix_spawnattr_t *attributes)
{
    const sigset_t none = 0;
    if (!attributes)
        return 0;
    if (attributes->flags & (POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSCHEDPARAM | POSIX_SPAWN_SETSCHEDULER))
        return ENOTSUP;
    if (attributes->flags & POSIX_SPAWN_SETSIGMASK && memcmp(&attributes->mask, &none, sizeof none))
        return ENOTSUP;
    return 0;
}

int posix_spawn(pid_t *__restrict pid, const char *__restrict path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *__restrict attributes, char *const argv[], char *const envp[])
{
    struct plan plans[NUMBERS];
    struct block block = {"", 0, 0};
    const char *const slash = strrchr(path, '/');
    uint32_t count = 1, child = 0;
    struct posix_description *ends[2] = {NULL, NULL};
    int error = check(attributes);
    if (!error)
        error = follow(actions, plans);
    if (!error)
        error = check_standard_error(&plans[STDERR_FILENO]);
    if (!error)
        error = put(&block, slash ? slash + 1 : path, "");
    for (; !error && argv && argv[0] && argv[count]; count++)
        error = count < CHILD_TEXTS ? put(&block, argv[count], "") : E2BIG;
    for (; !error && envp && *envp; envp++)
        if (!is_stream(*envp))
            error = put_name(&block, *envp, "");
    if (!error)
        error = put_stream(&block, "STDIN=", &plans[STDIN_FILENO], &ends[0]);
    if (!error)
        error = put_stream(&block, "STDOUT=", &plans[STDOUT_FILENO], &ends[1]);
    if (!error) {
        const ssize_t answer = posix_ask_manager(MANAGER_SPAWN | count << MANAGER_ARGUMENT, 0, block.text, block.length,
                                                 &child, sizeof child);
        error = answer < 0 ? (int)-answer : answer == sizeof child ? 0 : EIO;
    }
    for (int n = 0; n < 2; n++) {
        if (ends[n] && !error)
            posix_expect(ends[n], child);
        if (ends[n])
            posix_done(ends[n]);
    }
    if (error)
        return error;
    if (pid)
        *pid = (pid_t)child;
    return 0;
}

int posix_spawnp(pid_t *__restrict pid, const char *__restrict file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *__restrict attributes, char *const argv[], char *const envp[])
{
    return posix_spawn(pid, file, actions, attributes, argv, envp);
}

int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions)
{
    memset(actions, 0, sizeof *actions);
    return 0;
}

int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions)
{
    memset(actions, 0, sizeof *actions);
    return 0;
}

/* Adds an action. */
static int add(posix_spawn_file_actions_t *actions, int what, int from, int to)
{
    if (from < 0 || to < 0 || from >= NUMBERS || to >= NUMBERS)
        return EBADF;
    if (actions->count >= RIPOSTE_PRIVATE_SPAWN_ACTIONS)
        return ENOMEM;
    actions->actions[actions->count].what = (signed char)what;
    actions->actions[actions->count].from = (short)from;
    actions->actions[actions->count].to = (short)to;
    actions->count++;
    return 0;
}

int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *__restrict actions, int descriptor,
                                     const char *__restrict path, int flags, mode_t mode)
{
    const size_t length = strlen(path) + 1;
    int error;
    (void)mode;
    if (length > RIPOSTE_PRIVATE_SPAWN_PATHS - (size_t)actions->used)
        return ENOMEM;
    error = add(actions, ADD_OPEN, 0, descriptor);
    if (error)
        return error;
    memcpy(actions->paths + actions->used, path, length);
    actions->actions[actions->count - 1].path = actions->used;
    actions->actions[actions->count - 1].flags = flags;
    actions->used = (unsigned char)(actions->used + length);
    return 0;
}

int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int descriptor, int other)
{
    return add(actions, ADD_DUP, descriptor, other);
}

int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *actions, int descriptor)
{
    return add(actions, ADD_CLOSE, 0, descriptor);
}
