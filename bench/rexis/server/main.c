/* The SD-server task: answers a read command with 32 bytes of the character that it asks for. */

#include <rexis.h>

#include "../sd.h"

int main(void)
{
    REXIS_SENDER sender_pid;
    unsigned char recbuf[2];

    while (REXIS_MessageReceive(&sender_pid, recbuf, 2, 0)) {
        unsigned char reqbuf[REQLEN];
        memset(reqbuf, 0, REQLEN);
        if (recbuf[0] == CMD_READ)
            memset(reqbuf, recbuf[1], REQLEN);
        REXIS_MessageReply(sender_pid, reqbuf, REQLEN);
    }
    riposte_panic("nothing to receive from");
}
