/* The server of the publication, around its excerpt. */

#include <rexis.h>

#define REQLEN 32
#define CMD_READ 1

int main(void)
{
    REXIS_SENDER sender_pid;
    unsigned char recbuf[2];

#include "excerpt.h"
    riposte_panic("nothing to receive from");
}
