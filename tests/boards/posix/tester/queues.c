/* Message queues. */

#include "check.h"

#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <string.h>

static const struct mq_attr small = {0, 3, 8, 0};
static mqd_t queue;
/* Which threads have come back, in which order. */
static unsigned came;

static mqd_t open_small(const char *name)
{
    const mqd_t it = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &small);
    CHECK(it >= 0);
    return it;
}

static void gone(mqd_t it, const char *name)
{
    CHECK(mq_close(it) == 0 && mq_unlink(name) == 0);
}

static bool send(mqd_t it, const char *text, unsigned priority)
{
    return mq_send(it, text, strlen(text), priority) == 0;
}

/* Whether this text of this priority is received next. */
static bool next_is(mqd_t it, const char *text, unsigned priority)
{
    char message[8];
    unsigned level = 99;
    const ssize_t length = mq_receive(it, message, sizeof message, &level);
    return length == (ssize_t)strlen(text) && memcmp(message, text, strlen(text)) == 0 && level == priority;
}

static bool holds(mqd_t it, long messages)
{
    struct mq_attr attr;
    return mq_getattr(it, &attr) == 0 && attr.mq_curmsgs == messages;
}

/* What a thread was told that receives at a queue which is closed meanwhile. */
static char letter[8];
static ssize_t volatile got;

static void *receives_ever(void *unused)
{
    (void)unused;
    got = mq_receive(queue, letter, sizeof letter, NULL);
    return NULL;
}

static void *receives_soon(void *unused)
{
    const struct timespec until = in(CLOCK_REALTIME, 5);
    (void)unused;
    got = mq_timedreceive(queue, letter, sizeof letter, NULL, &until) < 0 ? -errno : 0;
    return NULL;
}

static void opening(void)
{
    const struct mq_attr impossible[] = {{0, 0, 8, 0}, {0, 8, 0, 0}, {0, -1, 8, 0}, {0, 8, -1, 0}, {0, 70000, 8, 0},
                                    {0, 8, INT_MAX, 0}};
    const struct mq_attr large = {0, 1000, 1000, 0};
    struct mq_attr attr, before;
    static const char *const names[MQ_OPEN_MAX] = {"/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7"};
    mqd_t one, other, many[MQ_OPEN_MAX + 1];
    int count = 0;

    begin("mq_open: by the same name one opens the same queue, each with a descriptor and a way of its own");
    one = open_small("/one");
    other = mq_open("/one", O_CREAT | O_RDONLY | O_NONBLOCK, 0600, NULL);
    CHECK(other >= 0 && other != one);
    CHECK(send(one, "first", 0) && next_is(other, "first", 0));
    CHECK(mq_getattr(one, &attr) == 0 && attr.mq_flags == 0);
    CHECK(mq_getattr(other, &attr) == 0 && attr.mq_flags == O_NONBLOCK);
    CHECK(attr.mq_maxmsg == 3 && attr.mq_msgsize == 8 && attr.mq_curmsgs == 0);
    CHECK(mq_close(other) == 0);
    end();

    begin("mq_open [EEXIST] [ENOENT] [EINVAL] [ENAMETOOLONG] [ENOSPC]");
    CHECK(FAILS(mq_open("/one", O_CREAT | O_EXCL | O_RDWR, 0600, &small), EEXIST));
    CHECK(FAILS(mq_open("/none", O_RDWR), ENOENT));
    CHECK(FAILS(mq_open("/one", O_ACCMODE), EINVAL));
    CHECK(FAILS(mq_open("/", O_CREAT | O_RDWR, 0600, &small), EINVAL));
    CHECK(FAILS(mq_open("/a/b", O_CREAT | O_RDWR, 0600, &small), EINVAL));
    for (size_t each = 0; each < sizeof impossible / sizeof *impossible; each++)
        CHECK(FAILS(mq_open("/two", O_CREAT | O_RDWR, 0600, &impossible[each]), EINVAL));
    CHECK(FAILS(mq_open("/12345678901234567890123456789012", O_CREAT | O_RDWR, 0600, &small), ENAMETOOLONG));
    CHECK(FAILS(mq_open("/two", O_CREAT | O_RDWR, 0600, &large), ENOSPC));
    CHECK(FAILS(mq_open("/two", O_RDWR), ENOENT));
    end();

    begin("mq_open [EMFILE]: a process has MQ_OPEN_MAX descriptors");
    while (count <= MQ_OPEN_MAX) {
        many[count] = mq_open("/one", O_RDONLY);
        if (many[count] < 0)
            break;
        count++;
    }
    CHECK(count == MQ_OPEN_MAX - 1 && errno == EMFILE);
    while (count > 0)
        CHECK(mq_close(many[--count]) == 0);
    end();

    begin("mq_unlink [ENOENT] [ENAMETOOLONG]: the name is gone at once, the queue when nobody has it open");
    CHECK(mq_unlink("/one") == 0 && FAILS(mq_unlink("/one"), ENOENT) && FAILS(mq_open("/one", O_RDWR), ENOENT));
    CHECK(FAILS(mq_unlink("/12345678901234567890123456789012"), ENAMETOOLONG));
    CHECK(send(one, "still", 1) && next_is(one, "still", 1));
    other = open_small("/one");
    CHECK(send(other, "new", 0) && holds(one, 0) && holds(other, 1));
    end();

    begin("mq_close [EBADF]: a descriptor is one until it is closed");
    CHECK(mq_close(one) == 0 && FAILS(mq_close(one), EBADF));
    CHECK(FAILS(mq_close(-1), EBADF) && FAILS(mq_close(MQ_OPEN_MAX), EBADF) && FAILS(mq_close(INT_MIN), EBADF));
    CHECK(mq_close(other) == 0);
    other = mq_open("/one", O_RDWR);
    CHECK(other >= 0 && next_is(other, "new", 0));
    gone(other, "/one");
    end();

    begin("mq_close, mq_unlink: all memory of a queue is free again, a hundred times");
    for (int each = 0; each < 100; each++)
        gone(mq_open("/again", O_CREAT | O_RDWR, 0600, NULL), "/again");
    end();

    begin("mq_close: a thread that waits there goes on to wait at that queue, and at no other that is opened meanwhile");
    for (int deadline = 0; deadline < 2; deadline++) {
        pthread_t thread;
        queue = open_small("/left");
        other = deadline ? -1 : mq_open("/left", O_RDWR);
        thread = start(MORE_URGENT, deadline ? receives_soon : receives_ever, NULL);
        CHECK(mq_close(queue) == 0 && mq_unlink("/left") == 0);
        one = open_small("/one");
        CHECK(one != queue && send(one, "one", 0) && holds(one, 1));
        CHECK(deadline || send(other, "left", 0));
        finish_later(thread);
        CHECK(got == (deadline ? -ETIMEDOUT : 4) && (deadline || memcmp(letter, "left", 4) == 0));
        CHECK(holds(one, 1) && next_is(one, "one", 0));
        gone(one, "/one");
        CHECK(deadline || mq_close(other) == 0);
    }
    while (count < MQ_OPEN_MAX)
        many[count] = open_small(names[count]), count++;
    while (count)
        count--, gone(many[count], names[count]);
    end();

    begin("mq_getattr [EBADF], mq_setattr [EBADF]: only O_NONBLOCK can be changed");
    one = open_small("/one");
    attr = (struct mq_attr){O_NONBLOCK, 77, 88, 99};
    CHECK(mq_setattr(one, &attr, &before) == 0 && before.mq_flags == 0 && before.mq_maxmsg == 3);
    CHECK(mq_getattr(one, &attr) == 0 && attr.mq_flags == O_NONBLOCK && attr.mq_maxmsg == 3 && attr.mq_curmsgs == 0);
    attr.mq_flags = 0;
    CHECK(mq_setattr(one, &attr, NULL) == 0 && mq_getattr(one, &attr) == 0 && attr.mq_flags == 0);
    gone(one, "/one");
    CHECK(FAILS(mq_getattr(one, &attr), EBADF) && FAILS(mq_setattr(one, &attr, NULL), EBADF));
    end();
}

static void order(void)
{
    const struct mq_attr many = {0, 40, 8, 0};
    char text[2] = {0, 0};

    begin("mq_send, mq_receive: the most urgent first, and of one priority the oldest");
    queue = open_small("/order");
    CHECK(send(queue, "low", 1) && send(queue, "high", 31) && send(queue, "high2", 31));
    CHECK(next_is(queue, "high", 31) && send(queue, "low2", 1) && next_is(queue, "high2", 31));
    CHECK(send(queue, "middle", 7) && next_is(queue, "middle", 7) && next_is(queue, "low", 1));
    CHECK(send(queue, "", 1) && next_is(queue, "low2", 1) && next_is(queue, "", 1) && holds(queue, 0));
    gone(queue, "/order");
    end();

    begin("mq_send, mq_receive: of each priority two, sent in another order");
    queue = mq_open("/order", O_CREAT | O_RDWR, 0600, &many);
    CHECK(queue >= 0);
    for (unsigned each = 0; each < 40; each++) {
        text[0] = (char)('0' + each);
        CHECK(send(queue, text, each * 7 % 20));
    }
    for (unsigned each = 0; each < 40; each++) {
        const unsigned priority = 19 - each / 2;
        unsigned number = 0;
        while (number * 7 % 20 != priority)
            number++;
        text[0] = (char)('0' + number + each % 2 * 20);
        CHECK(next_is(queue, text, priority));
    }
    gone(queue, "/order");
    end();
}

static void lengths(void)
{
    static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP";
    const struct mq_attr forty = {0, 2, 40, 0};
    char message[48] __attribute__((aligned(4)));

    begin("mq_send, mq_receive: each length, from and to each alignment, and not a byte more");
    queue = mq_open("/lengths", O_CREAT | O_RDWR, 0600, &forty);
    CHECK(queue >= 0);
    for (size_t length = 0; length <= 40; length++)
        for (size_t at = 0; at < 16; at++) {
            char *to = message + at % 4;
            memset(message, '-', sizeof message);
            CHECK(mq_send(queue, text + at / 4, length, 0) == 0 && mq_receive(queue, to, 40, NULL) == (ssize_t)length);
            CHECK(memcmp(to, text + at / 4, length) == 0 && to[length] == '-' && (at % 4 == 0 || to[-1] == '-'));
        }
    gone(queue, "/lengths");
    end();
}

static void errors(void)
{
    const struct timespec no_time = {0, 1000000000}, past = {0, 1};
    const struct mq_attr nonblocking = {O_NONBLOCK, 0, 0, 0};
    struct timespec soon;
    char message[9];
    unsigned priority;
    mqd_t only;

    begin("mq_send [EBADF] [EINVAL] [EMSGSIZE], mq_receive [EBADF] [EMSGSIZE]");
    queue = open_small("/errors");
    only = mq_open("/errors", O_RDONLY);
    CHECK(FAILS(mq_send(only, "", 0, 0), EBADF) && FAILS(mq_send(-1, "", 0, 0), EBADF) && FAILS(mq_send(MQ_OPEN_MAX, "", 0, 0), EBADF));
    CHECK(FAILS(mq_send(queue, "", 0, MQ_PRIO_MAX), EINVAL) && FAILS(mq_send(queue, "", 0, UINT_MAX), EINVAL));
    CHECK(FAILS(mq_send(queue, "123456789", 9, 0), EMSGSIZE));
    CHECK(FAILS(mq_receive(only, message, 7, &priority), EMSGSIZE));
    CHECK(holds(queue, 0) && mq_close(only) == 0);
    only = mq_open("/errors", O_WRONLY);
    CHECK(FAILS(mq_receive(only, message, 8, &priority), EBADF) && FAILS(mq_receive(-1, message, 8, NULL), EBADF));
    CHECK(mq_send(only, "12345678", 8, 0) == 0 && mq_receive(queue, message, 9, NULL) == 8);
    CHECK(mq_close(only) == 0);
    end();

    begin("mq_timedreceive [ETIMEDOUT] [EINVAL] [EBADF] [EMSGSIZE]: only who would wait looks at the time");
    soon = in(CLOCK_REALTIME, 1);
    CHECK(FAILS(mq_timedreceive(queue, message, 8, NULL, &soon), ETIMEDOUT));
    CHECK(FAILS(mq_timedreceive(queue, message, 8, NULL, &past), ETIMEDOUT));
    CHECK(FAILS(mq_timedreceive(queue, message, 8, NULL, &no_time), EINVAL));
    CHECK(FAILS(mq_timedreceive(-1, message, 8, NULL, &no_time), EBADF));
    CHECK(FAILS(mq_timedreceive(queue, message, 7, NULL, &no_time), EMSGSIZE));
    CHECK(send(queue, "here", 5) && mq_timedreceive(queue, message, 8, &priority, &no_time) == 4 && priority == 5);
    end();

    begin("mq_timedsend [ETIMEDOUT] [EINVAL] [EBADF] [EMSGSIZE]: only who would wait looks at the time");
    CHECK(mq_timedsend(queue, "1", 1, 0, &no_time) == 0 && mq_timedsend(queue, "2", 1, 0, &past) == 0);
    CHECK(send(queue, "3", 0));
    soon = in(CLOCK_REALTIME, 1);
    CHECK(FAILS(mq_timedsend(queue, "4", 1, 0, &soon), ETIMEDOUT));
    CHECK(FAILS(mq_timedsend(queue, "4", 1, 0, &past), ETIMEDOUT));
    CHECK(FAILS(mq_timedsend(queue, "4", 1, 0, &no_time), EINVAL));
    CHECK(FAILS(mq_timedsend(-1, "4", 1, 0, &no_time), EBADF));
    CHECK(FAILS(mq_timedsend(queue, "123456789", 9, 0, &no_time), EMSGSIZE));
    CHECK(holds(queue, 3));
    end();

    begin("mq_send [EAGAIN], mq_receive [EAGAIN]: with O_NONBLOCK nobody waits");
    CHECK(mq_setattr(queue, &nonblocking, NULL) == 0);
    CHECK(FAILS(mq_send(queue, "4", 1, 0), EAGAIN) && FAILS(mq_timedsend(queue, "4", 1, 0, &no_time), EAGAIN));
    CHECK(next_is(queue, "1", 0) && next_is(queue, "2", 0) && next_is(queue, "3", 0));
    CHECK(FAILS(mq_receive(queue, message, 8, NULL), EAGAIN));
    CHECK(FAILS(mq_timedreceive(queue, message, 8, NULL, &no_time), EAGAIN));
    gone(queue, "/errors");
    end();
}

static void *receives(void *argument)
{
    char message[8];
    const ssize_t length = mq_receive(queue, message, sizeof message, NULL);
    came = came * 10 + (unsigned)(uintptr_t)argument;
    return (void *)(intptr_t)(length == 1 ? message[0] : length);
}

static void *sends(void *argument)
{
    const char text = (char)('0' + (char)(uintptr_t)argument);
    const int result = mq_send(queue, &text, 1, 0);
    came = came * 10 + (unsigned)(uintptr_t)argument;
    return (void *)(intptr_t)result;
}

static void waiting(void)
{
    const struct timespec past = {0, 1};
    struct timespec soon;
    char message[8];
    pthread_t one, other;

    begin("mq_receive: of those who wait the most urgent gets the message");
    queue = open_small("/waiting");
    came = 0;
    one = start(MORE_URGENT, receives, (void *)1);
    other = start(MORE_URGENT + 1, receives, (void *)2);
    CHECK(came == 0 && send(queue, "a", 0) && came == 2 && send(queue, "b", 0) && came == 21);
    CHECK(finish(one) == (void *)'b' && finish(other) == (void *)'a');
    end();

    begin("mq_send: who waits for a message gets it, also if somebody more urgent comes for one before it runs");
    came = 0;
    one = start(MORE_URGENT, receives, (void *)1);
    CHECK(pthread_setschedprio(one, LESS_URGENT) == 0 && send(queue, "a", 0) && came == 0);
    soon = in(CLOCK_REALTIME, 1);
    CHECK(FAILS(mq_timedreceive(queue, message, 8, NULL, &soon), ETIMEDOUT) && came == 1);
    CHECK(finish(one) == (void *)'a' && holds(queue, 0));
    end();

    begin("mq_send: who waits for a message gets one, also if another one was sent meanwhile for which nobody waits");
    one = start(MORE_URGENT, receives, (void *)1);
    came = 0;
    CHECK(pthread_setschedprio(one, LESS_URGENT) == 0 && send(queue, "a", 0) && send(queue, "b", 0));
    CHECK(next_is(queue, "a", 0) && FAILS(mq_timedreceive(queue, message, 8, NULL, &past), ETIMEDOUT) && came == 0);
    CHECK(finish(one) == (void *)'b' && holds(queue, 0));
    end();

    begin("mq_receive: of those who wait for room the most urgent sends");
    CHECK(send(queue, "x", 1) && send(queue, "y", 1) && send(queue, "z", 1));
    came = 0;
    one = start(MORE_URGENT, sends, (void *)1);
    other = start(MORE_URGENT + 1, sends, (void *)2);
    CHECK(came == 0 && next_is(queue, "x", 1) && came == 2 && next_is(queue, "y", 1) && came == 21);
    CHECK(finish(one) == NULL && finish(other) == NULL);
    CHECK(next_is(queue, "z", 1) && next_is(queue, "2", 0) && next_is(queue, "1", 0) && holds(queue, 0));
    end();

    begin("mq_send: who waits for room has it, also if somebody more urgent comes before it runs");
    CHECK(send(queue, "x", 1) && send(queue, "y", 1) && send(queue, "z", 1));
    came = 0;
    one = start(MORE_URGENT, sends, (void *)1);
    CHECK(pthread_setschedprio(one, LESS_URGENT) == 0 && next_is(queue, "x", 1) && came == 0);
    soon = in(CLOCK_REALTIME, 1);
    CHECK(FAILS(mq_timedsend(queue, "w", 1, 1, &soon), ETIMEDOUT) && came == 1);
    CHECK(finish(one) == NULL && next_is(queue, "y", 1) && next_is(queue, "z", 1) && next_is(queue, "1", 0));
    gone(queue, "/waiting");
    end();
}

void queues(void)
{
    opening();
    order();
    lengths();
    errors();
    waiting();
}
