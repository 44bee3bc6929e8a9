/* Streams: connect, accept, bytes, ends. */

#include "check.h"

#include <fcntl.h>
#include <riposte.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* More than both sides keep. */
#define BYTES 9000

static volatile sig_atomic_t broken;

static void note_broken(int number)
{
    (void)number;
    broken++;
}

static uint8_t byte_at(size_t position)
{
    return (uint8_t)(position * 7 + position / 251);
}

/* Sends bytes while the other thread reads what comes back. */
static uint32_t send_many(void *stream)
{
    uint8_t bytes[300];
    for (size_t done = 0; done < BYTES; done += sizeof bytes) {
        for (size_t n = 0; n < sizeof bytes; n++)
            bytes[n] = byte_at(done + n);
        if (send(*(int *)stream, bytes, sizeof bytes, 0) != sizeof bytes)
            return 1;
    }
    return shutdown(*(int *)stream, SHUT_WR) ? 2 : 0;
}

void streams(void)
{
    static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};
    struct sockaddr_in there = peer_at(7), own, any = any_at(90), nobody = peer_at(99), found;
    struct sockaddr_in first = peer_at(0);
    socklen_t length = sizeof own;
    riposte_thread_t other;
    uint32_t value = 9;
    uint8_t bytes[1024];
    size_t came = 0;
    bool same = true;
    ssize_t count;
    int stream = stream_to(7), listener, client = -1;
    begin("connect, send, recv: what is sent comes back");
    CHECK(stream == 3 && send(stream, "abc", 3, 0) == 3 && recv(stream, bytes, 3, MSG_WAITALL) == 3);
    CHECK(!memcmp(bytes, "abc", 3));
    end();
    begin("write, read: by the descriptor, too, and by a second one");
    const int second_one = dup(stream);
    CHECK(write(second_one, "def", 3) == 3 && close(stream) == 0 && read(second_one, bytes, 1) == 1 && bytes[0] == 'd');
    CHECK(recv(second_one, bytes, 2, MSG_WAITALL) == 2 && !memcmp(bytes, "ef", 2) && dup2(second_one, stream) == stream);
    CHECK(close(second_one) == 0);
    end();
    begin("getpeername, getsockname: both ends; as much as there is room for");
    CHECK(getpeername(stream, (struct sockaddr *)&found, &length) == 0 && length == sizeof found);
    CHECK(found.sin_family == AF_INET && found.sin_port == htons(7) && found.sin_addr.s_addr == there.sin_addr.s_addr);
    CHECK(getsockname(stream, (struct sockaddr *)&own, &length) == 0 && own.sin_addr.s_addr == inet_addr("10.0.0.1"));
    CHECK(ntohs(own.sin_port) >= 49152);
    memset(&found, 0xAA, sizeof found);
    length = 2;
    CHECK(getpeername(stream, (struct sockaddr *)&found, &length) == 0 && length == sizeof found);
    CHECK(found.sin_family == AF_INET && found.sin_port == 0xAAAA);
    end();
    begin("connect EISCONN: it is; listen EINVAL, bind EINVAL");
    CHECK(FAILS(connect(stream, ADDRESS(there)), EISCONN) && FAILS(listen(stream, 1), EINVAL));
    CHECK(FAILS(bind(stream, ADDRESS(any)), EINVAL));
    end();
    begin("send, recv EOPNOTSUPP: flags that there are not; nothing is sent");
    CHECK(FAILS(send(stream, "x", 1, MSG_OOB), EOPNOTSUPP) && FAILS(recv(stream, bytes, 1, MSG_PEEK), EOPNOTSUPP));
    CHECK(FAILS(recv(stream, bytes, 1, MSG_DONTWAIT), EAGAIN) && recv(stream, bytes, 0, 0) == 0);
    end();
    begin("send, recv, shutdown: more than anybody on the way keeps, in order, to the end");
    CHECK(riposte_thread_spawn(send_many, &stream, &second, &other) == RIPOSTE_OK);
    while ((count = recv(stream, bytes, sizeof bytes, 0)) > 0)
        for (ssize_t n = 0; n < count; n++)
            same &= bytes[n] == byte_at(came++);
    CHECK(count == 0 && same && came == BYTES);
    CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 0);
    end();
    begin("send EPIPE: behind one's own end; SIGPIPE before it, but with MSG_NOSIGNAL");
    CHECK(signal(SIGPIPE, note_broken) == SIG_DFL && FAILS(send(stream, "x", 1, MSG_NOSIGNAL), EPIPE) && !broken);
    CHECK(FAILS(send(stream, "x", 1, 0), EPIPE) && broken == 1 && FAILS(write(stream, "x", 1), EPIPE) && broken == 2);
    CHECK(signal(SIGPIPE, SIG_DFL) == note_broken && recv(stream, bytes, 1, 0) == 0 && close(stream) == 0);
    end();
    begin("shutdown EINVAL: no such side; SHUT_RD: what comes is not read any more");
    stream = stream_to(7);
    CHECK(FAILS(shutdown(stream, 3), EINVAL) && shutdown(stream, SHUT_RD) == 0 && recv(stream, bytes, 1, 0) == 0);
    CHECK(send(stream, "x", 1, 0) == 1 && close(stream) == 0);
    end();
    begin("connect ECONNREFUSED: nobody listens; and it may be tried again");
    stream = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(FAILS(connect(stream, ADDRESS(nobody)), ECONNREFUSED) && FAILS(recv(stream, bytes, 1, 0), ENOTCONN));
    CHECK(connect(stream, ADDRESS(there)) == 0 && close(stream) == 0);
    end();
    begin("connect EHOSTUNREACH, EINVAL, EAFNOSUPPORT: an address to which nothing leads, or that is none");
    stream = socket(AF_INET, SOCK_STREAM, 0);
    static const char *const far[] = {"192.168.0.1", "10.0.0.1", "10.0.0.255", "255.255.255.255"};
    for (int n = 0; n < 4; n++) {
        first.sin_addr.s_addr = inet_addr(far[n]);
        CHECK(FAILS(connect(stream, ADDRESS(first)), EHOSTUNREACH));
    }
    first.sin_port = 0;
    CHECK(FAILS(connect(stream, ADDRESS(first)), EHOSTUNREACH) && FAILS(connect(stream, NULL, 0), EINVAL));
    there.sin_family = 1;
    CHECK(FAILS(connect(stream, ADDRESS(there)), EAFNOSUPPORT) && bind(stream, ADDRESS(any)) == 0);
    there.sin_family = AF_INET;
    CHECK(FAILS(connect(stream, ADDRESS(there)), EOPNOTSUPP) && close(stream) == 0);
    end();
    begin("listen, accept: who is called comes, and is told from where");
    listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, ADDRESS(any)) == 0 && listen(listener, 1) == 0 && fcntl(listener, F_SETFL, O_NONBLOCK) == 0);
    CHECK(FAILS(accept(listener, NULL, NULL), EAGAIN) && fcntl(listener, F_SETFL, 0) == 0);
    stream = stream_to(8);
    length = sizeof found;
    CHECK(send(stream, "c", 1, 0) == 1 && (client = accept(listener, (struct sockaddr *)&found, &length)) == 5);
    CHECK(length == sizeof found && found.sin_addr.s_addr == there.sin_addr.s_addr && found.sin_port != 0);
    CHECK(recv(client, bytes, sizeof bytes, MSG_WAITALL) == 5 && !memcmp(bytes, "hello", 5));
    CHECK(getpeername(client, (struct sockaddr *)&own, &length) == 0 && own.sin_port == found.sin_port);
    CHECK(FAILS(send(listener, "x", 1, 0), ENOTCONN) && FAILS(connect(listener, ADDRESS(there)), EOPNOTSUPP));
    CHECK(close(client) == 0 && close(listener) == 0 && recv(stream, bytes, 1, 0) == 0 && close(stream) == 0);
    end();
    begin("recv ECONNRESET: the other side has ended it, with something unread");
    stream = stream_to(8);
    CHECK(send(stream, "rmore", 5, 0) == 5 && FAILS(recv(stream, bytes, 1, 0), ECONNRESET));
    CHECK(FAILS(send(stream, "x", 1, 0), ECONNRESET) && FAILS(getpeername(stream, NULL, NULL), ENOTCONN));
    CHECK(close(stream) == 0);
    end();
    begin("connect EMFILE: as many streams as the manifest says");
    int all[5];
    for (int n = 0; n < 4; n++)
        CHECK((all[n] = stream_to(n < 3 ? 7 : 8)) == 3 + n);
    all[4] = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(FAILS(connect(all[4], ADDRESS(there)), EMFILE));
    for (int n = 0; n < 5; n++)
        CHECK(close(all[n]) == 0);
    end();
}
