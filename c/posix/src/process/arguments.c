/* What a program was given by who has spawned it: arguments, environment, standard input and output. Linked into
 * programs that others spawn. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../descriptor/files.h"
#include "../descriptor/pipes.h"
#include "manager.h"

/* The answer: which child this is, how many of the texts are arguments, and the texts, the last of which ends here whatever the
 * manager says. */
static struct {
    uint32_t pid;
    uint32_t arguments;
    char block[MANAGER_BLOCK + 1];
} given;
/* Bytes before the texts. */
#define HEAD 8
/* With a NULL behind them. */
static char *arguments[CHILD_TEXTS + 1], *environment[CHILD_TEXTS + 1];

uint32_t posix_own_pid;

/* c/start.c calls it before main. */
int posix_arguments(char ***argv);

/* Spreads the texts; how many arguments there are. Who has spawned it may have given more than there is room for: the
 * environment begins behind all of them. */
static int spread(size_t length)
{
    size_t seen = 0, names = 0;
    for (size_t at = 0; at < length; at += strlen(given.block + at) + 1, seen++) {
        char *const text = given.block + at;
        if (seen < given.arguments && seen < CHILD_TEXTS)
            arguments[seen] = text;
        else if (seen >= given.arguments && names < CHILD_TEXTS)
            environment[names++] = text;
    }
    if (seen > given.arguments)
        seen = given.arguments;
    return (int)(seen < CHILD_TEXTS ? seen : CHILD_TEXTS);
}

int posix_arguments(char ***argv)
{
    const ssize_t length = posix_ask_manager(MANAGER_ARGUMENTS, 0, NULL, 0, &given, HEAD + MANAGER_BLOCK);
    int count = 0;
    /* A process manager that has begun anew does not know any more. */
    if (length > HEAD) {
        posix_own_pid = given.pid;
        count = spread((size_t)length - HEAD);
    }
    environ = environment;
    *argv = arguments;
    /* The streams are opened now: who has spawned it waits for that. */
    if (posix_table_lock())
        posix_table_unlock();
    return count;
}

/* What the environment said of a standard stream at the start. */
static const char *place_of(const char *name)
{
    const size_t length = strlen(name);
    for (char *const *it = environment; *it; it++)
        if (!strncmp(*it, name, length) && (*it)[length] == '=')
            return *it + length + 1;
    return NULL;
}

bool posix_inherited(int descriptor, struct posix_description *open);

bool posix_inherited(int descriptor, struct posix_description *open)
{
    const char *const place = descriptor == STDIN_FILENO    ? place_of("STDIN")
                              : descriptor == STDOUT_FILENO ? place_of("STDOUT")
                                                            : NULL;
    const int mode = descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY;
    if (!place)
        return false;
    memset(open, 0, sizeof *open);
    if (*place == '|')
        return !posix_open_end((uint32_t)strtoul(place + 1, NULL, 16), mode, open);
    return !posix_open_plain(place, mode, open);
}
