/* Servers that die, descriptors that several threads use. */

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <riposte.h>

static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};

/* Reads a file byte by byte; the number of bytes of each value. */
static unsigned char seen[2][256];
static int shared;

static uint32_t drain(void *counts)
{
    unsigned char byte;
    while (read(shared, &byte, 1) == 1) {
        ((unsigned char *)counts)[byte]++;
        riposte_yield();
    }
    return 0;
}

static uint32_t open_and_close(void *path)
{
    for (int turn = 0; turn < 200; turn++) {
        const int file = open(path, O_RDONLY);
        if (file < 3 || close(file))
            return 1;
        if (turn % 7 == 0)
            riposte_yield();
    }
    return 0;
}

static void threads(void)
{
    static unsigned char bytes[200];
    riposte_thread_t other;
    uint32_t result = 1;
    begin("two threads at one descriptor: each byte is read once");
    shared = open("bytes", O_RDWR | O_CREAT, 0600);
    for (int n = 0; n < 200; n++)
        bytes[n] = (unsigned char)n;
    CHECK(write(shared, bytes, 200) == 200 && lseek(shared, 0, SEEK_SET) == 0);
    CHECK(riposte_thread_spawn(drain, seen[1], &second, &other) == RIPOSTE_OK);
    drain(seen[0]);
    CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, NULL) == RIPOSTE_OK);
    for (int n = 0; n < 200; n++)
        CHECK(seen[0][n] + seen[1][n] == 1);
    CHECK(seen[0][0] + seen[0][2] && seen[1][1] + seen[1][2] + seen[1][3]);
    end();
    begin("two threads that open and close: no descriptor is lost");
    CHECK(riposte_thread_spawn(open_and_close, "bytes", &second, &other) == RIPOSTE_OK);
    CHECK(open_and_close("/dev/null") == 0);
    CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, &result) == RIPOSTE_OK && result == 0);
    CHECK(open("bytes", O_RDONLY) == shared + 1 && close(shared + 1) == 0);
    CHECK(close(shared) == 0);
    end();
}

static void appends(void)
{
    char text[8];
    begin("write with O_APPEND of fcntl: to the end, whoever else has appended; what fails, and nothing, moves nothing");
    const int one = open("log", O_RDWR | O_CREAT | O_TRUNC, 0600), other = open("log", O_WRONLY);
    CHECK(fcntl(one, F_SETFL, O_APPEND) == 0 && fcntl(other, F_SETFL, O_APPEND) == 0);
    CHECK(write(one, "ab", 2) == 2 && write(other, "cd", 2) == 2 && write(one, "e", 1) == 1);
    CHECK(lseek(one, 1, SEEK_SET) == 1 && FAILS(write(one, (void *)0xFFFFF000u, 100), EFAULT));
    CHECK(write(one, text, 0) == 0 && lseek(one, 0, SEEK_CUR) == 1);
    CHECK(pread(one, text, sizeof text, 0) == 5 && !memcmp(text, "abcde", 5));
    CHECK(write(one, "f", 1) == 1 && lseek(one, 0, SEEK_CUR) == 6);
    CHECK(close(one) == 0 && close(other) == 0 && unlink("log") == 0);
    end();
    begin("write with O_APPEND of fcntl: one request, so that nobody appends in the middle of it");
    const int flaky = open("/dev/flaky/file", O_RDWR);
    CHECK(flaky == 3 && FAILS(write(flaky, "a", 1), EIO));
    CHECK(fcntl(flaky, F_SETFL, O_APPEND) == 0 && write(flaky, "a", 1) == 1);
    CHECK(close(flaky) == 0);
    end();
}

static void deaths(void)
{
    char text[8];
    riposte_process_t files;
    begin("a server that dies in the middle of a read: EIO, and a file that is opened again works");
    for (int life = 0; life < 3; life++) {
        const int file = open("/sd/file", O_RDONLY);
        CHECK(file == 3);
        CHECK(read(file, text, 4) == 4 && !memcmp(text, "half", 4));
        CHECK(FAILS(read(file, text, 4), EIO));
        CHECK(FAILS(read(file, text, 4), EIO));
        CHECK(FAILS(close(file), EIO) && FAILS(close(file), EBADF));
    }
    end();
    begin("a name that the names server knows: its server is asked; ENOENT of one that it does not know");
    const int named = open("/dev/flaky/file", O_RDONLY);
    CHECK(named == 3 && read(named, text, 4) == 4 && !memcmp(text, "half", 4) && close(named) == 0);
    CHECK(FAILS(open("/dev/flakier", O_RDONLY), ENOENT));
    end();
    begin("read of a server that has no more now: what has come, and nobody waits for the rest");
    const int slow = open("/dev/flaky/slow", O_RDONLY);
    CHECK(slow == 3 && read(slow, text, sizeof text) == 4 && !memcmp(text, "come", 4));
    CHECK(close(slow) == 0);
    end();
    begin("rename EXDEV: two names of the names server are two servers, and nothing was asked of any; one name is one");
    CHECK(FAILS(rename("/dev/flaky/file", "/dev/second/file"), EXDEV));
    CHECK(FAILS(rename("/dev/second/file", "/dev/flaky/file"), EXDEV));
    CHECK(rename("/dev/flaky/file", "/dev/flaky/other") == 0);
    end();
    begin("EIO: a server that tells what cannot be is not believed");
    const int liar = open("/dev/flaky/liar", O_RDWR);
    DIR *const directory = opendir("/dev/flaky/liar");
    struct {
        struct dirent entry;
        char guard[256];
    } read_into;
    struct dirent *next = &read_into.entry;
    memset(read_into.guard, 'g', sizeof read_into.guard);
    CHECK(liar == 3 && directory);
    CHECK(FAILS(read(liar, text, sizeof text), EIO) && FAILS(pread(liar, text, 1, 0), EIO));
    CHECK(FAILS(write(liar, text, 1), EIO) && FAILS(pwrite(liar, text, 1, 0), EIO));
    CHECK(FAILS(lseek(liar, 0, SEEK_SET), EIO));
    CHECK(readdir_r(directory, &read_into.entry, &next) == EIO && !next);
    for (size_t n = 0; n < sizeof read_into.guard; n++)
        CHECK(read_into.guard[n] == 'g');
    CHECK(closedir(directory) == 0 && close(liar) == 0);
    end();
    begin("a server that was restarted: EIO of what was open, and of nothing that is opened then");
    CHECK(riposte_process("files", &files) == RIPOSTE_OK);
    const int before = open("bytes", O_RDONLY), copy = dup(before);
    CHECK(read(before, text, 4) == 4);
    CHECK(riposte_process_restart(files) == RIPOSTE_OK);
    const int after = open("bytes", O_RDONLY);
    CHECK(after == 5 && FAILS(read(before, text, 4), EIO) && FAILS(lseek(copy, 0, SEEK_SET), EIO));
    CHECK(read(after, text, 4) == 4);
    CHECK(close(after) == 0 && close(before) == 0 && FAILS(close(copy), EIO));
    CHECK(unlink("bytes") == 0 && unlink("made") == 0);
    end();
}

/* This program makes none: but who may write where a mutex lies can say that it has one. */
static void ceilings(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct timespec soon = {0, 0};
    int before;
    begin("pthread_mutex_lock EINVAL: a mutex with a ceiling, in a process that makes none");
    mutex.__word = UINT32_MAX;
    mutex.__protocol = PTHREAD_PRIO_PROTECT;
    mutex.__ceiling = 30;
    CHECK(pthread_mutex_lock(&mutex) == EINVAL && pthread_mutex_trylock(&mutex) == EINVAL);
    CHECK(pthread_mutex_timedlock(&mutex, &soon) == EINVAL && pthread_mutex_unlock(&mutex) == EPERM);
    CHECK(pthread_mutex_setprioceiling(&mutex, 10, &before) == EINVAL);
    end();
}

void hostile(void)
{
    ceilings();
    threads();
    appends();
    deaths();
}
