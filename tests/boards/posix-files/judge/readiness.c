/* poll, select. */

#include "check.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

#include <riposte.h>

static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};
/* How long the other thread lets this one wait, in nanoseconds. */
#define A_WHILE UINT64_C(3000000)

static uint32_t write_late(void *descriptor)
{
    riposte_sleep(A_WHILE);
    return write(*(int *)descriptor, "x", 1) != 1;
}

static uint32_t close_late(void *descriptor)
{
    riposte_sleep(A_WHILE);
    return close(*(int *)descriptor) != 0;
}

static uint32_t result_of(riposte_thread_t thread)
{
    uint32_t value = 1;
    riposte_thread_join_until(thread, RIPOSTE_FOREVER, &value);
    return value;
}

static void polling(void)
{
    int ends[2];
    char room[600];
    riposte_thread_t other;
    const int file = open("polled", O_RDWR | O_CREAT, 0600);
    CHECK(pipe(ends) == 0);
    struct pollfd set[4] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}, {-1, POLLIN, 99}, {15, POLLIN, 0}};
    begin("poll: what there is; POLLNVAL of what is not open, and nothing of what is negative");
    CHECK(poll(set, 4, 0) == 2);
    CHECK(set[0].revents == 0 && set[1].revents == POLLOUT && set[2].revents == 0 && set[3].revents == POLLNVAL);
    CHECK(write(ends[1], "x", 1) == 1 && poll(set, 2, -1) == 2 && set[0].revents == POLLIN);
    CHECK(read(ends[0], room, 1) == 1);
    end();
    begin("poll: a file is ready for all that it is open for");
    set[2] = (struct pollfd){file, POLLIN | POLLOUT, 0};
    CHECK(poll(set + 2, 1, -1) == 1 && set[2].revents == (POLLIN | POLLOUT));
    end();
    begin("poll, select: a file never waits, not even to say that it is not open for that; it has its exceptional condition");
    const int write_only = open("asked", O_WRONLY | O_CREAT, 0), read_only = open("asked", O_RDONLY);
    struct pollfd never[2] = {{write_only, POLLIN, 0}, {read_only, POLLOUT, 0}};
    struct timeval at_once = {0, 5000};
    fd_set exceptional;
    CHECK(poll(never, 2, 5) == 2 && never[0].revents == POLLIN && never[1].revents == POLLOUT);
    FD_ZERO(&exceptional);
    FD_SET(read_only, &exceptional);
    CHECK(select(read_only + 1, NULL, NULL, &exceptional, &at_once) == 1 && FD_ISSET(read_only, &exceptional));
    CHECK(close(write_only) == 0 && close(read_only) == 0 && unlink("asked") == 0);
    end();
    begin("poll: until its time is over");
    const uint64_t before = riposte_clock();
    CHECK(poll(set, 1, 5) == 0 && set[0].revents == 0 && riposte_clock() - before >= 5000000);
    CHECK(poll(NULL, 0, 2) == 0 && riposte_clock() - before >= 7000000);
    end();
    begin("poll: waits until another thread writes, without running meanwhile");
    const uint64_t start = riposte_clock();
    CHECK(riposte_thread_spawn(write_late, &ends[1], &second, &other) == RIPOSTE_OK);
    CHECK(poll(set, 1, -1) == 1 && set[0].revents == POLLIN && riposte_clock() - start >= A_WHILE);
    CHECK(result_of(other) == 0 && read(ends[0], room, 1) == 1);
    end();
    begin("poll: no room is not POLLOUT; a reader makes some");
    memset(room, 'r', sizeof room);
    CHECK(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 && write(ends[1], room, sizeof room) == 512);
    CHECK(poll(set + 1, 1, 0) == 0 && read(ends[0], room, 512) == 512 && poll(set + 1, 1, 0) == 1);
    end();
    begin("poll: POLLHUP when the last writer has gone, POLLERR when the last reader has");
    CHECK(riposte_thread_spawn(close_late, &ends[1], &second, &other) == RIPOSTE_OK);
    CHECK(poll(set, 1, -1) == 1 && set[0].revents == POLLHUP && result_of(other) == 0 && close(ends[0]) == 0);
    CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
    set[1].fd = ends[1];
    CHECK(poll(set + 1, 1, -1) == 1 && set[1].revents == POLLERR && close(ends[1]) == 0);
    end();
    begin("poll: a descriptor that another thread closes is POLLNVAL");
    CHECK(pipe(ends) == 0);
    set[0].fd = ends[0];
    int own = ends[0];
    CHECK(riposte_thread_spawn(close_late, &own, &second, &other) == RIPOSTE_OK);
    CHECK(poll(set, 1, -1) == 1 && set[0].revents == POLLNVAL && result_of(other) == 0 && close(ends[1]) == 0);
    end();
    begin("poll, select: until their time is over, of an end that is ready for what nobody asks");
    CHECK(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    for (int asks = 0; asks < 3; asks++) {
        const uint64_t asked = riposte_clock();
        struct timeval five = {0, 5000};
        fd_set fails;
        FD_ZERO(&fails);
        FD_SET(ends[0], &fails);
        set[0] = (struct pollfd){ends[0], asks ? POLLOUT : 0, 0};
        CHECK((asks < 2 ? poll(set, 1, 5) : select(ends[0] + 1, NULL, NULL, &fails, &five)) == 0);
        CHECK(riposte_clock() - asked >= 5000000 && riposte_clock() - asked < 50000000);
    }
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    end();
    begin("poll: the end comes, whatever was asked");
    CHECK(pipe(ends) == 0);
    set[0] = (struct pollfd){ends[0], 0, 0};
    CHECK(riposte_thread_spawn(close_late, &ends[1], &second, &other) == RIPOSTE_OK);
    CHECK(poll(set, 1, -1) == 1 && set[0].revents == POLLHUP && result_of(other) == 0 && close(ends[0]) == 0);
    end();
    begin("poll: more ends than the server looks at for one thread; the last one is looked at now and then");
    {
        struct pollfd many[17];
        int others[2];
        CHECK(pipe(ends) == 0 && pipe(others) == 0);
        for (int n = 0; n < 17; n++)
            many[n] = (struct pollfd){n < 16 ? ends[0] : others[0], POLLIN, 0};
        const uint64_t asked = riposte_clock();
        CHECK(poll(many, 17, 5) == 0 && riposte_clock() - asked >= 5000000);
        CHECK(riposte_thread_spawn(write_late, &others[1], &second, &other) == RIPOSTE_OK);
        CHECK(poll(many, 17, -1) == 1 && many[16].revents == POLLIN && result_of(other) == 0);
        CHECK(close(ends[0]) == 0 && close(ends[1]) == 0 && close(others[0]) == 0 && close(others[1]) == 0);
    }
    end();
    begin("poll EINVAL: more than there can be");
    CHECK(FAILS(poll(set, 21, 0), EINVAL));
    end();
    CHECK(close(file) == 0 && unlink("polled") == 0);
}

static void selecting(void)
{
    int ends[2];
    char byte;
    fd_set reads, writes;
    struct timeval time = {0, 0};
    riposte_thread_t other;
    CHECK(pipe(ends) == 0);
    begin("select: the sets hold what there is, and the result how many");
    FD_ZERO(&reads);
    FD_ZERO(&writes);
    FD_SET(ends[0], &reads);
    FD_SET(ends[1], &writes);
    CHECK(select(ends[1] + 1, &reads, &writes, NULL, &time) == 1 && !FD_ISSET(ends[0], &reads));
    CHECK(FD_ISSET(ends[1], &writes));
    end();
    begin("select: waits, until something is there or the time is over");
    FD_SET(ends[0], &reads);
    time.tv_usec = 2000;
    const uint64_t before = riposte_clock();
    CHECK(select(ends[0] + 1, &reads, NULL, NULL, &time) == 0 && !FD_ISSET(ends[0], &reads));
    CHECK(riposte_clock() - before >= 2000000);
    FD_SET(ends[0], &reads);
    CHECK(riposte_thread_spawn(write_late, &ends[1], &second, &other) == RIPOSTE_OK);
    CHECK(select(ends[0] + 1, &reads, NULL, NULL, NULL) == 1 && FD_ISSET(ends[0], &reads));
    CHECK(result_of(other) == 0 && read(ends[0], &byte, 1) == 1);
    end();
    begin("select: the end is something to read");
    CHECK(close(ends[1]) == 0);
    FD_SET(ends[0], &reads);
    CHECK(select(ends[0] + 1, &reads, NULL, NULL, NULL) == 1 && FD_ISSET(ends[0], &reads));
    end();
    begin("select EBADF: one is not open; EINVAL: too many, or the time is none");
    FD_SET(15, &reads);
    CHECK(FAILS(select(16, &reads, NULL, NULL, &time), EBADF));
    CHECK(FAILS(select(-1, NULL, NULL, NULL, &time), EINVAL) && FAILS(select(FD_SETSIZE + 1, NULL, NULL, NULL, &time), EINVAL));
    time.tv_usec = 1000000;
    CHECK(FAILS(select(0, NULL, NULL, NULL, &time), EINVAL));
    end();
    begin("pselect: without a mask it is select where there are no signals; with one it is ENOSYS");
    const struct timespec soon = {0, 2000000};
    sigset_t none;
    sigemptyset(&none);
    FD_ZERO(&reads);
    FD_SET(ends[0], &reads);
    CHECK(FAILS(pselect(ends[0] + 1, &reads, NULL, NULL, &soon, &none), ENOSYS));
    CHECK(pselect(ends[0] + 1, &reads, NULL, NULL, NULL, NULL) == 1 && FD_ISSET(ends[0], &reads));
    FD_ZERO(&reads);
    CHECK(pselect(0, NULL, NULL, NULL, &soon, NULL) == 0);
    end();
    CHECK(close(ends[0]) == 0);
}

void readiness(void)
{
    polling();
    selecting();
}
