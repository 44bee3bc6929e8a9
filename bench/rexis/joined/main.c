/* The SD-server task with its reply and its next receive joined into one call: the one line in which it
 * differs from the published order of calls. */

#include <rexis.h>

#include "../sd.h"

int main(void)
{
    REXIS_SENDER sender_pid;
    unsigned char recbuf[2];
    bool received = REXIS_MessageReceive(&sender_pid, recbuf, 2, 0);

    while (received) {
        unsigned char reqbuf[REQLEN];
        memset(reqbuf, 0, REQLEN);
        if (recbuf[0] == CMD_READ)
            memset(reqbuf, recbuf[1], REQLEN);
        received = REXIS_MessageReplyReceive(&sender_pid, reqbuf, REQLEN, recbuf, 2, 0);
    }
    riposte_panic("nothing to receive from");
}
