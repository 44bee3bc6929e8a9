/* The ends of the other side, and of the server. */

#include "check.h"

#include <poll.h>
#include <riposte.h>
#include <unistd.h>

static uint32_t end_server(void *process)
{
    riposte_sleep(3000000);
    return riposte_process_restart(*(riposte_process_t *)process) != RIPOSTE_OK;
}

/* A socket of the server's next life. */
static int socket_again(int type)
{
    int made;
    while ((made = socket(AF_INET, type, 0)) < 0 && errno == EIO)
        riposte_sleep(1000000);
    return made;
}

void ends(void)
{
    static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};
    struct sockaddr_in there = peer_at(7);
    riposte_process_t peer, network;
    riposte_thread_t other;
    uint32_t value = 9;
    char byte;
    int stream, after, datagrams, unasked;
    begin("recv, poll, SO_ERROR: the other side's program dies: ECONNRESET, POLLERR; its next life is there");
    CHECK(riposte_process("peer", &peer) == RIPOSTE_OK && riposte_process("network", &network) == RIPOSTE_OK);
    stream = stream_to(7);
    unasked = stream_to(7);
    CHECK(send(stream, "x", 1, 0) == 1 && recv(stream, &byte, 1, 0) == 1 && riposte_process_restart(peer) == RIPOSTE_OK);
    CHECK(FAILS(recv(stream, &byte, 1, 0), ECONNRESET));
    struct pollfd dead = {stream, POLLIN, 0};
    CHECK(poll(&dead, 1, -1) == 1 && dead.revents == (POLLIN | POLLERR));
    CHECK(option(stream, SO_ERROR) == 0 && close(stream) == 0);
    dead.fd = unasked;
    CHECK(poll(&dead, 1, -1) == 1 && dead.revents == (POLLIN | POLLERR));
    CHECK(option(unasked, SO_ERROR) == ECONNRESET && option(unasked, SO_ERROR) == 0 && close(unasked) == 0);
    stream = stream_to(7);
    CHECK(send(stream, "x", 1, 0) == 1 && recv(stream, &byte, 1, 0) == 1);
    end();
    begin("recv EIO: the server dies while it is waited for; poll POLLERR; and nothing of it finds the next life's sockets");
    datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(sendto(datagrams, "x", 1, 0, ADDRESS(there)) == 1);
    CHECK(riposte_thread_spawn(end_server, &network, &second, &other) == RIPOSTE_OK);
    dead.fd = stream;
    CHECK(FAILS(recv(stream, &byte, 1, 0), EIO));
    CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 0);
    after = socket_again(SOCK_STREAM);
    while (connect(after, ADDRESS(there)) && errno == ECONNREFUSED)
        riposte_sleep(1000000);
    CHECK(send(after, "x", 1, 0) == 1 && FAILS(recv(stream, &byte, 1, MSG_DONTWAIT), EIO));
    CHECK(FAILS(send(stream, "x", 1, 0), EIO) && FAILS(getpeername(stream, NULL, NULL), EIO));
    CHECK(FAILS(sendto(datagrams, "x", 1, 0, ADDRESS(there)), EIO) && poll(&dead, 1, -1) == 1 && dead.revents == POLLERR);
    CHECK(recv(after, &byte, 1, 0) == 1 && byte == 'x');
    CHECK(FAILS(close(stream), EIO) && FAILS(close(datagrams), EIO) && close(after) == 0);
    end();
    begin("socket: as many as before, when all of it is over");
    for (int n = 0; n < 4; n++)
        CHECK(stream_to(n < 3 ? 7 : 8) == 3 + n);
    end();
}
