/* An honest server of REXIS: each request has a fixed size, and the answer is about what was asked. */
#include <rexis.h>

struct request {
    char name[24]; /* whose record */
};

int main(void)
{
    REXIS_SENDER sender;
    struct request request;
    while (REXIS_MessageReceive(&sender, &request, sizeof request, 0))
        REXIS_MessageReply(sender, &request, sizeof request); /* "no such record: NAME" */
    riposte_panic("nothing to receive from");
}
