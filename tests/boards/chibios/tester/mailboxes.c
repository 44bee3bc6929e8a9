#include "check.h"

static msg_t buffer[2];
static MAILBOX_DECL(mailbox, buffer, 2);

static void posts(void *argument)
{
    (void)argument;
    note(chMBPostTimeout(&mailbox, 'p', TIME_INFINITE) == MSG_OK ? 'p' : 'r');
}

static void fetches(void *argument)
{
    msg_t message = 0;
    (void)argument;
    note(chMBFetchTimeout(&mailbox, &message, TIME_INFINITE) == MSG_OK ? (char)message : 'r');
}

void mailboxes(void)
{
    thread_t *thread;
    msg_t message = 0;

    begin("a mailbox keeps messages in order, and blocks who comes too early");
    CHECK(chMBGetSizeI(&mailbox) == 2 && chMBGetFreeCountI(&mailbox) == 2);
    CHECK(chMBPostTimeout(&mailbox, 'a', TIME_INFINITE) == MSG_OK && chMBPostAheadI(&mailbox, 'b') == MSG_OK);
    CHECK(chMBPostI(&mailbox, 'c') == MSG_TIMEOUT);
    CHECK(chMBPostTimeout(&mailbox, 'c', TIME_MS2I(1)) == MSG_TIMEOUT);
    CHECK(chMBGetUsedCountI(&mailbox) == 2 && chMBPeekI(&mailbox) == 'b');
    thread = start(0, NORMALPRIO + 1, posts, NULL);
    CHECK(noted("") && chMBFetchTimeout(&mailbox, &message, TIME_INFINITE) == MSG_OK && message == 'b');
    CHECK(noted("p"));
    chThdWait(thread);
    CHECK(chMBFetchI(&mailbox, &message) == MSG_OK && message == 'a');
    CHECK(chMBFetchI(&mailbox, &message) == MSG_OK && message == 'p');
    CHECK(chMBFetchTimeout(&mailbox, &message, TIME_MS2I(1)) == MSG_TIMEOUT);
    thread = start(0, NORMALPRIO + 1, fetches, NULL);
    CHECK(chMBPostI(&mailbox, 'f') == MSG_OK && noted("f"));
    chThdWait(thread);
    end();

    begin("a mailbox tells its places, and a semaphore whether anybody waits, by their members");
    chMBObjectInit(&mailbox, buffer, 2);
    CHECK(mailbox.buffer == buffer && mailbox.top == buffer + 2 && mailbox.wrptr == buffer && mailbox.rdptr == buffer);
    CHECK(chMBPostI(&mailbox, 1) == MSG_OK && mailbox.wrptr == buffer + 1 && mailbox.cnt == 1);
    CHECK(chMBPostAheadI(&mailbox, 2) == MSG_OK && mailbox.rdptr == buffer + 1 && mailbox.rdptr == mailbox.wrptr);
    CHECK(chMBPeekI(&mailbox) == 2 && chMBFetchI(&mailbox, &message) == MSG_OK && mailbox.rdptr == buffer);
    CHECK(chMBPostI(&mailbox, 3) == MSG_OK && mailbox.wrptr == buffer && chMBGetFreeCountI(&mailbox) == 0);
    chMBReset(&mailbox);
    CHECK(mailbox.wrptr == buffer && mailbox.rdptr == buffer && mailbox.cnt == 0);
    CHECK(queue_isempty(&mailbox.messages.queue) && mailbox.messages.cnt == 0 && mailbox.room.cnt == 2);
    end();

    begin("a mailbox that is reset forgets its messages and lets all go on");
    thread = start(0, NORMALPRIO + 1, fetches, NULL);
    chMBReset(&mailbox);
    chThdWait(thread);
    CHECK(noted("r") && chMBPostI(&mailbox, 'x') == MSG_RESET);
    chMBResumeX(&mailbox);
    CHECK(chMBFetchI(&mailbox, &message) == MSG_TIMEOUT && chMBGetFreeCountI(&mailbox) == 2);
    CHECK(chMBPostI(&mailbox, 'x') == MSG_OK && chMBPostI(&mailbox, 'y') == MSG_OK);
    CHECK(chMBFetchI(&mailbox, &message) == MSG_OK && message == 'x');
    CHECK(chMBFetchI(&mailbox, &message) == MSG_OK && message == 'y');
    /* Units too many, as of a thread that is preempted by a reset before it signals. */
    chSemSignal(&mailbox.messages);
    chSemSignal(&mailbox.room);
    CHECK(chMBFetchI(&mailbox, &message) == MSG_TIMEOUT && chMBGetUsedCountI(&mailbox) == 0);
    CHECK(chMBPostI(&mailbox, 'x') == MSG_OK && chMBPostI(&mailbox, 'y') == MSG_OK);
    CHECK(chMBPostI(&mailbox, 'z') == MSG_TIMEOUT && chMBGetUsedCountI(&mailbox) == 2);
    end();
}
