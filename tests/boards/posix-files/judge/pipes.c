/* pipe, mkfifo, and what reads and writes of them are told. */

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <riposte.h>

static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};
static const char text[PIPE_BUF + 100] = "abcdefgh";

static volatile sig_atomic_t broken;

static void note_broken(int number)
{
    (void)number;
    broken++;
}

/* Where SIGPIPE's handler writes, how often it has run, and how deep in itself at most. */
static int nowhere, runs, depth, deepest;

/* Brings its own signal about again the first time, and USR1. */
static void write_nowhere(int number)
{
    (void)number;
    if (++depth > deepest)
        deepest = depth;
    if (runs++ == 0) {
        CHECK(FAILS(write(nowhere, "x", 1), EPIPE) && FAILS(write(nowhere, "x", 1), EPIPE));
        CHECK(raise(SIGUSR1) == 0);
    }
    depth--;
}

/* What is ignored in the handler waits no longer. */
static void ignore_in_between(int number)
{
    (void)number;
    if (runs++ == 0) {
        CHECK(raise(SIGPIPE) == 0 && signal(SIGPIPE, SIG_IGN) == ignore_in_between);
        CHECK(signal(SIGPIPE, ignore_in_between) == SIG_IGN);
    }
}

static sigjmp_buf back;

/* Its own signal waits when it leaves. */
static void leave(int number)
{
    if (runs++ < 2)
        CHECK(raise(number) == 0);
    siglongjmp(back, runs);
}

/* Of an application without signals, which this one is. Nobody reads at the other end. */
static void masked(int pipe_end)
{
    struct sigaction action = {.sa_handler = write_nowhere};

    begin("sigaction: a handler's signal waits for its end, once; and what its mask says, of those below SIGRTMIN");
    nowhere = pipe_end;
    CHECK(sigemptyset(&action.sa_mask) == 0 && sigaction(SIGPIPE, &action, NULL) == 0);
    CHECK(signal(SIGUSR1, note_broken) == SIG_DFL);
    broken = 0;
    CHECK(FAILS(write(pipe_end, "x", 1), EPIPE) && runs == 2 && deepest == 1 && broken == 1);
    CHECK(sigaddset(&action.sa_mask, SIGUSR1) == 0 && sigaction(SIGPIPE, &action, NULL) == 0);
    CHECK(signal(SIGUSR1, write_nowhere) == note_broken);
    runs = 0;
    CHECK(kill(getpid(), SIGPIPE) == 0 && runs == 3 && deepest == 1);
    action.sa_flags = SA_NODEFER;
    CHECK(sigaction(SIGPIPE, &action, NULL) == 0);
    runs = 0;
    CHECK(raise(SIGPIPE) == 0 && runs == 4 && deepest == 2);
    CHECK(signal(SIGPIPE, ignore_in_between) == write_nowhere);
    runs = 0;
    CHECK(raise(SIGPIPE) == 0 && runs == 1);
    CHECK(signal(SIGPIPE, SIG_DFL) == ignore_in_between && signal(SIGUSR1, SIG_DFL) == write_nowhere);
    end();

    begin("sigsetjmp, siglongjmp: what a handler masks that leaves is masked no more, and what waited for its end comes");
    CHECK(signal(SIGUSR1, leave) == SIG_DFL);
    for (volatile int times = 0; times < 3; times++) {
        volatile int told;
        runs = 0;
        told = sigsetjmp(back, 1);
        if (!told) {
            raise(SIGUSR1);
            CHECK(!"it has left");
        }
        CHECK(told == 3 && runs == 3);
    }
    CHECK(signal(SIGUSR1, SIG_DFL) == leave);
    end();
}

static void unnamed(void)
{
    char room[PIPE_BUF];
    int ends[2], more[2];
    struct stat is;
    begin("pipe: two descriptors, the lowest ones; the first is to read, the second to write");
    CHECK(pipe(ends) == 0 && ends[0] == 3 && ends[1] == 4);
    CHECK(fcntl(ends[0], F_GETFL) == O_RDONLY && fcntl(ends[1], F_GETFL) == O_WRONLY && fcntl(ends[0], F_GETFD) == 0);
    CHECK(fstat(ends[0], &is) == 0 && S_ISFIFO(is.st_mode));
    CHECK(write(ends[1], "abc", 3) == 3 && write(ends[1], "def", 3) == 3);
    CHECK(read(ends[0], room, 4) == 4 && read(ends[0], room + 4, 4) == 2 && !memcmp(room, "abcdef", 6));
    CHECK(FAILS(read(ends[1], room, 1), EBADF) && FAILS(write(ends[0], room, 1), EBADF));
    CHECK(FAILS(lseek(ends[0], 0, SEEK_CUR), ESPIPE) && FAILS(ftruncate(ends[1], 0), EINVAL));
    end();
    begin("read of an empty pipe, O_NONBLOCK: EAGAIN as long as somebody can write; then the end");
    CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && FAILS(read(ends[0], room, 1), EAGAIN));
    CHECK(write(ends[1], "x", 1) == 1 && close(ends[1]) == 0);
    CHECK(read(ends[0], room, 9) == 1 && read(ends[0], room, 9) == 0 && read(ends[0], room, 9) == 0);
    CHECK(close(ends[0]) == 0);
    end();
    begin("write of at most PIPE_BUF bytes, O_NONBLOCK: all, or EAGAIN and nothing; of more: what there is room for");
    CHECK(pipe(ends) == 0 && fpathconf(ends[0], _PC_PIPE_BUF) == PIPE_BUF);
    CHECK(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 && write(ends[1], text, 100) == 100);
    CHECK(FAILS(write(ends[1], text, PIPE_BUF), EAGAIN));
    CHECK(write(ends[1], text, PIPE_BUF + 100) == PIPE_BUF - 100);
    CHECK(FAILS(write(ends[1], text, PIPE_BUF + 100), EAGAIN) && FAILS(write(ends[1], text, 1), EAGAIN));
    CHECK(read(ends[0], room, sizeof room) > 0);
    end();
    begin("write EPIPE, SIGPIPE before it: nobody has it open to be read");
    CHECK(close(ends[0]) == 0 && signal(SIGPIPE, note_broken) == SIG_DFL);
    CHECK(FAILS(write(ends[1], "x", 1), EPIPE) && broken == 1 && signal(SIGPIPE, SIG_IGN) == note_broken);
    CHECK(FAILS(write(ends[1], "x", 1), EPIPE) && broken == 1);
    CHECK(signal(SIGPIPE, SIG_DFL) == SIG_IGN);
    end();
    masked(ends[1]);
    CHECK(close(ends[1]) == 0);
    begin("dup of an end: the pipe ends with the last one");
    CHECK(pipe(ends) == 0 && dup(ends[1]) == 5 && close(ends[1]) == 0 && write(5, "x", 1) == 1 && close(5) == 0);
    CHECK(read(ends[0], room, 9) == 1 && read(ends[0], room, 9) == 0 && close(ends[0]) == 0);
    end();
    begin("pipe EMFILE: no two descriptors, or as many pipes as may be; nothing was left open");
    int count = 0;
    while (open("/dev/null", O_RDONLY) < 18)
        count++;
    more[0] = more[1] = 77;
    CHECK(FAILS(pipe(more), EMFILE) && more[0] == 77 && more[1] == 77);
    CHECK(open("/dev/null", O_RDONLY) == 19);
    for (int descriptor = 3; descriptor < 20; descriptor++)
        CHECK(close(descriptor) == 0);
    for (count = 0; count < 9 && pipe(more) == 0; count++)
        ;
    CHECK(count == 3 && errno == EMFILE);
    CHECK(open("/dev/null", O_RDONLY) == 9);
    for (int descriptor = 3; descriptor < 10; descriptor++)
        CHECK(close(descriptor) == 0);
    CHECK(pipe(ends) == 0 && close(ends[0]) == 0 && close(ends[1]) == 0);
    end();
}

bool writer_has_come;

uint32_t write_over(void *path)
{
    int theirs;
    riposte_sleep(1000000);
    writer_has_come = true;
    theirs = open(path, O_WRONLY);
    if (theirs < 0 || write(theirs, "over", 4) != 4)
        return 1;
    return (uint32_t)close(theirs);
}

static uint32_t close_it(void *descriptor)
{
    riposte_sleep(1000000);
    return (uint32_t)close(*(int *)descriptor);
}

static uint32_t read_it(void *descriptor)
{
    char room[PIPE_BUF];
    size_t all = 0;
    ssize_t count;
    riposte_sleep(1000000);
    while ((count = read(*(int *)descriptor, room, sizeof room)) > 0)
        all += (size_t)count;
    return (uint32_t)all;
}

static uint32_t wait_for(riposte_thread_t thread)
{
    uint32_t value = UINT32_MAX;
    riposte_thread_join_until(thread, RIPOSTE_FOREVER, &value);
    return value;
}

static void named(void)
{
    char room[8];
    struct stat is;
    riposte_thread_t other;
    begin("mkfifo: EEXIST, ENOENT, ENAMETOOLONG");
    CHECK(mkfifo("/pipe/fifo", 0600) == 0 && stat("/pipe/fifo", &is) == 0 && S_ISFIFO(is.st_mode));
    CHECK(FAILS(mkfifo("/pipe/fifo", 0600), EEXIST) && FAILS(mkfifo("/pipe/there", 0600), EEXIST));
    CHECK(FAILS(mkfifo("/ram", 0600), EEXIST));
    CHECK(FAILS(mkfifo("/nowhere/fifo", 0600), ENOTSUP) || errno == ENOENT);
    CHECK(FAILS(mkfifo("/pipe/seventeen-letters", 0600), ENAMETOOLONG));
    CHECK(FAILS(stat("/pipe/absent", &is), ENOENT) && access("/pipe/there", R_OK) == 0);
    CHECK(pathconf("/pipe/there", _PC_PIPE_BUF) == 64);
    end();
    begin("fstat: a FIFO that is open and was removed has no link, another one of its name has one, and so has a pipe");
    CHECK(mkfifo("/pipe/brief", 0600) == 0);
    const int open_one = open("/pipe/brief", O_RDONLY | O_NONBLOCK);
    CHECK(fstat(open_one, &is) == 0 && S_ISFIFO(is.st_mode) && is.st_nlink == 1);
    CHECK(unlink("/pipe/brief") == 0 && fstat(open_one, &is) == 0 && S_ISFIFO(is.st_mode) && is.st_nlink == 0);
    CHECK(close(open_one) == 0 && mkfifo("/pipe/brief", 0600) == 0);
    const int next_one = open("/pipe/brief", O_RDONLY | O_NONBLOCK);
    CHECK(fstat(next_one, &is) == 0 && is.st_nlink == 1 && close(next_one) == 0 && unlink("/pipe/brief") == 0);
    int both[2];
    CHECK(pipe(both) == 0 && fstat(both[0], &is) == 0 && is.st_nlink == 1);
    CHECK(close(both[0]) == 0 && close(both[1]) == 0);
    end();
    begin("open of a FIFO, O_NONBLOCK: to read, at once; to write, ENXIO as long as nobody reads");
    CHECK(FAILS(open("/pipe/fifo", O_RDONLY | O_DIRECTORY), ENOTDIR) && IS_NULL(opendir("/pipe/fifo"), ENOTDIR));
    CHECK(FAILS(open("/pipe/fifo", O_RDONLY | O_CREAT | O_EXCL), EEXIST));
    CHECK(FAILS(open("/pipe/absent", O_RDONLY | O_DIRECTORY), ENOENT));
    CHECK(FAILS(open("/pipe/fifo", O_WRONLY | O_NONBLOCK), ENXIO));
    const int reader = open("/pipe/fifo", O_RDONLY | O_NONBLOCK);
    CHECK(reader == 3 && FAILS(read(reader, room, 1), EAGAIN));
    const int writer = open("/pipe/fifo", O_WRONLY | O_NONBLOCK);
    CHECK(writer == 4 && write(writer, "near", 4) == 4 && read(reader, room, 8) == 4);
    CHECK(FAILS(open("/pipe/fifo", O_RDWR), EINVAL));
    CHECK(close(reader) == 0 && close(writer) == 0);
    end();
    begin("open of a FIFO waits until somebody opens the other side");
    CHECK(riposte_thread_spawn(write_over, "/pipe/fifo", &second, &other) == RIPOSTE_OK);
    const int waited = open("/pipe/fifo", O_RDONLY);
    CHECK(waited >= 3 && writer_has_come);
    CHECK(read(waited, room, 8) == 4 && !memcmp(room, "over", 4) && read(waited, room, 8) == 0);
    CHECK(wait_for(other) == 0 && close(waited) == 0);
    end();
    begin("unlink of a FIFO: EPERM of one that the manifest has made");
    CHECK(unlink("/pipe/fifo") == 0 && FAILS(unlink("/pipe/fifo"), ENOENT) && FAILS(unlink("/pipe/there"), EPERM));
    CHECK(FAILS(open("/pipe/fifo", O_RDONLY), ENOENT));
    end();
}

static void waiting(void)
{
    int ends[2];
    char room[8];
    riposte_thread_t other;
    begin("write waits for room, and writes all of more than the pipe holds");
    CHECK(pipe(ends) == 0);
    CHECK(riposte_thread_spawn(read_it, &ends[0], &second, &other) == RIPOSTE_OK);
    for (int times = 0; times < 4; times++)
        CHECK(write(ends[1], text, sizeof text) == sizeof text);
    CHECK(close(ends[1]) == 0 && wait_for(other) == 4 * sizeof text && close(ends[0]) == 0);
    end();
    begin("close of a descriptor at which another thread reads: the read goes on, and so does the pipe until then");
    CHECK(pipe(ends) == 0);
    CHECK(riposte_thread_spawn(read_it, &ends[0], &second, &other) == RIPOSTE_OK);
    riposte_sleep(2000000);
    const int copy = ends[0];
    CHECK(close(copy) == 0 && FAILS(read(copy, room, 1), EBADF));
    CHECK(write(ends[1], "late", 4) == 4 && close(ends[1]) == 0);
    CHECK(wait_for(other) == 4);
    end();
    begin("read is told the end when the last writer closes");
    CHECK(pipe(ends) == 0);
    CHECK(riposte_thread_spawn(close_it, &ends[1], &second, &other) == RIPOSTE_OK);
    CHECK(read(ends[0], room, 8) == 0 && wait_for(other) == 0 && close(ends[0]) == 0);
    end();
}

void pipes(void)
{
    unnamed();
    named();
    waiting();
}
