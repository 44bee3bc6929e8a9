/* mkfifo in a tree of files, whose server has the bytes, too: a name like a file's, and an end like a pipe's. */

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include <riposte.h>

static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};
static const char fifo[] = "/ram/a FIFO with a long name";

static void names(void)
{
    struct stat is;
    struct dirent *entry;
    bool is_listed = false;
    begin("mkfifo in a tree of files: a name like a file's; EEXIST, ENOENT, ENOTDIR, ENAMETOOLONG");
    CHECK(mkfifo(fifo, 0600) == 0 && stat(fifo, &is) == 0 && S_ISFIFO(is.st_mode) && is.st_nlink == 1 && is.st_size == 0);
    CHECK(FAILS(mkfifo(fifo, 0600), EEXIST) && FAILS(mkfifo("/ram", 0600), EEXIST));
    CHECK(FAILS(mkfifo("/ram/absent/fifo", 0600), ENOENT) && FAILS(mkfifo("/ram/new/", 0600), ENOENT));
    CHECK(FAILS(mkfifo("/ram/a FIFO with a long name/x", 0600), ENOTDIR));
    CHECK(FAILS(mkfifo("/ram/a name that is longer than any may be", 0600), ENAMETOOLONG));
    DIR *const directory = opendir("/ram");
    CHECK(directory);
    while (directory && (entry = readdir(directory)) != NULL)
        is_listed |= !strcmp(entry->d_name, fifo + 5);
    CHECK(is_listed && closedir(directory) == 0);
    CHECK(access(fifo, R_OK | W_OK) == 0 && FAILS(truncate(fifo, 0), EINVAL) && FAILS(rmdir(fifo), ENOTDIR));
    CHECK(FAILS(chdir(fifo), ENOTDIR) && IS_NULL(opendir(fifo), ENOTDIR) && pathconf(fifo, _PC_PIPE_BUF) == 512);
    end();
    begin("mkfifo EROFS, and open for writing: who may change nothing reads a FIFO, and no more");
    CHECK(FAILS(mkfifo("/safe/fifo", 0600), EROFS) && FAILS(open("/safe/a FIFO with a long name", O_WRONLY), EROFS));
    CHECK(access("/safe/a FIFO with a long name", R_OK) == 0);
    CHECK(FAILS(access("/safe/a FIFO with a long name", W_OK), EROFS));
    const int reader = open("/safe/a FIFO with a long name", O_RDONLY | O_NONBLOCK);
    const int writer = open(fifo, O_WRONLY | O_NONBLOCK);
    char room[4];
    CHECK(reader == 3 && writer == 4 && write(writer, "near", 4) == 4 && read(reader, room, 4) == 4);
    CHECK(close(reader) == 0 && close(writer) == 0);
    end();
    begin("rename of a FIFO: another name, and the place of a file; a file takes that of a FIFO");
    CHECK(rename(fifo, "other") == 0 && FAILS(stat(fifo, &is), ENOENT) && stat("other", &is) == 0 && S_ISFIFO(is.st_mode));
    const int file = open("file", O_WRONLY | O_CREAT, 0600);
    CHECK(file == 3 && close(file) == 0 && rename("other", "file") == 0 && stat("file", &is) == 0 && S_ISFIFO(is.st_mode));
    const int plain = open("plain", O_WRONLY | O_CREAT, 0600);
    CHECK(plain == 3 && close(plain) == 0 && rename("plain", "file") == 0 && stat("file", &is) == 0 && S_ISREG(is.st_mode));
    CHECK(unlink("file") == 0 && mkfifo(fifo, 0600) == 0);
    end();
}

static void ends(void)
{
    char room[600];
    struct stat is;
    begin("open of a FIFO in a tree of files: as one of the server of pipes");
    CHECK(FAILS(open(fifo, O_RDONLY | O_DIRECTORY), ENOTDIR) && FAILS(open(fifo, O_RDONLY | O_CREAT | O_EXCL), EEXIST));
    CHECK(FAILS(open(fifo, O_RDWR), EINVAL) && FAILS(open(fifo, O_WRONLY | O_NONBLOCK), ENXIO));
    const int reader = open(fifo, O_RDONLY | O_NONBLOCK), writer = open(fifo, O_WRONLY | O_TRUNC | O_APPEND);
    CHECK(reader == 3 && writer == 4 && FAILS(read(reader, room, 1), EAGAIN));
    CHECK(fstat(writer, &is) == 0 && S_ISFIFO(is.st_mode) && FAILS(lseek(reader, 0, SEEK_SET), ESPIPE));
    CHECK(FAILS(write(reader, "x", 1), EBADF) && FAILS(read(writer, room, 1), EBADF));
    struct pollfd polled = {reader, POLLIN, 0};
    CHECK(poll(&polled, 1, 0) == 0 && write(writer, "bytes", 5) == 5 && poll(&polled, 1, 0) == 1);
    CHECK(polled.revents == POLLIN && read(reader, room, sizeof room) == 5 && !memcmp(room, "bytes", 5));
    CHECK(fcntl(writer, F_SETFL, O_NONBLOCK) == 0 && write(writer, room, sizeof room) == 512);
    CHECK(FAILS(write(writer, "x", 1), EAGAIN) && read(reader, room, sizeof room) == 512);
    end();
    begin("close of a FIFO's ends: the end of it, EPIPE, and what nobody has read is gone");
    const int copy = dup(writer);
    CHECK(write(copy, "left", 4) == 4 && close(writer) == 0 && read(reader, room, 1) == 1 && close(copy) == 0);
    CHECK(read(reader, room, sizeof room) == 3 && read(reader, room, sizeof room) == 0);
    const int again = open(fifo, O_WRONLY);
    CHECK(write(again, "more", 4) == 4 && close(reader) == 0 && signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    CHECK(FAILS(write(again, "x", 1), EPIPE) && close(again) == 0 && signal(SIGPIPE, SIG_DFL) == SIG_IGN);
    const int fresh = open(fifo, O_RDONLY | O_NONBLOCK);
    CHECK(FAILS(read(fresh, room, 1), EAGAIN) && close(fresh) == 0);
    end();
    begin("posix_spawn ENOTSUP: a child's stream is no FIFO of a tree of files, and nobody waits at it, or is met, for that");
    posix_spawn_file_actions_t actions;
    char *const nothing[] = {NULL};
    pid_t child;
    const int meant = open(fifo, O_RDONLY | O_NONBLOCK);
    CHECK(posix_spawn_file_actions_init(&actions) == 0);
    CHECK(posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, fifo, O_WRONLY, 0) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, nothing, nothing) == ENOTSUP && FAILS(read(meant, room, 1), EAGAIN));
    CHECK(posix_spawn_file_actions_destroy(&actions) == 0 && close(meant) == 0);
    end();
    begin("unlink of a FIFO that is open: it has no link, and another one of its name is another one");
    const int old = open(fifo, O_RDONLY | O_NONBLOCK), into = open(fifo, O_WRONLY);
    CHECK(fstat(old, &is) == 0 && is.st_nlink == 1 && unlink(fifo) == 0 && fstat(old, &is) == 0 && is.st_nlink == 0);
    CHECK(mkfifo(fifo, 0600) == 0 && FAILS(open(fifo, O_WRONLY | O_NONBLOCK), ENXIO));
    const int new = open(fifo, O_RDONLY | O_NONBLOCK);
    CHECK(write(into, "old", 3) == 3 && FAILS(read(new, room, 1), EAGAIN) && read(old, room, 4) == 3);
    CHECK(fstat(new, &is) == 0 && is.st_nlink == 1 && close(new) == 0 && close(old) == 0 && close(into) == 0);
    const int replaced = open(fifo, O_RDONLY | O_NONBLOCK);
    CHECK(mkfifo("another", 0600) == 0 && rename("another", fifo) == 0);
    CHECK(fstat(replaced, &is) == 0 && is.st_nlink == 0 && FAILS(open(fifo, O_WRONLY | O_NONBLOCK), ENXIO));
    CHECK(close(replaced) == 0);
    end();
    begin("open of a FIFO EMFILE: as many of those that its maker has made are open as may be");
    CHECK(mkfifo("one", 0600) == 0 && mkfifo("two", 0600) == 0);
    const int first = open("one", O_RDONLY | O_NONBLOCK), third = open("two", O_RDONLY | O_NONBLOCK);
    CHECK(first == 3 && third == 4 && FAILS(open(fifo, O_RDONLY | O_NONBLOCK), EMFILE));
    CHECK(close(first) == 0);
    const int now = open(fifo, O_RDONLY | O_NONBLOCK);
    CHECK(now == 3 && close(now) == 0 && close(third) == 0 && unlink("one") == 0 && unlink("two") == 0);
    end();
}

static uint32_t restart_late(void *process)
{
    riposte_sleep(3000000);
    return riposte_process_restart(*(riposte_process_t *)process) != RIPOSTE_OK;
}

static void waiting(void)
{
    char room[8];
    uint32_t value = 1;
    riposte_thread_t other;
    riposte_process_t files;
    begin("open of a FIFO in a tree of files waits until somebody opens the other side, and its reader for bytes");
    writer_has_come = false;
    CHECK(riposte_thread_spawn(write_over, (void *)(uintptr_t)fifo, &second, &other) == RIPOSTE_OK);
    const int waited = open(fifo, O_RDONLY);
    CHECK(waited >= 3 && writer_has_come && read(waited, room, 8) == 4 && !memcmp(room, "over", 4) && read(waited, room, 8) == 0);
    CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 0 && close(waited) == 0);
    end();
    begin("a FIFO outlives its server, its ends do not");
    const int reader = open(fifo, O_RDONLY | O_NONBLOCK), writer = open(fifo, O_WRONLY);
    CHECK(write(writer, "lost", 4) == 4 && riposte_process("files", &files) == RIPOSTE_OK);
    CHECK(riposte_process_restart(files) == RIPOSTE_OK);
    CHECK(FAILS(read(reader, room, 1), EIO) && FAILS(close(reader), EIO) && FAILS(close(writer), EIO));
    const int fresh = open(fifo, O_RDONLY | O_NONBLOCK);
    CHECK(fresh == 3 && FAILS(read(fresh, room, 1), EAGAIN) && close(fresh) == 0);
    end();
    begin("poll, select: an end whose server ends meanwhile is POLLERR, and can be read");
    const int waits = open(fifo, O_RDONLY | O_NONBLOCK), writes = open(fifo, O_WRONLY);
    struct pollfd set = {waits, POLLIN, 0};
    fd_set reads;
    CHECK(riposte_thread_spawn(restart_late, &files, &second, &other) == RIPOSTE_OK);
    CHECK(poll(&set, 1, -1) == 1 && set.revents == POLLERR);
    CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 0);
    FD_ZERO(&reads);
    FD_SET(waits, &reads);
    CHECK(select(waits + 1, &reads, NULL, NULL, NULL) == 1 && FD_ISSET(waits, &reads));
    CHECK(FAILS(close(waits), EIO) && FAILS(close(writes), EIO) && unlink(fifo) == 0);
    end();
}

/* The pipes' requests, and what they are told, as servers/pipe/client/src/protocol.rs has them. */
enum { OPEN_READ = 32, OPEN_WRITE, CLOSE, READ, MAKE = 37, REMOVE = 39, LOOK = 43, BEHIND = 46, TRY = 1 << 8 };
enum { NO_SUCH_PIPE = 1, BAD_END = 3, BAD_REQUEST = 7, TAKEN = 8, NOT_YOURS = 10, BAD_NAME, BAD_CAPACITY };
#define NOT_SUPPORTED 88

static uint32_t answered;

static uint32_t ask(const char *connection, uint32_t operation, uint32_t number, const char *name)
{
    struct {
        uint32_t head[2];
        char name[200];
    } request = {{operation, number}, ""};
    riposte_connection_t server;
    riposte_reply_t reply;
    strcpy(request.name, name);
    answered = 0;
    if (riposte_connect(connection, &server) != RIPOSTE_OK
        || riposte_send(server, &request, 8 + strlen(name), &answered, sizeof answered, &reply) != RIPOSTE_OK)
        return UINT32_MAX;
    return reply.status;
}

static void requests(void)
{
    static char too_long[200];
    struct stat is;
    memset(too_long, 'x', 190);
    begin("the requests of the server of pipes: a name is a path, and of what is no FIFO there is no pipe");
    const int file = open("plain", O_WRONLY | O_CREAT, 0600);
    CHECK(file == 3 && close(file) == 0);
    CHECK(ask("files", MAKE, 512, "raw") == 0 && stat("raw", &is) == 0 && S_ISFIFO(is.st_mode));
    CHECK(ask("files", MAKE, 512, "raw") == TAKEN && ask("files", MAKE, 512, "plain") == TAKEN);
    CHECK(ask("files", MAKE, 513, "new") == BAD_CAPACITY && ask("files", MAKE, 0, "new") == BAD_CAPACITY);
    CHECK(ask("files", MAKE, 1, "") == BAD_NAME && ask("files", MAKE, 1, "absent/new") == BAD_NAME);
    CHECK(ask("files", MAKE, 1, too_long) == BAD_NAME && ask("files", OPEN_READ, 0, too_long) == NO_SUCH_PIPE);
    CHECK(ask("files", LOOK, 0, "raw") == 0 && answered == 512);
    CHECK(ask("files", LOOK, 0, "plain") == NO_SUCH_PIPE && ask("files", OPEN_READ, 0, "plain") == NO_SUCH_PIPE);
    CHECK(ask("files", OPEN_WRITE, 0, "/") == NO_SUCH_PIPE && ask("files", OPEN_WRITE, 0, "absent") == NO_SUCH_PIPE);
    CHECK(ask("files", REMOVE, 0, "plain") == NO_SUCH_PIPE && stat("plain", &is) == 0);
    CHECK(ask("files", OPEN_READ | TRY, 0, "raw") == BAD_REQUEST && ask("files", LOOK | TRY, 0, "raw") == BAD_REQUEST);
    CHECK(ask("files", BEHIND, 0, "") == BAD_REQUEST && ask("files", OPEN_READ - 1, 0, "") == NOT_SUPPORTED);
    end();
    begin("the requests of the server of pipes: who may change nothing, and another one's end");
    CHECK(ask("safe", MAKE, 512, "new") == NOT_YOURS && ask("safe", REMOVE, 0, "raw") == NOT_YOURS);
    CHECK(ask("safe", OPEN_WRITE, 0, "raw") == NOT_YOURS && ask("safe", OPEN_WRITE | TRY, 0, "raw") == NOT_YOURS);
    CHECK(ask("files", OPEN_READ, 0, "raw") == 0);
    const uint32_t end_of_it = answered;
    CHECK(ask("safe", READ | TRY, end_of_it, "abcd") == BAD_END && ask("safe", CLOSE, end_of_it, "") == BAD_END);
    CHECK(ask("files", CLOSE, end_of_it, "") == 0 && ask("files", CLOSE, end_of_it, "") == BAD_END);
    CHECK(ask("files", REMOVE, 0, "raw") == 0 && ask("files", REMOVE, 0, "raw") == NO_SUCH_PIPE);
    CHECK(FAILS(stat("raw", &is), ENOENT) && unlink("plain") == 0);
    end();
}

void fifos(void)
{
    names();
    requests();
    ends();
    waiting();
}
