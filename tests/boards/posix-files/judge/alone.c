/* Streams that a thread has to itself, places in them, lines of any length, and what is formatted to a descriptor. */

#include "check.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <riposte.h>

static void *tries(void *stream)
{
    const int got = ftrylockfile(stream);
    if (!got)
        funlockfile(stream);
    return (void *)(intptr_t)got;
}

/* Whether another thread gets the stream at once. */
static bool is_free(FILE *stream)
{
    void *got;
    const pthread_t other = thread_of(10, tries, stream);
    return pthread_join(other, &got) == 0 && !got;
}

static void *writes_b(void *stream)
{
    return (void *)(intptr_t)fputs("b", stream);
}

static pthread_mutex_t beside = PTHREAD_MUTEX_INITIALIZER;

/* Has the stream, and waits for a moment for what the other thread has, which waits for the stream. */
static void *writes_in_circle(void *stream)
{
    struct timespec until;
    int error;
    flockfile(stream);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 3000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    error = pthread_mutex_timedlock(&beside, &until);
    fputs("b", stream);
    funlockfile(stream);
    return (void *)(intptr_t)error;
}

/* Has stdin, and asks for stdout by that. */
static void *reads(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)getchar();
}

static void locked(void)
{
    void *written;
    char text[8] = "";
    begin("flockfile, ftrylockfile, funlockfile: a thread has a stream to itself, as often as it takes it");
    FILE *const file = fopen("alone", "w+");
    FILE *const all[4] = {file, stdin, stdout, stderr};
    for (int at = 0; at < 4; at++) {
        flockfile(all[at]);
        const int again = ftrylockfile(all[at]);
        const bool is_twice = is_free(all[at]);
        funlockfile(all[at]);
        const bool is_once = is_free(all[at]);
        funlockfile(all[at]);
        CHECK(again == 0 && !is_twice && !is_once && is_free(all[at]));
    }
    end();
    begin("flockfile: who writes to the stream waits for funlockfile");
    flockfile(file);
    fputs("a", file);
    const pthread_t other = thread_of(10, writes_b, file);
    CHECK(sched_yield() == 0);
    fputs("c", file);
    funlockfile(file);
    CHECK(pthread_join(other, &written) == 0 && (intptr_t)written >= 0);
    rewind(file);
    CHECK(fgets(text, sizeof text, file) && strcmp(text, "acb") == 0);
    end();
    begin("flockfile, fputs: who has the stream waits until a moment for the caller, who has it behind that");
    for (int takes = 0; takes < 2; takes++) {
        rewind(file);
        CHECK(pthread_mutex_lock(&beside) == 0);
        const pthread_t circular = thread_of(10, writes_in_circle, file);
        CHECK(sched_yield() == 0);
        if (takes)
            flockfile(file);
        fputs("a", file);
        if (takes)
            funlockfile(file);
        CHECK(pthread_mutex_unlock(&beside) == 0 && pthread_join(circular, &written) == 0 && (intptr_t)written == ETIMEDOUT);
        rewind(file);
        CHECK(fgets(text, sizeof text, file) && strcmp(text, "bab") == 0);
    }
    rewind(file);
    CHECK(fputs("acb", file) >= 0);
    end();
    begin("putchar, printf, fflush: who has stdout waits until a moment for the caller, who has it behind that");
    CHECK(fflush(stdout) == 0);
    const int console = dup(STDOUT_FILENO);
    for (int flushes = 0; flushes < 2; flushes++) {
        rewind(file);
        CHECK(pthread_mutex_lock(&beside) == 0);
        const int redirected = dup2(fileno(file), STDOUT_FILENO);
        const pthread_t circular = thread_of(10, writes_in_circle, stdout);
        sched_yield();
        const bool is_flushed = flushes && fflush(stdout) == 0;
        const bool is_put = putchar('a') == 'a' && printf("c") == 1;
        pthread_mutex_unlock(&beside);
        const bool is_joined = pthread_join(circular, &written) == 0 && (intptr_t)written == ETIMEDOUT;
        const bool is_sent = fflush(stdout) == 0 && !ferror(stdout);
        clearerr(stdout);
        dup2(console, STDOUT_FILENO);
        CHECK(redirected == STDOUT_FILENO && is_flushed == flushes && is_put && is_joined && is_sent);
        rewind(file);
        CHECK(fgets(text, sizeof text, file) && strcmp(text, "bac") == 0);
    }
    end();
    begin("getchar: who has stdout, and reads, waits for no one that reads and would send what is printed");
    rewind(file);
    const int usual = dup(STDIN_FILENO);
    CHECK(dup2(fileno(file), STDIN_FILENO) == STDIN_FILENO && lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
    flockfile(stdout);
    const pthread_t reader = thread_of(10, reads, NULL);
    sched_yield();
    const int second = getchar();
    funlockfile(stdout);
    CHECK(pthread_join(reader, &written) == 0 && (intptr_t)written == 'b' && second == 'a');
    CHECK(dup2(usual, STDIN_FILENO) == STDIN_FILENO && close(usual) == 0 && close(console) == 0);
    clearerr(stdin);
    rewind(file);
    CHECK(fputs("acb", file) >= 0);
    end();
    begin("getc_unlocked, putc_unlocked, getchar_unlocked, putchar_unlocked: of a stream that its thread has, as getc and putc");
    flockfile(file);
    rewind(file);
    CHECK(getc_unlocked(file) == 'a' && getc_unlocked(file) == 'c' && getc_unlocked(file) == 'b');
    CHECK(getc_unlocked(file) == EOF && feof(file));
    CHECK(fseek(file, 0, SEEK_SET) == 0 && putc_unlocked(0x1FF, file) == 0xFF);
    funlockfile(file);
    rewind(file);
    CHECK(getc(file) == 0xFF);
    const int before = dup(STDIN_FILENO);
    CHECK(freopen("alone", "r", stdin) == stdin && getchar_unlocked() == 0xFF);
    CHECK(dup2(before, STDIN_FILENO) == STDIN_FILENO && close(before) == 0);
    clearerr(stdin);
    flockfile(stdout);
    CHECK(putchar_unlocked('\n') == '\n');
    funlockfile(stdout);
    CHECK(fclose(file) == 0);
    end();
}

static void places(void)
{
    fpos_t place;
    int ends[2];
    begin("fgetpos, fsetpos: a place in a stream; ESPIPE in a pipe");
    FILE *const file = fopen("alone", "w+");
    CHECK(fputs("abcdef", file) >= 0 && fseek(file, 2, SEEK_SET) == 0 && fgetpos(file, &place) == 0);
    CHECK(fgetc(file) == 'c' && fgetc(file) == 'd');
    const fpos_t kept = place;
    CHECK(fsetpos(file, &kept) == 0 && fgetc(file) == 'c' && ungetc('x', file) == 'x');
    CHECK(fsetpos(file, &kept) == 0 && fgetc(file) == 'c' && fclose(file) == 0);
    CHECK(pipe(ends) == 0);
    FILE *const from = fdopen(ends[0], "r");
    CHECK(FAILS(fgetpos(from, &place), ESPIPE) && FAILS(fsetpos(from, &kept), ESPIPE));
    CHECK(fclose(from) == 0 && close(ends[1]) == 0);
    end();
}

static void read_ahead(void)
{
    int ends[2];
    begin("fflush: what was read ahead of a pipe stays, and of a file goes back");
    CHECK(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3);
    FILE *const from = fdopen(ends[0], "r");
    CHECK(fgetc(from) == 'a' && fflush(from) == 0 && fgetc(from) == 'b' && fflush(NULL) == 0 && fgetc(from) == 'c');
    CHECK(close(ends[1]) == 0 && fgetc(from) == EOF && feof(from) && fclose(from) == 0);
    FILE *const file = fopen("alone", "r");
    CHECK(fgetc(file) == 'a' && fflush(file) == 0 && lseek(fileno(file), 0, SEEK_CUR) == 1 && fgetc(file) == 'b');
    CHECK(fclose(file) == 0);
    end();
}

static void lines(void)
{
    char *line = NULL, text[8];
    size_t size = 0;
    begin("fgets: a last line without an end is one; NULL behind it; and nothing is read where there is no room");
    FILE *const last = fopen("alone", "w+");
    CHECK(fputs("a\nbc", last) >= 0);
    rewind(last);
    CHECK(fgets(text, sizeof text, last) == text && strcmp(text, "a\n") == 0);
    CHECK(fgets(text, 1, last) == text && !text[0] && fgets(text, sizeof text, last) == text && strcmp(text, "bc") == 0);
    CHECK(feof(last) && !fgets(text, sizeof text, last) && strcmp(text, "bc") == 0 && fclose(last) == 0);
    end();
    begin("getline: a line with its end, however long, in memory that grows; -1 at the end of the file");
    FILE *const file = fopen("alone", "w+");
    CHECK(fputs("one\n\n", file) >= 0);
    for (int count = 0; count < 300; count++)
        CHECK(fputc('x', file) == 'x');
    CHECK(fputs("\nlast;and", file) >= 0);
    rewind(file);
    CHECK(getline(&line, &size, file) == 4 && strcmp(line, "one\n") == 0 && size >= 5);
    CHECK(getline(&line, &size, file) == 1 && strcmp(line, "\n") == 0);
    CHECK(getline(&line, &size, file) == 301 && line[299] == 'x' && line[300] == '\n' && !line[301] && size >= 302);
    end();
    begin("getline: without memory it takes some, whatever the size says");
    rewind(file);
    for (int times = 0; times < 2; times++) {
        free(line);
        line = NULL;
        size = times ? SIZE_MAX : 512;
        CHECK(getline(&line, &size, file) == (times ? 1 : 4) && line && strcmp(line, times ? "\n" : "one\n") == 0 && size >= 5
              && size <= 512);
    }
    CHECK(getline(&line, &size, file) == 301);
    end();
    begin("getdelim: another end than that of a line, and none at the end of the file; EINVAL without a place for it");
    CHECK(getdelim(&line, &size, ';', file) == 5 && strcmp(line, "last;") == 0);
    CHECK(getdelim(&line, &size, ';', file) == 3 && strcmp(line, "and") == 0 && feof(file));
    CHECK(getdelim(&line, &size, ';', file) == -1 && feof(file));
    CHECK(FAILS(getdelim(NULL, &size, ';', file), EINVAL) && FAILS(getdelim(&line, NULL, ';', file), EINVAL));
    free(line);
    CHECK(fclose(file) == 0);
    end();
}

static int forward(int descriptor, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = vdprintf(descriptor, format, arguments);
    va_end(arguments);
    return length;
}

static void formatted(void)
{
    char text[400] = "";
    begin("dprintf, vdprintf: what is formatted goes to a descriptor, how many bytes; EBADF");
    const int file = open("alone", O_RDWR | O_TRUNC);
    CHECK(dprintf(file, "%d-%s", 7, "x") == 3 && forward(file, "%300d", 8) == 300 && dprintf(file, "%s", "") == 0);
    CHECK(lseek(file, 0, SEEK_CUR) == 303 && lseek(file, 0, SEEK_SET) == 0);
    CHECK(read(file, text, sizeof text) == 303 && memcmp(text, "7-x ", 4) == 0 && text[302] == '8');
    CHECK(close(file) == 0 && FAILS(dprintf(file, "x"), EBADF) && unlink("alone") == 0);
    end();
}

static void signals(void)
{
    const siginfo_t info = {.si_signo = SIGTERM};
    char text[200] = "";
    begin("strsignal, psignal, psiginfo: signals in words, by the numbers of <signal.h>");
    const int error = dup(STDERR_FILENO);
    CHECK(strcmp(strsignal(SIGUSR1), "User signal 1") == 0 && strcmp(strsignal(SIGCHLD), "Child ended") == 0);
    CHECK(strcmp(strsignal(SIGSYS), "Bad system call") == 0 && strcmp(strsignal(SIGRTMAX), "Queued signal 31") == 0);
    for (int number = -1; number <= NSIG; number += number == -1 ? 1 : number == 0 ? 16 : NSIG - 16)
        CHECK(strcmp(strsignal(number), "Unknown signal") == 0);
    CHECK(freopen("alone", "w", stderr) == stderr);
    psignal(SIGUSR2, "told");
    psignal(SIGHUP, NULL);
    psignal(SIGPIPE, "");
    psiginfo(&info, "asked");
    CHECK(fflush(stderr) == 0 && dup2(error, STDERR_FILENO) == STDERR_FILENO && close(error) == 0);
    const int file = open("alone", O_RDONLY);
    CHECK(read(file, text, sizeof text) > 0 && close(file) == 0 && unlink("alone") == 0);
    CHECK(strcmp(text, "told: User signal 2\nHangup\nBroken pipe\nasked: Terminated\n") == 0);
    end();
}

static void names(void)
{
    struct utsname name;
    char text[4] = "xyz";
    begin("uname: the system's name, and the machine's");
    CHECK(uname(&name) == 0 && strcmp(name.sysname, "Riposte") == 0 && strcmp(name.nodename, "riposte") == 0);
    CHECK(name.release[0] && name.version[0] && name.machine[0]);
    end();
    begin("confstr: _CS_PATH is empty, which takes a byte; EINVAL of what has no such name");
    CHECK(confstr(_CS_PATH, NULL, 0) == 1 && confstr(_CS_PATH, text, sizeof text) == 1 && !text[0] && text[1] == 'y');
    errno = 0;
    CHECK(confstr(-1, text, sizeof text) == 0 && errno == EINVAL);
    end();
}

#define LONG 1024

static uint64_t sent_at;

static void *sends_long(void *queue)
{
    static const char message[LONG] = "x";
    const int sent = mq_send(*(const mqd_t *)queue, message, sizeof message, 0);
    sent_at = riposte_clock();
    return (void *)(intptr_t)sent;
}

static void queues(void)
{
    const struct mq_attr one = {0, 1, LONG, 0};
    uint64_t whole = 0;
    void *sent;
    begin("mq_close: a thread that it interrupts within mq_send writes to no memory that was given back");
    /* The first time to its end, and then until shortly before that, where it copies. */
    for (int before = 0; before <= 9; before += 3) {
        const uint64_t begun = riposte_clock();
        mqd_t queue = mq_open("/long", O_CREAT | O_EXCL | O_RDWR, 0600, &one);
        CHECK(queue >= 0);
        const pthread_t sender = thread_of(9, sends_long, &queue);
        riposte_sleep_until(before ? begun + whole - 1000 * (uint64_t)before : begun + 10000000);
        if (!before)
            whole = sent_at - begun;
        CHECK(mq_close(queue) == 0 && mq_unlink("/long") == 0);
        unsigned char *const memory = malloc(LONG);
        CHECK(memory != NULL);
        memset(memory, 0xA5, LONG);
        CHECK(pthread_join(sender, &sent) == 0);
        bool is_kept = true;
        for (int at = 0; at < LONG && is_kept; at++)
            is_kept = memory[at] == 0xA5;
        free(memory);
        CHECK(is_kept);
    }
    end();
}

void alone(void)
{
    queues();
    locked();
    places();
    read_ahead();
    lines();
    formatted();
    signals();
    names();
}
