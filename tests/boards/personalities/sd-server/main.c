/* The server of the publication, around its excerpt. */

#include <rexis.h>

#define REQLEN 32
#define CMD_READ 1

/* REXIS knows of no signals. */
static void handle(uint32_t signal, uint32_t word)
{
    (void)signal;
    (void)word;
}

int main(void)
{
    REXIS_SENDER sender_pid;
    unsigned char recbuf[2];

    riposte_signal_handle(1, handle);
#include "excerpt.h"
    riposte_panic("nothing to receive from");
}
