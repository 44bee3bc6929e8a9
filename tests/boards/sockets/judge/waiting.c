/* What waits, and what does not. */

#include "check.h"

#include <fcntl.h>
#include <poll.h>
#include <riposte.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};
/* How long the other thread lets this one wait, in nanoseconds. */
#define A_WHILE UINT64_C(30000000)

static uint32_t send_late(void *stream)
{
    riposte_sleep(A_WHILE);
    return send(*(int *)stream, "x", 1, 0) != 1;
}

static uint32_t hear_nothing(void *stream)
{
    char byte;
    return !FAILS(recv(*(int *)stream, &byte, 1, 0), EAGAIN);
}

static bool joined(riposte_thread_t thread)
{
    uint32_t value = 1;
    return riposte_thread_join_until(thread, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && !value;
}

static void polling(int stream)
{
    struct sockaddr_in there = peer_at(7), any = any_at(90), nobody = peer_at(99);
    struct pollfd set[3] = {{stream, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
    riposte_thread_t other;
    fd_set reads;
    char bytes[16];
    int ends[2], error, made, listener;
    socklen_t length = sizeof error;
    begin("poll: what a stream is ready for; until its time is over, and until something comes");
    set[0].events = POLLIN | POLLOUT;
    CHECK(poll(set, 1, -1) == 1 && set[0].revents == POLLOUT);
    set[0].events = POLLIN;
    uint64_t start = riposte_clock();
    CHECK(poll(set, 1, 5) == 0 && riposte_clock() - start >= 5000000);
    start = riposte_clock();
    CHECK(riposte_thread_spawn(send_late, &stream, &second, &other) == RIPOSTE_OK);
    CHECK(poll(set, 1, -1) == 1 && set[0].revents == POLLIN && riposte_clock() - start >= A_WHILE);
    CHECK(joined(other) && recv(stream, bytes, 1, 0) == 1);
    end();
    begin("poll, select: a stream and a pipe in one call, whichever has something");
    CHECK(pipe(ends) == 0);
    for (int turn = 0; turn < 2; turn++) {
        set[turn] = (struct pollfd){stream, POLLIN, 0};
        set[1 - turn] = (struct pollfd){ends[0], POLLIN, 0};
        CHECK(riposte_thread_spawn(send_late, &stream, &second, &other) == RIPOSTE_OK);
        CHECK(poll(set, 2, -1) == 1 && set[turn].revents == POLLIN && joined(other) && recv(stream, bytes, 1, 0) == 1);
        CHECK(poll(set, 2, 30) == 0);
    }
    CHECK(write(ends[1], "x", 1) == 1);
    FD_ZERO(&reads);
    FD_SET(stream, &reads);
    FD_SET(ends[0], &reads);
    CHECK(select(ends[1], &reads, NULL, NULL, NULL) == 1 && FD_ISSET(ends[0], &reads) && !FD_ISSET(stream, &reads));
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    end();
    begin("poll: as many threads wait at the server as may: one more is told at its time, and not before");
    struct timeval time = {0, 2 * A_WHILE / 1000};
    riposte_thread_t others[4];
    CHECK(setsockopt(stream, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0);
    for (int n = 0; n < 4; n++)
        CHECK(riposte_thread_spawn(hear_nothing, &stream, &second, &others[n]) == RIPOSTE_OK);
    riposte_sleep(A_WHILE / 4);
    set[0] = (struct pollfd){stream, POLLIN, 0};
    CHECK(poll(set, 1, A_WHILE / 2000000) == 0);
    for (int n = 0; n < 4; n++)
        CHECK(joined(others[n]));
    time.tv_usec = 0;
    CHECK(setsockopt(stream, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0);
    end();
    begin("poll: who has come is something to be read of who listens");
    listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, ADDRESS(any)) == 0 && listen(listener, 1) == 0);
    set[0] = (struct pollfd){listener, POLLIN | POLLOUT, 0};
    CHECK(poll(set, 1, 0) == 0);
    const int asking = stream_to(8);
    CHECK(send(asking, "c", 1, 0) == 1 && poll(set, 1, -1) == 1 && set[0].revents == POLLIN);
    const int client = accept(listener, NULL, NULL);
    CHECK(close(listener) == 0 && close(asking) == 0);
    end();
    begin("poll: POLLHUP when both sides have ended, POLLIN before, for the end");
    set[0] = (struct pollfd){client, POLLIN | POLLOUT, 0};
    CHECK(recv(client, bytes, sizeof bytes, MSG_WAITALL) == 5 && poll(set, 1, -1) == 1);
    CHECK(set[0].revents == (POLLIN | POLLOUT) && shutdown(client, SHUT_WR) == 0);
    CHECK(poll(set, 1, -1) == 1 && set[0].revents == (POLLIN | POLLHUP) && close(client) == 0);
    end();
    begin("connect EINPROGRESS: with O_NONBLOCK; POLLOUT and SO_ERROR say what came of it; EALREADY meanwhile, EISCONN then");
    made = socket(AF_INET, SOCK_STREAM, 0);
    set[0] = (struct pollfd){made, POLLOUT, 0};
    CHECK(poll(set, 1, 0) == 1 && set[0].revents == POLLHUP && fcntl(made, F_SETFL, O_NONBLOCK) == 0);
    CHECK(FAILS(connect(made, ADDRESS(there)), EINPROGRESS) && poll(set, 1, -1) == 1 && set[0].revents == POLLOUT);
    CHECK(getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0);
    CHECK(FAILS(connect(made, ADDRESS(there)), EISCONN) && close(made) == 0);
    made = socket(AF_INET, SOCK_STREAM, 0);
    set[0] = (struct pollfd){made, POLLOUT, 0};
    CHECK(fcntl(made, F_SETFL, O_NONBLOCK) == 0 && FAILS(connect(made, ADDRESS(nobody)), EINPROGRESS));
    CHECK(poll(set, 1, -1) == 1 && set[0].revents == (POLLOUT | POLLERR));
    CHECK(getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == ECONNREFUSED && close(made) == 0);
    made = socket(AF_INET, SOCK_STREAM, 0);
    nobody.sin_addr.s_addr = inet_addr("10.0.0.77");
    CHECK(fcntl(made, F_SETFL, O_NONBLOCK) == 0 && FAILS(connect(made, ADDRESS(nobody)), EINPROGRESS));
    CHECK(FAILS(connect(made, ADDRESS(nobody)), EALREADY) && FAILS(recv(made, bytes, 1, 0), EAGAIN));
    CHECK(FAILS(shutdown(made, SHUT_WR), ENOTCONN) && FAILS(shutdown(made, SHUT_RDWR), ENOTCONN));
    CHECK(FAILS(connect(made, ADDRESS(nobody)), EALREADY));
    CHECK(FAILS(getpeername(made, NULL, NULL), ENOTCONN) && close(made) == 0);
    end();
}

void waiting(void)
{
    static char many[12000];
    struct timeval time = {0, 20000};
    struct sockaddr_in nobody = peer_at(99);
    char byte;
    int stream = stream_to(7);
    polling(stream);
    begin("recv, accept, connect EAGAIN, EINPROGRESS: when the time of SO_RCVTIMEO or SO_SNDTIMEO is over");
    uint64_t start = riposte_clock();
    CHECK(setsockopt(stream, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0 && FAILS(recv(stream, &byte, 1, 0), EAGAIN));
    CHECK(riposte_clock() - start >= 20000000);
    nobody.sin_addr.s_addr = inet_addr("10.0.0.77");
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    start = riposte_clock();
    CHECK(setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) == 0);
    CHECK(FAILS(connect(made, ADDRESS(nobody)), EINPROGRESS) && riposte_clock() - start >= 20000000 && close(made) == 0);
    end();
    begin("send: with O_NONBLOCK as much as there is room for, then EAGAIN; poll: POLLOUT when the other side has read");
    /* The peer says nothing back that nobody reads, and so reads nothing more itself. */
    CHECK(fcntl(stream, F_SETFL, O_NONBLOCK) == 0);
    struct pollfd writes = {stream, POLLOUT, 0};
    size_t sent = 0, came = 0;
    ssize_t count;
    while (poll(&writes, 1, 100) == 1 && (count = send(stream, many, sizeof many, 0)) > 0)
        sent += (size_t)count;
    CHECK(sent > 4096 && FAILS(send(stream, many, 1, 0), EAGAIN));
    while (came < sent && (count = recv(stream, many, sizeof many, 0), count > 0 || errno == EAGAIN)) {
        struct pollfd reads = {stream, POLLIN, 0};
        if (count > 0)
            came += (size_t)count;
        else
            poll(&reads, 1, -1);
    }
    CHECK(came == sent && poll(&writes, 1, -1) == 1 && writes.revents == POLLOUT && close(stream) == 0);
    end();
}
