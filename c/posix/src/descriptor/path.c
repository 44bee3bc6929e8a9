/* From a path to the server that has what it leads to: the connection that the manifest gives this process for a
 * directory of a fixed name, or else what the names server knows. */

#include "path.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "../posix.h"
#include "files.h"
#include "pipes.h"

/* What the names server is asked, as servers/names/client/src/protocol.rs has it. */
#define NAMES_LOCATE (2 | 1 << 8)
#define NAMES_PATH 64
#define NAMES_NO_HANDLES 8

/* Where what each connection leads to is found. The first directory that the process has is where it begins. */
static const struct top {
    const char *path;
    const char *connection;
    enum posix_realm realm;
} tops[] = {
    {"/ram", "files", REALM_FILES},
    {"/sd", "sd", REALM_FILES},
    {"/safe", "safe", REALM_FILES},
    {"/pipe", "pipes", REALM_PIPES},
    {"/dev/console", "console", REALM_CONSOLE},
    {"/dev/tty", "console", REALM_CONSOLE},
    {"/dev/null", NULL, REALM_NULL},
    {"/tmp", "files", REALM_FILES},
};
#define TOPS (sizeof tops / sizeof *tops)
/* The device of what the names server has found. */
#define LOCATED (TOPS + 1)

/* The working directory, without a `/` at its end; empty before it is first asked for. */
static char working[LONGEST_PATH + 1];

/* Whether the manifest gives this process what is there. */
static bool is_there(const struct top *top)
{
    riposte_connection_t server;
    return !top->connection || riposte_connect(top->connection, &server) != RIPOSTE_ERROR_NOT_PERMITTED;
}

const char *posix_top(size_t n)
{
    for (size_t at = 0; at < TOPS; at++)
        if (!strchr(tops[at].path + 1, '/') && is_there(&tops[at]) && !n--)
            return tops[at].path + 1;
    return NULL;
}

/* The working directory, of at most LONGEST_PATH bytes, into `text`; its length. */
static size_t get_working(char *text)
{
    if (!posix_table_lock())
        return 0;
    if (!working[0]) {
        const char *const first = posix_top(0);
        working[0] = '/';
        if (first)
            strcpy(working + 1, first);
    }
    strcpy(text, working);
    posix_table_unlock();
    return strlen(text);
}

/* The end of a name in a path. */
static const char *end_of(const char *name)
{
    return name + strcspn(name, "/");
}

static bool is_dots(const char *name, const char *end)
{
    return end - name == 2 && name[0] == '.' && name[1] == '.';
}

/* Whether a path leads out of the directory in which it begins, and where it goes on from the one above. */
static const char *leads_out(const char *path)
{
    int depth = 0;
    for (const char *name = path + strspn(path, "/"); *name;) {
        const char *const end = end_of(name);
        if (is_dots(name, end) && depth-- == 0)
            return end;
        if (!is_dots(name, end) && !(end - name == 1 && *name == '.'))
            depth++;
        name = end + strspn(end, "/");
    }
    return NULL;
}

/* A path without what comes first and leads nowhere: `/` twice, `.`, and `..` above the root. */
static const char *without_dots(const char *path)
{
    for (;;) {
        const char *const name = path + strspn(path, "/"), *const end = end_of(name);
        if (end == name)
            return "/";
        if (!is_dots(name, end) && !(end - name == 1 && *name == '.'))
            return name - 1;
        path = *end ? end : "/";
    }
}

/* What is behind a path that another one begins with, or NULL. */
static const char *behind(const char *path, const char *top)
{
    for (;;) {
        size_t length;
        path += strspn(path, "/");
        top += strspn(top, "/");
        if (!*top)
            return path - 1;
        length = (size_t)(end_of(top) - top);
        if (strncmp(path, top, length) || (path[length] && path[length] != '/'))
            return NULL;
        path += length;
        top += length;
        if (!*path && !*top)
            return "/";
    }
}

/* Asks the names server. */
static int locate(const char *path, struct posix_place *place)
{
    struct {
        uint32_t operation;
        char path[NAMES_PATH];
    } request = {NAMES_LOCATE, ""};
    const size_t length = strlen(path);
    riposte_reply_t reply;
    riposte_connection_t names;
    riposte_error_t error = riposte_connect("names", &names);
    uint64_t masked;
    if (error == RIPOSTE_ERROR_NOT_PERMITTED)
        return ENOENT;
    if (error != RIPOSTE_OK)
        return posix_error_of(error);
    if (length > NAMES_PATH)
        return ENAMETOOLONG;
    memcpy(request.path, path, length);
    /* The server does not wait, and the handle would be lost. */
    masked = posix_hold_signals();
    error = riposte_send_bytes_for_handle_until(names, &request, sizeof request.operation + length, RIPOSTE_FOREVER,
                                                &reply, &place->server);
    posix_release_signals(masked);
    if (error != RIPOSTE_OK)
        return error == RIPOSTE_ERROR_NO_HANDLES ? EMFILE : posix_error_of(error);
    if (reply.status || !place->server.handle)
        return reply.status == NAMES_NO_HANDLES ? EMFILE : ENOENT;
    if (reply.words[0] > length) {
        riposte_close(place->server);
        return EIO;
    }
    place->is_own_server = true;
    place->device = LOCATED;
    place->realm = REALM_FILES;
    place->name = path;
    place->name_length = reply.words[0];
    place->rest = path[reply.words[0]] ? path + reply.words[0] : "/";
    return 0;
}

bool posix_is_same_server(const struct posix_place *one, const struct posix_place *other)
{
    const char *name, *other_name;
    if (!one->is_own_server || !other->is_own_server)
        return one->server.handle == other->server.handle;
    name = one->name + strspn(one->name, "/");
    other_name = other->name + strspn(other->name, "/");
    while (name < one->name + one->name_length && other_name < other->name + other->name_length) {
        const size_t length = (size_t)(end_of(name) - name);
        if (length != (size_t)(end_of(other_name) - other_name) || strncmp(name, other_name, length))
            return false;
        name += length + strspn(name + length, "/");
        other_name += length + strspn(other_name + length, "/");
    }
    return name >= one->name + one->name_length && other_name >= other->name + other->name_length;
}

/* A path from the root on. */
static int find(const char *path, struct posix_place *place)
{
    const char *out;
    path = without_dots(path);
    place->rest = path;
    if (!path[1]) {
        place->realm = REALM_ROOT;
        return 0;
    }
    for (size_t at = 0; at < TOPS; at++) {
        const struct top *const top = &tops[at];
        const char *const rest = behind(path, top->path);
        riposte_error_t error;
        if (!rest)
            continue;
        /* Below the root there is one above. */
        if (!strchr(top->path + 1, '/') && (out = leads_out(rest)) != NULL)
            return find(*out ? out : "/", place);
        place->realm = top->realm;
        place->device = (uint8_t)(at + 1);
        place->rest = rest;
        if (!top->connection)
            return 0;
        error = riposte_connect(top->connection, &place->server);
        if (error == RIPOSTE_ERROR_NOT_PERMITTED)
            break;
        return error == RIPOSTE_OK ? 0 : posix_error_of(error);
    }
    return locate(path, place);
}

int posix_find(const char *path, struct posix_place *place)
{
    size_t length = 0;
    int error;
    memset(place, 0, offsetof(struct posix_place, text));
    if (!*path)
        return ENOENT;
    if (*path != '/') {
        length = get_working(place->text);
        place->text[length++] = '/';
    }
    if (length + strlen(path) > LONGEST_PATH)
        return ENAMETOOLONG;
    strcpy(place->text + length, path);
    error = find(place->text, place);
    /* Neither of them is a directory, which a slash behind it asks for, too. */
    if (!error && (place->realm == REALM_CONSOLE || place->realm == REALM_NULL)
        && (place->rest[1] || path[strlen(path) - 1] == '/'))
        error = ENOTDIR;
    return error;
}

void posix_leave(struct posix_place *place)
{
    if (place->is_own_server)
        riposte_close(place->server);
}

ssize_t posix_ask_of(const struct posix_place *place, uint32_t operation, void *answer, size_t room)
{
    struct {
        uint32_t head[2];
        char path[FILES_PATH];
    } request = {{operation, 0}, ""};
    const size_t length = strlen(place->rest);
    if (length > FILES_PATH)
        return -ENAMETOOLONG;
    memcpy(request.path, place->rest, length);
    return posix_ask(place->server, &request, sizeof request.head + length, answer, room);
}

int posix_stat_of(const struct posix_place *place, struct stat *stat)
{
    uint32_t words[4] = {FILES_KIND_DIRECTORY, 0, 0, 0};
    switch (place->realm) {
    case REALM_FILES: {
        const ssize_t length = posix_ask_of(place, FILES_STAT_PATH, words, sizeof words);
        if (length < 0)
            return (int)length;
        break;
    }
    case REALM_ROOT:
        break;
    case REALM_PIPES:
        if (place->rest[1]) {
            const int found = posix_look_at_fifo(place);
            if (found < 0)
                return found;
            words[0] = FILES_KIND_PIPE;
        }
        break;
    default:
        words[0] = FILES_KIND_CONSOLE;
    }
    posix_fill_stat(stat, words, place->device);
    return 0;
}

/* Appends a path to one without dots, and takes these out of it. `text` has room for LONGEST_PATH and a zero. */
static int append(char *text, size_t length, const char *path)
{
    for (const char *name = path + strspn(path, "/"); *name;) {
        const char *const end = end_of(name);
        const size_t bytes = (size_t)(end - name);
        if (is_dots(name, end)) {
            while (length && text[--length] != '/')
                ;
        } else if (!(bytes == 1 && *name == '.')) {
            if (length + 1 + bytes > LONGEST_PATH)
                return ENAMETOOLONG;
            text[length] = '/';
            memcpy(text + length + 1, name, bytes);
            length += 1 + bytes;
        }
        name = end + strspn(end, "/");
    }
    if (!length)
        text[length++] = '/';
    text[length] = '\0';
    return 0;
}

static int change_directory(const char *path)
{
    struct posix_place place;
    struct stat stat;
    char text[LONGEST_PATH + 1];
    size_t length = 0;
    int error = -posix_find(path, &place);
    if (error)
        return error;
    error = posix_stat_of(&place, &stat);
    posix_leave(&place);
    if (error)
        return error;
    if (!S_ISDIR(stat.st_mode))
        return -ENOTDIR;
    /* All that it leads through is there, and there are no links: what the dots take back are directories. */
    if (*path != '/')
        length = get_working(text);
    if (length == 1)
        length = 0;
    error = -append(text, length, path);
    if (error)
        return error;
    if (!posix_table_lock())
        return -EIO;
    strcpy(working, text);
    posix_table_unlock();
    return 0;
}

int chdir(const char *path)
{
    return (int)posix_result(change_directory(path));
}

char *getcwd(char *buffer, size_t size)
{
    char text[LONGEST_PATH + 1];
    const size_t length = get_working(text);
    if (!buffer || !size) {
        errno = EINVAL;
        return NULL;
    }
    if (length >= size) {
        errno = ERANGE;
        return NULL;
    }
    memcpy(buffer, text, length + 1);
    return buffer;
}
