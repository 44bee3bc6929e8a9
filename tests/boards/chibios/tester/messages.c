#include "check.h"

struct letter {
    thread_t *to;
    msg_t message;
};

static void sends(void *argument)
{
    const struct letter *letter = argument;
    note((char)chMsgSend(letter->to, letter->message));
}

static void serves(void *argument)
{
    thread_t *senders[2];
    (void)argument;
    senders[0] = chMsgWait();
    senders[1] = chMsgWait();
    note((char)chMsgGet(senders[0]));
    note((char)chMsgGet(senders[1]));
    chMsgRelease(senders[1], 'y');
    chMsgRelease(senders[0], 'x');
}

void messages(void)
{
    static struct letter letters[2];
    thread_t *server, *first, *second;

    begin("messages come in order, and are answered in any");
    server = start(0, NORMALPRIO - 1, serves, NULL);
    letters[0] = (struct letter){server, 'a'};
    letters[1] = (struct letter){server, 'b'};
    first = start(1, NORMALPRIO + 1, sends, &letters[0]);
    second = start(2, NORMALPRIO + 1, sends, &letters[1]);
    CHECK(chMsgIsPendingI(server));
    chThdWait(server);
    chThdWait(first);
    chThdWait(second);
    CHECK(noted("abyx"));
    end();

    begin("a thread that waits gets a message at once, or none in time");
    server = start(0, NORMALPRIO + 2, serves, NULL);
    letters[0].to = server;
    first = start(1, NORMALPRIO - 1, sends, &letters[0]);
    CHECK(!chMsgIsPendingI(server));
    chThdSleepMilliseconds(1);
    CHECK(chMsgSend(server, 'c') == 'y');
    chThdWait(first);
    chThdWait(server);
    CHECK(noted("acx"));
    CHECK(chMsgPoll() == NULL && chMsgWaitTimeout(TIME_MS2I(1)) == NULL);
    end();
}
