/* Spawns children, hands them streams, and waits for their ends, against the text of IEEE 1003.1-2017. */

#include "verdict.h"
#include "thread.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <riposte.h>

/* The child that was spawned last. */
static pid_t last;

/* Spawns a child with these arguments, and its output into a pipe; what it has printed, and how it has ended. */
static int output(char *const argv[], char *const envp[], char *text, size_t room)
{
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1;
    pid_t child = -1;
    size_t length = 0;
    ssize_t count;
    CHECK(pipe(ends) == 0);
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_addclose(&actions, ends[0]) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0);
    CHECK(posix_spawn_file_actions_addclose(&actions, ends[1]) == 0);
    CHECK(posix_spawn(&child, "/bin/child", &actions, NULL, argv, envp) == 0);
    /* Before the child has come so far: it is less urgent. */
    CHECK(close(ends[1]) == 0);
    while (length < room - 1 && (count = read(ends[0], text + length, room - 1 - length)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    CHECK(close(ends[0]) == 0);
    CHECK(waitpid(child, &status, 0) == child);
    last = child;
    return status;
}

static void given(void)
{
    char text[128];
    char *const arguments[] = {"anything", "two words", "", "last", NULL};
    char *const variables[] = {"COLOUR=blue", "EMPTY=", "STDOUT=elsewhere", NULL};
    char *const asks[] = {"child", "pid", NULL};
    int own;
    begin("posix_spawn: the child gets its arguments and its environment, and no other");
    CHECK(output(arguments, variables, text, sizeof text) == 0);
    CHECK(!strcmp(text, "0=child 1=two words 2= 3=last end=1 COLOUR=blue EMPTY= HOME=absent\n"));
    end();
    begin("getpid: each its own, the one that posix_spawn has told");
    CHECK(WIFEXITED(output(asks, NULL, text, sizeof text)));
    CHECK(sscanf(text, "%d", &own) == 1 && own == (int)last && own != getpid() && getpid() > 0 && getuid() == geteuid());
    end();
    begin("getppid: a child's is the process that has spawned it; that one has none");
    char *const asks_parent[] = {"child", "parent", NULL};
    CHECK(output(asks_parent, NULL, text, sizeof text) == 0 && sscanf(text, "%d", &own) == 1 && own == (int)getpid());
    CHECK(getppid() == 0);
    end();
    begin("getenv, setenv, unsetenv, of the parent itself");
    CHECK(!getenv("COLOUR") && setenv("COLOUR", "red", 0) == 0 && !strcmp(getenv("COLOUR"), "red"));
    CHECK(setenv("COLOUR", "green", 0) == 0 && !strcmp(getenv("COLOUR"), "red"));
    CHECK(setenv("COLOUR", "green", 1) == 0 && output(arguments, environ, text, sizeof text) == 0);
    CHECK(strstr(text, "COLOUR=green") && unsetenv("COLOUR") == 0 && !getenv("COLOUR"));
    CHECK(FAILS(setenv("a=b", "c", 1), EINVAL));
    end();
}

static void ends(void)
{
    char *const exits[] = {"child", "exit", "42", NULL}, *const large[] = {"child", "exit", "258", NULL};
    char *const aborts[] = {"child", "abort", NULL}, *const faults[] = {"child", "fault", NULL};
    pid_t first, second, third;
    int status;
    begin("waitpid ECHILD: there is no child, or not this one; EINVAL: options that are none");
    CHECK(FAILS(wait(NULL), ECHILD) && FAILS(waitpid(-1, &status, WNOHANG), ECHILD));
    CHECK(FAILS(waitpid(4711, &status, 0), ECHILD) && FAILS(waitpid(-2, &status, 0), ECHILD));
    CHECK(FAILS(waitpid(-1, &status, 0x100), EINVAL));
    end();
    begin("waitpid WNOHANG: 0 as long as none has ended; wait: any child");
    CHECK(posix_spawnp(&first, "child", NULL, NULL, exits, NULL) == 0);
    CHECK(waitpid(first, &status, WNOHANG) == 0);
    CHECK(posix_spawnp(&second, "child", NULL, NULL, large, NULL) == 0 && first != second);
    CHECK(posix_spawnp(&third, "child", NULL, NULL, large, NULL) == EAGAIN);
    CHECK(kill(first, 0) == 0 && kill(second, 0) == 0);
    CHECK(waitpid(second, &status, 0) == second && WIFEXITED(status) && WEXITSTATUS(status) == 2);
    CHECK(wait(&status) == first && WIFEXITED(status) && !WIFSIGNALED(status) && WEXITSTATUS(status) == 42);
    CHECK(FAILS(waitpid(first, &status, 0), ECHILD));
    end();
    begin("kill: a child that has ended is there until somebody waits for it");
    CHECK(posix_spawnp(&first, "child", NULL, NULL, exits, NULL) == 0);
    CHECK(nanosleep(&(struct timespec){0, 20000000}, NULL) == 0);
    CHECK(kill(first, 0) == 0 && kill(first, SIGTERM) == 0);
    CHECK(waitpid(first, &status, WNOHANG) == first && WIFEXITED(status) && WEXITSTATUS(status) == 42);
    CHECK(FAILS(kill(first, 0), ESRCH));
    end();
    begin("kill [ESRCH]: a child has ended, in the first life of its place");
    CHECK(FAILS(kill(second, 0), ESRCH) && FAILS(kill(second, SIGTERM), ESRCH));
    end();
    begin("waitpid: a child that aborts, and one that faults");
    CHECK(posix_spawn(&first, "child", NULL, NULL, aborts, NULL) == 0);
    CHECK(waitpid(first, &status, 0) == first && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK(posix_spawn(&first, "child", NULL, NULL, faults, NULL) == 0);
    CHECK(waitpid(first, &status, 0) == first && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    end();
}

/* Spawns a child as a program in another language may: with 40 arguments, and an environment behind them. */
static int spawn_with_40(pid_t *child)
{
    struct {
        uint32_t head[2];
        char text[128];
    } request = {{40u << 16, 0}, "child\0count"};
    size_t length = sizeof "child\0count";
    riposte_connection_t manager;
    riposte_reply_t reply = {0};
    for (int n = 2; n < 40; n++, length += 2)
        memcpy(request.text + length, "x", 2);
    memcpy(request.text + length, "LAST=", 6);
    length += 6;
    if (riposte_connect("process", &manager) != RIPOSTE_OK
        || riposte_send(manager, &request, sizeof request.head + length, child, sizeof *child, &reply) != RIPOSTE_OK)
        return -1;
    return (int)reply.status;
}

static void many(void)
{
    char *arguments[34] = {"child", "count"}, *variables[34] = {NULL}, *const last[] = {"LAST=", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 77;
    int status = -1;
    for (int n = 2; n < 32; n++)
        arguments[n] = "x";
    for (int n = 0; n < 31; n++)
        variables[n] = "V=";
    variables[31] = "LAST=";
    begin("posix_spawn: 32 arguments and 32 variables arrive, all of them");
    CHECK(posix_spawn(&child, "child", NULL, NULL, arguments, variables) == 0);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 32);
    end();
    begin("posix_spawn E2BIG: more than 32 arguments, or variables with those of the streams; there is no child");
    child = 77;
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_addopen(&actions, 1, "one-more", O_WRONLY | O_CREAT, 0600) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, arguments, variables) == E2BIG);
    CHECK(FAILS(unlink("one-more"), ENOENT));
    variables[32] = "V=";
    CHECK(posix_spawn(&child, "child", NULL, NULL, arguments, variables) == E2BIG);
    arguments[32] = "x";
    CHECK(posix_spawn(&child, "child", NULL, NULL, arguments, last) == E2BIG && child == 77);
    CHECK(FAILS(waitpid(-1, &status, WNOHANG), ECHILD));
    while (wait(&status) > 0)
        ;
    end();
    begin("a child that was given more arguments than it can have has the first ones, and its environment");
    CHECK(spawn_with_40(&child) == 0);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 32);
    end();
}

/* How a child ends that does so, or -1 if it does not. Its output goes as the actions say. */
static int ended(pid_t child)
{
    int status = -1;
    for (int each = 0; each < 200; each++) {
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
    return -1;
}

static int end_of_one(char *what, const posix_spawn_file_actions_t *actions)
{
    char *const arguments[] = {"child", what, NULL};
    pid_t child;
    CHECK(posix_spawn(&child, "child", actions, NULL, arguments, NULL) == 0);
    return ended(child);
}

static int end_of(char *what)
{
    return end_of_one(what, NULL);
}

/* Of one whose output nobody reads. */
static int end_unread(char *what)
{
    posix_spawn_file_actions_t actions;
    int ends[2], status;
    CHECK(pipe(ends) == 0);
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0);
    status = end_of_one(what, &actions);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    return status;
}

static void unread(void)
{
    char *const says[] = {"child", "say", NULL}, *const says_not[] = {"child", "say-not", NULL};
    char text[64];
    int status;
    begin("abort, assert, _exit: whose output nobody takes ends, too");
    status = end_unread("abort-unread");
    CHECK(status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    status = end_unread("assert-unread");
    CHECK(status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    status = end_unread("leave-unread");
    CHECK(status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 5);
    end();
    begin("exit: another thread that waits in stdout for ever does not keep the process");
    status = end_unread("exit-unread");
    CHECK(status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    end();
    begin("exit sends what was printed, _exit does not");
    status = output(says, NULL, text, sizeof text);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 4 && !strcmp(text, "said"));
    status = output(says_not, NULL, text, sizeof text);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5 && text[0] == '\0');
    end();
}

/* How a child has ended that does this, with a pipe for its input, to which nobody writes; and what it has left in a file. */
static int end_with_file(char *what, char *text, size_t room)
{
    char *const does[] = {"child", what, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1;
    ssize_t length = -1;
    pid_t child;
    CHECK(pipe(ends) == 0);
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_adddup2(&actions, ends[0], 0) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, does, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    const int file = open("kept", O_RDONLY);
    length = read(file, text, room - 1);
    CHECK(length >= 0 && close(file) == 0 && unlink("kept") == 0);
    text[length < 0 ? 0 : length] = '\0';
    return status;
}

static void kept(void)
{
    char text[16];
    int status;
    begin("exit: what was written to a stream that is open is in the file, also if another stream is in use; _exit leaves it");
    status = end_with_file("keep", text, sizeof text);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 4 && !strcmp(text, "kept"));
    status = end_with_file("keep-beside", text, sizeof text);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 6 && !strcmp(text, "kept"));
    status = end_with_file("keep-not", text, sizeof text);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5 && text[0] == '\0');
    end();
}

static void last_threads(void)
{
    int status;
    begin("pthread_exit: of main ends the process if no thread of pthread_create lives; a thread of the manifest is none");
    status = end_of("leave");
    CHECK(status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    end();
    begin("pthread_exit: of main and of a thread of the manifest leaves a thread of pthread_create alone");
    status = end_of("work");
    CHECK(status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    end();
}

/* How a child ends in which a thread does something at a moment, and is sent a signal so many nanoseconds later whose
 * handler ends it; that signal is not sent if it is NEVER. */
#define NEVER (-1)
static int end_of_program(const char *program, char *what, long later)
{
    char text[24];
    char *const arguments[] = {"child", what, text, NULL};
    struct timespec moment;
    long long at;
    pid_t child;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    at = moment.tv_sec * 1000000000LL + moment.tv_nsec + 5000000;
    snprintf(text, sizeof text, "%lld", at);
    CHECK(posix_spawn(&child, program, NULL, NULL, arguments, NULL) == 0);
    if (later == NEVER)
        return ended(child);
    at += later;
    moment = (struct timespec){at / 1000000000, at % 1000000000};
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) == 0);
    kill(child, SIGUSR1);
    return ended(child);
}

static int end_about(char *what, long later)
{
    return end_of_program("child", what, later);
}

static void ends_twice(void)
{
    int others = 0;
    begin("pthread_exit: of the last thread ends the process, also if a signal comes amid that whose handler calls it");
    for (long later = 0; later < 90000; later += 1500)
        others += end_about("work-until", later) != 0;
    CHECK(others == 0);
    end();
}

/* Where there are no atomic instructions, the board is simulated. */
#if defined(__riscv) && !defined(__riscv_atomic)
#define STEP 1000
#else
#define STEP 60
#endif

static void ends_amid_a_call(void)
{
    int others = 0, status;
    begin("timer_create: the process ends with main also if a signal ends the thread whose function has just returned");
    status = end_about("tell-call-at", NEVER);
    CHECK(status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) < 250);
    const long called = WEXITSTATUS(status) * 1000L;
    for (long later = called; later < called + 16000; later += STEP)
        others += end_about("call-at", later) != 0;
    CHECK(others == 0);
    end();
    begin("pthread_create: fails in a thread of no pthread_create, and the process ends with its last one all the same");
    others = 0;
    for (int life = 0; life < 20; life++)
        others += end_of_program("crowded", "work-beside", NEVER) != 0;
    CHECK(others == 0);
    end();
    begin("pthread_exit: by a handler before a thread's first instruction, and the process ends with its last thread");
    CHECK(end_of("work-not") == 0);
    end();
}

static void refusals(void)
{
    static char text[300];
    char *const long_one[] = {"child", text, NULL}, *const prints[] = {"child", "say", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child = 77;
    int ends[2];
    short flags;
    begin("posix_spawn: ENOENT, EPERM, E2BIG; no child, and no PID");
    CHECK(posix_spawn(&child, "/bin/absent", NULL, NULL, NULL, NULL) == ENOENT);
    CHECK(posix_spawn(&child, "secret", NULL, NULL, NULL, NULL) == EPERM);
    memset(text, 'x', sizeof text - 1);
    CHECK(posix_spawn(&child, "child", NULL, NULL, long_one, NULL) == E2BIG && child == 77);
    end();
    begin("posix_spawn_file_actions: EBADF, ENOMEM; posix_spawn: EBADF, ENOTSUP, and what open says");
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_addclose(&actions, -1) == EBADF);
    CHECK(posix_spawn_file_actions_adddup2(&actions, 1, 1000) == EBADF);
    CHECK(posix_spawn_file_actions_addopen(&actions, 1, text, O_WRONLY, 0) == ENOMEM);
    CHECK(posix_spawn_file_actions_adddup2(&actions, 15, 1) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, NULL, NULL) == EBADF);
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_addopen(&actions, 0, "absent", O_RDONLY, 0) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, NULL, NULL) == ENOENT);
    posix_spawn_file_actions_init(&actions);
    const int file = open("file", O_WRONLY | O_CREAT, 0600);
    CHECK(posix_spawn_file_actions_adddup2(&actions, file, 1) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, NULL, NULL) == ENOTSUP && close(file) == 0);
    end();
    begin("posix_spawn EBADF: an action duplicates a descriptor that the one before has closed, also one with FD_CLOEXEC");
    for (int closing = 0; closing < 2; closing++) {
        CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETFD, closing ? FD_CLOEXEC : 0) == 0);
        posix_spawn_file_actions_init(&actions);
        CHECK(posix_spawn_file_actions_addclose(&actions, ends[1]) == 0);
        CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0);
        CHECK(posix_spawn(&child, "child", &actions, NULL, prints, NULL) == EBADF || waitpid(child, NULL, 0) != child);
        CHECK(close(ends[0]) == 0 && close(ends[1]) == 0 && child == 77);
    }
    end();
    begin("posix_spawn ENOTSUP: O_APPEND of an action, as a child writes from a file's beginning; and the file is as it was");
    const int kept = open("file", O_RDWR);
    CHECK(write(kept, "kept", 4) == 4);
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_addopen(&actions, 1, "file", O_WRONLY | O_APPEND, 0) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, prints, NULL) == ENOTSUP || waitpid(child, NULL, 0) == child);
    CHECK(pread(kept, text, 4, 0) == 4 && !memcmp(text, "kept", 4) && child == 77 && close(kept) == 0);
    end();
    begin("posix_spawn ENOTSUP, ENOMEM: another standard error than the console, more actions than there is room for");
    /* Standard error is the console. */
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_addopen(&actions, 2, "unmade", O_WRONLY | O_CREAT, 0600) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, NULL, NULL) == ENOTSUP && FAILS(unlink("unmade"), ENOENT));
    CHECK(pipe(ends) == 0);
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], 2) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, NULL, NULL) == ENOTSUP);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_addclose(&actions, 5) == 0);
    for (int count = 0; count < 7; count++)
        CHECK(posix_spawn_file_actions_addclose(&actions, 5) == 0);
    CHECK(posix_spawn_file_actions_addclose(&actions, 5) == ENOMEM);
    CHECK(posix_spawn_file_actions_destroy(&actions) == 0 && unlink("file") == 0);
    end();
    begin("posix_spawnattr: flags as they were set, EINVAL; posix_spawn ENOTSUP of what a child can't have");
    CHECK(posix_spawnattr_init(&attributes) == 0 && posix_spawnattr_getflags(&attributes, &flags) == 0 && flags == 0);
    CHECK(posix_spawnattr_setflags(&attributes, 0x1000) == EINVAL);
    CHECK(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP) == 0);
    CHECK(posix_spawn(&child, "child", NULL, &attributes, NULL, NULL) == ENOTSUP && child == 77);
    CHECK(posix_spawnattr_destroy(&attributes) == 0 && FAILS(wait(NULL), ECHILD));
    end();
}

static void streams(void)
{
    char *const copies[] = {"child", "copy", NULL};
    char text[64];
    posix_spawn_file_actions_t actions;
    pid_t child;
    int in[2], out[2], status;
    begin("posix_spawn: both streams through pipes, until the end");
    CHECK(pipe(in) == 0 && pipe(out) == 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    CHECK(posix_spawn(&child, "child", &actions, NULL, copies, NULL) == 0);
    CHECK(close(in[0]) == 0 && close(out[1]) == 0);
    CHECK(write(in[1], "one\ntwo\n", 8) == 8 && close(in[1]) == 0);
    FILE *const from = fdopen(out[0], "r");
    CHECK(from && fgets(text, sizeof text, from) && !strcmp(text, "<one>\n"));
    CHECK(fgets(text, sizeof text, from) && !strcmp(text, "<two>\n") && fgetc(from) == EOF && fclose(from) == 0);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
    end();
    begin("posix_spawn_file_actions_addopen: input from a file, output into one that is created");
    const int file = open("in", O_WRONLY | O_CREAT, 0600);
    CHECK(write(file, "three\n", 6) == 6 && close(file) == 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "in", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/ram/out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(posix_spawn(&child, "child", &actions, NULL, copies, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
    const int made = open("out", O_RDONLY);
    CHECK(read(made, text, sizeof text) == 8 && !memcmp(text, "<three>\n", 8) && close(made) == 0);
    CHECK(unlink("in") == 0 && unlink("out") == 0);
    end();
    begin("posix_spawn that fails: a pipe that was to be handed on ends as if there had been none");
    CHECK(pipe(out) == 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    CHECK(posix_spawn(&child, "absent", &actions, NULL, copies, NULL) == ENOENT);
    CHECK(close(out[1]) == 0 && read(out[0], text, 1) == 0 && close(out[0]) == 0);
    end();
}

static volatile sig_atomic_t handled;

static void count(int number)
{
    (void)number;
    handled++;
}

/* Less urgent than whom it interrupts, who waits by then; what it does next lets that one go on. */
static int goes_on;
static void *interrupts(void *argument)
{
    CHECK(pthread_kill(*(pthread_t *)argument, SIGUSR1) == 0);
    if (goes_on)
        CHECK(write(goes_on, "x", 1) == 1);
    return NULL;
}

static pthread_t interrupter(pthread_t *whom, int flags, int then)
{
    const struct sigaction action = {.sa_handler = count, .sa_flags = flags};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    goes_on = then;
    handled = 0;
    *whom = pthread_self();
    return thread_of(9, interrupts, whom);
}

static void signals(void)
{
    char *const handles[] = {"child", "handle", NULL}, *const exits[] = {"child", "exit", "7", NULL};
    char number[4], text[16];
    char *const raises[] = {"child", "raise", number, NULL}, *const copies[] = {"child", "copy", NULL};
    posix_spawn_file_actions_t actions;
    pthread_t own, other;
    int ends[2], in[2], status, signalled;
    sigset_t pipes;
    pid_t child;

    begin("raise, kill: the default action ends a program, with 128 and the signal");
    snprintf(number, sizeof number, "%d", SIGTERM);
    CHECK(posix_spawn(&child, "child", NULL, NULL, raises, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
    snprintf(number, sizeof number, "%d", SIGCHLD);
    CHECK(posix_spawn(&child, "child", NULL, NULL, raises, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    end();

    begin("write: SIGPIPE ends who prints where nobody reads any more; masked, it waits");
    CHECK(pipe(in) == 0 && pipe(ends) == 0);
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_adddup2(&actions, in[0], 0) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, copies, NULL) == 0);
    CHECK(close(in[0]) == 0 && close(ends[0]) == 0 && write(in[1], "one\n", 4) == 4);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGPIPE);
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    CHECK(sigprocmask(SIG_BLOCK, &pipes, NULL) == 0 && FAILS(write(ends[1], "x", 1), EPIPE));
    CHECK(sigwait(&pipes, &signalled) == 0 && signalled == SIGPIPE && sigprocmask(SIG_UNBLOCK, &pipes, NULL) == 0);
    CHECK(close(in[1]) == 0 && close(ends[1]) == 0);
    end();

    begin("kill: a child is there, and handles a signal; ESRCH: it has ended");
    CHECK(pipe(ends) == 0);
    posix_spawn_file_actions_init(&actions);
    CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0);
    CHECK(posix_spawn(&child, "child", &actions, NULL, handles, NULL) == 0 && close(ends[1]) == 0);
    CHECK(read(ends[0], text, sizeof text) == 6 && !memcmp(text, "ready\n", 6) && close(ends[0]) == 0);
    CHECK(kill(child, 0) == 0 && kill(child, SIGUSR1) == 0);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == SIGUSR1);
    CHECK(FAILS(kill(child, 0), ESRCH) && FAILS(kill(child, SIGUSR1), ESRCH) && FAILS(kill(child, 99), EINVAL));
    end();

    begin("read, poll, waitpid EINTR: a signal was handled");
    CHECK(pipe(ends) == 0);
    other = interrupter(&own, 0, 0);
    CHECK(FAILS(read(ends[0], text, 1), EINTR) && handled == 1 && pthread_join(other, NULL) == 0);
    for (int timeout = -1; timeout <= 10000; timeout += 10001) {
        struct pollfd it = {ends[0], POLLIN, 0};
        other = interrupter(&own, SA_RESTART, 0);
        CHECK(FAILS(poll(&it, 1, timeout), EINTR) && handled == 1 && pthread_join(other, NULL) == 0);
    }
    other = interrupter(&own, 0, 0);
    CHECK(posix_spawn(&child, "child", NULL, NULL, exits, NULL) == 0);
    CHECK(FAILS(waitpid(child, &status, 0), EINTR) && handled == 1 && pthread_join(other, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    end();

    begin("read, waitpid: SA_RESTART begins them anew");
    other = interrupter(&own, SA_RESTART, ends[1]);
    CHECK(read(ends[0], text, 1) == 1 && handled == 1 && pthread_join(other, NULL) == 0);
    other = interrupter(&own, SA_RESTART, 0);
    CHECK(posix_spawn(&child, "child", NULL, NULL, exits, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7 && handled == 1);
    CHECK(pthread_join(other, NULL) == 0 && close(ends[0]) == 0 && close(ends[1]) == 0);
    end();
}

static volatile bool is_over;
static volatile long until_signal;
static volatile pid_t child_there;
static sem_t asks;

/* Has the process manager be busy. */
static void *asks_always(void *argument)
{
    while (!is_over)
        kill(child_there, 0);
    return argument;
}

static void *signals_late(void *whom)
{
    while (sem_wait(&asks) == 0 && !is_over) {
        nanosleep(&(struct timespec){0, until_signal}, NULL);
        CHECK(pthread_kill(*(pthread_t *)whom, SIGUSR1) == 0);
    }
    return NULL;
}

static void amid_requests(void)
{
    char *const handles[] = {"child", "handle", NULL};
    const struct sigaction action = {.sa_handler = count};
    const struct sched_param urgent = {15}, usual = {10};
    pthread_t own = pthread_self(), busy, other;
    pid_t child = 0;
    int status = 0;
    begin("kill: a signal that comes while the process manager is busy is handled behind the request");
    CHECK(posix_spawn(&child, "child", NULL, NULL, handles, NULL) == 0);
    child_there = child;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sem_init(&asks, 0, 0) == 0);
    CHECK(pthread_setschedparam(own, SCHED_FIFO, &urgent) == 0);
    is_over = false;
    handled = 0;
    busy = thread_of(9, asks_always, NULL);
    other = thread_of(16, signals_late, &own);
    for (long turn = 0; turn < 200; turn++) {
        const int before = handled;
        /* It comes while this thread waits for the manager, which has another one's request. */
        until_signal = 1000000 + turn * 3100;
        CHECK(sem_post(&asks) == 0);
        nanosleep(&(struct timespec){0, until_signal - 60000 - turn % 20 * 15000}, NULL);
        CHECK(kill(child, 0) == 0);
        while (handled == before)
            nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    is_over = true;
    CHECK(sem_post(&asks) == 0 && pthread_join(other, NULL) == 0 && pthread_join(busy, NULL) == 0);
    CHECK(pthread_setschedparam(own, SCHED_FIFO, &usual) == 0);
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    end();
}

/* Once for each end, and not before a child ends. */
static void told_of_ends(void)
{
    char *const exits[] = {"child", "exit", "7", NULL};
    const struct sigaction action = {.sa_handler = count};
    sigset_t children, before;
    pid_t child;
    int status;
    begin("SIGCHLD: a child has ended, that is waited for afterwards; who waits for it is told of it first");
    CHECK(sigaction(SIGCHLD, &action, NULL) == 0);
    handled = 0;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    CHECK(sigprocmask(SIG_BLOCK, &children, &before) == 0);
    CHECK(posix_spawn(&child, "child", NULL, NULL, exits, NULL) == 0 && handled == 0);
    CHECK(FAILS(sigsuspend(&before), EINTR) && handled == 1 && sigprocmask(SIG_SETMASK, &before, NULL) == 0);
    CHECK(waitpid(child, &status, WNOHANG) == child && WEXITSTATUS(status) == 7 && handled == 1);
    CHECK(posix_spawn(&child, "child", NULL, NULL, exits, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7 && handled == 2);
    CHECK(signal(SIGCHLD, SIG_DFL) == count);
    end();
}

/* Of a child that has ended before it ran, or can open no pipe, the other end learns as of one that has closed it. */
static void unopened(void)
{
    char *const copies[] = {"child", "copy", NULL};
    posix_spawn_file_actions_t to_read, to_write;
    char text[16];
    pid_t first, second;
    int in[2], out[2], status;
    struct pollfd it;
    begin("posix_spawn: who reads from a child that ends before it has opened its pipe finds the end, whoever waits already");
    for (int told = 0; told < 2; told++) {
        CHECK(pipe(out) == 0);
        posix_spawn_file_actions_init(&to_write);
        CHECK(posix_spawn_file_actions_adddup2(&to_write, out[1], 1) == 0);
        CHECK(posix_spawn(&first, "child", &to_write, NULL, copies, NULL) == 0 && close(out[1]) == 0);
        CHECK(kill(first, SIGKILL) == 0);
        it = (struct pollfd){out[0], POLLIN, 0};
        if (told)
            CHECK(waitpid(first, &status, 0) == first && WIFSIGNALED(status));
        CHECK(poll(&it, 1, 1000) == 1 && it.revents == POLLHUP && read(out[0], text, 1) == 0);
        if (!told)
            CHECK(waitpid(first, &status, 0) == first && WIFSIGNALED(status));
        CHECK(close(out[0]) == 0);
    }
    end();
    begin("posix_spawn: who writes to a child that ends before it has opened its pipe learns that nobody reads");
    CHECK(signal(SIGPIPE, SIG_IGN) == SIG_DFL && pipe(in) == 0);
    posix_spawn_file_actions_init(&to_read);
    CHECK(posix_spawn_file_actions_adddup2(&to_read, in[0], 0) == 0);
    CHECK(posix_spawn(&first, "child", &to_read, NULL, copies, NULL) == 0 && close(in[0]) == 0);
    CHECK(write(in[1], "x", 1) == 1);
    CHECK(kill(first, SIGKILL) == 0 && waitpid(first, &status, 0) == first && WIFSIGNALED(status));
    CHECK(fcntl(in[1], F_SETFL, O_NONBLOCK) == 0 && FAILS(write(in[1], "x", 1), EPIPE) && close(in[1]) == 0);
    CHECK(signal(SIGPIPE, SIG_DFL) == SIG_IGN);
    end();
    begin("posix_spawn: of two children at a pipe the one that comes finds the end of the one that has not");
    CHECK(pipe(out) == 0);
    posix_spawn_file_actions_init(&to_write);
    CHECK(posix_spawn_file_actions_adddup2(&to_write, out[1], 1) == 0);
    posix_spawn_file_actions_init(&to_read);
    CHECK(posix_spawn_file_actions_adddup2(&to_read, out[0], 0) == 0);
    CHECK(posix_spawn(&second, "child", &to_read, NULL, copies, NULL) == 0 && close(out[0]) == 0);
    CHECK(posix_spawn(&first, "child", &to_write, NULL, copies, NULL) == 0 && close(out[1]) == 0);
    CHECK(kill(first, SIGKILL) == 0);
    status = ended(second);
    CHECK(status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 3);
    CHECK(waitpid(first, &status, 0) == first && WIFSIGNALED(status));
    end();
    begin("posix_spawn: a child that has ended, or has closed its output, before posix_spawn returns, in each life of its place");
    for (int life = 0; life < 6; life++) {
        const bool ends_first = life % 3 != 2;
        CHECK(pipe(out) == 0);
        posix_spawn_file_actions_init(&to_write);
        CHECK(posix_spawn_file_actions_adddup2(&to_write, out[1], 1) == 0);
        CHECK(posix_spawn(&first, ends_first ? "hasty" : "brief", &to_write, NULL, NULL, NULL) == 0 && close(out[1]) == 0);
        it = (struct pollfd){out[0], POLLIN, 0};
        CHECK(poll(&it, 1, 0) == 1 && it.revents == POLLHUP && close(out[0]) == 0);
        CHECK(ends_first || kill(first, SIGKILL) == 0);
        CHECK(waitpid(first, &status, 0) == first && (ends_first ? WIFEXITED(status) && WEXITSTATUS(status) == 6 : WIFSIGNALED(status)));
    }
    end();
    begin("posix_spawn: a child without a connection to the pipes keeps nobody waiting");
    CHECK(pipe(out) == 0);
    posix_spawn_file_actions_init(&to_write);
    CHECK(posix_spawn_file_actions_adddup2(&to_write, out[1], 1) == 0);
    CHECK(posix_spawn(&first, "apart", &to_write, NULL, copies, NULL) == 0);
    CHECK(posix_spawn(&second, "child", &to_write, NULL, copies, NULL) == 0 && close(out[1]) == 0);
    CHECK(kill(second, SIGKILL) == 0 && waitpid(second, &status, 0) == second);
    it = (struct pollfd){out[0], POLLIN, 0};
    CHECK(poll(&it, 1, 1000) == 1 && it.revents == POLLHUP && close(out[0]) == 0);
    CHECK(kill(first, SIGKILL) == 0 && waitpid(first, &status, 0) == first);
    end();
}

int main(int argc, char *argv[])
{
    begin("main: a process that begins with the system has its name as the only argument");
    CHECK(argc == 1 && !strcmp(argv[0], "parent") && !argv[1]);
    end();
    given();
    ends();
    many();
    last_threads();
    ends_twice();
    ends_amid_a_call();
    unread();
    kept();
    refusals();
    streams();
    unopened();
    signals();
    amid_requests();
    told_of_ends();
    puts("@done");
    return (int)riposte_shutdown(0);
}
