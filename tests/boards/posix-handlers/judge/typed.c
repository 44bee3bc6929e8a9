/* What is typed, read and looked for by a handler that interrupts a read of it. */

#include "check.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct pollfd standard_input = {STDIN_FILENO, POLLIN, 0};
static volatile sig_atomic_t found;
static char in_handler[16];

/* Not by a stream, which no handler may use. */
static void type_in(const char *order)
{
    const size_t length = strlen(order);
    found |= write(STDOUT_FILENO, order, length) == (ssize_t)length ? 0 : 0x100;
}

static void looks(int number)
{
    struct pollfd it = standard_input;
    (void)number;
    found = poll(&it, 1, 0) | it.revents << 1;
}

static void reads(int number)
{
    struct pollfd it = standard_input;
    (void)number;
    found = 0;
    type_in("@type first\\nsecond\\n\n");
    found |= poll(&it, 1, -1) == 1 && it.revents == POLLIN ? 0 : 0x200;
    found |= read(STDIN_FILENO, in_handler, 3) == 3 && !memcmp(in_handler, "fir", 3) ? 0 : 0x400;
    found |= read(STDIN_FILENO, in_handler, sizeof in_handler) == 3 && !memcmp(in_handler, "st\n", 3) ? 0 : 0x800;
}

static void finds(int number)
{
    struct pollfd it = standard_input;
    (void)number;
    found = 0;
    type_in("@type third\\n\n");
    found |= poll(&it, 1, -1) == 1 && it.revents == POLLIN ? 0 : 0x200;
}

static void ends(int number)
{
    struct pollfd it = standard_input;
    (void)number;
    found = 0;
    type_in("@type \\x04\n");
    found |= poll(&it, 1, -1) == 1 && it.revents == POLLIN ? 0 : 0x200;
}

static timer_t timer;

/* Has a signal interrupt what comes next. */
static void be_interrupted(void (*handler)(int), int flags)
{
    const struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    const struct itimerspec soon = {.it_value = {0, A_WHILE}};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    found = -1;
    fflush(stdout);
    CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
}

static ssize_t read_amid(void (*handler)(int), int flags, char *text, size_t room)
{
    be_interrupted(handler, flags);
    return read(STDIN_FILENO, text, room);
}

static void finds_nothing(void)
{
    struct pollfd it = standard_input;
    CHECK(poll(&it, 1, 0) == 0);
}

void typed(void)
{
    char text[16];
    CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0);
    begin("poll: in a handler that interrupts a read of the console there is nothing to be read; read EINTR");
    CHECK(FAILS(read_amid(looks, 0, text, sizeof text), EINTR) && found == 0);
    end();
    begin("poll, read: a handler that interrupts a read of the console reads what is typed, and the read has what is left");
    CHECK(read_amid(reads, SA_RESTART, text, sizeof text) == 7 && !memcmp(text, "second\n", 7) && found == 0);
    CHECK(read_amid(finds, SA_RESTART, text, sizeof text) == 6 && !memcmp(text, "third\n", 6) && found == 0);
    end();
    begin("poll: a handler that interrupts a read of the console finds the end of the input, which the read is told");
    CHECK(read_amid(ends, SA_RESTART, text, sizeof text) == 0 && found == 0);
    end();
    begin("poll EINTR: a signal was handled while it waited for the console, also with SA_RESTART");
    struct pollfd it = standard_input;
    be_interrupted(looks, SA_RESTART);
    CHECK(FAILS(poll(&it, 1, 5000), EINTR) && found == 0);
    end();
    begin("poll: no signal has it find what is not there");
    amid_requests(200, finds_nothing, finds_nothing, 0);
    end();
}
