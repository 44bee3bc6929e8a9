/* Ends in each way that C has, one after the other, as its client asks. */

#include <assert.h>
#include <stdlib.h>

#include <riposte.h>

enum { PANIC, ASSERT, ABORT, RETURN, EXIT, RIPOSTE_EXIT, WRONG_REQUEST };

static volatile uintptr_t nobodys = 4;

static int constructed;

__attribute__((constructor)) static void construct(void)
{
    constructed = 1;
}

static void at_exit(void)
{
    /* What the supervisor sees as the status tells whether this ran. */
    riposte_exit(55);
}

int main(void)
{
    riposte_channel_t channel;
    riposte_message_t message;
    int never = 0;

    if (riposte_channel("victim", &channel) != RIPOSTE_OK || !constructed)
        riposte_panic("no channel, or not constructed");
    if (riposte_receive(channel, NULL, 0, &message) != RIPOSTE_OK)
        riposte_panic("nothing received");
    riposte_reply_words(message.token, 0, NULL, 0);
    switch (message.words[0]) {
    case PANIC:
        riposte_panic("it panicked");
    case ASSERT:
        assert(never);
        break;
    case ABORT:
        abort();
    case RETURN:
        return 33;
    case EXIT:
        atexit(at_exit);
        exit(44);
    case WRONG_REQUEST:
        riposte_send((riposte_connection_t){0}, (const void *)nobodys, 5, NULL, 0, NULL);
        break;
    default:
        riposte_exit(66);
    }
}
