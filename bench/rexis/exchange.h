/* What the publication compares its messages with: two mailboxes and a mutex. The command goes as the word
 * of one mailbox; the reply lies in memory that client and server share, and the word of the other mailbox
 * says that it is there. The mutex is held for the whole exchange: otherwise another client could fetch
 * this one's reply. */

#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <rexis.h>

#include "sd.h"

struct exchange {
    REXIS_MUTEX mutex;
    REXIS_MAILBOX commands, replies;
    unsigned char reqbuf[REQLEN];
};

/* The server: answers a read command with 32 bytes of the character that it asks for. */
static inline void serve(struct exchange *exchange)
{
    void *command;
    while (REXIS_MailboxFetch(&exchange->commands, &command, 0) >= 0) {
        const uintptr_t cmdbuf = (uintptr_t)command;
        memset(exchange->reqbuf, 0, REQLEN);
        if ((cmdbuf & 0xFF) == CMD_READ)
            memset(exchange->reqbuf, (int)(cmdbuf >> 8), REQLEN);
        REXIS_MailboxPost(&exchange->replies, exchange);
    }
    riposte_panic("nothing to fetch from");
}

/* The client: a command there, 32 bytes back. */
RIPOSTE_PRIVATE_INLINE bool ask(struct exchange *exchange, const unsigned char cmdbuf[2],
                                unsigned char reqbuf[REQLEN])
{
    void *reply;
    bool answered = false;
    if (REXIS_MutexLock(&exchange->mutex, 0) < 0)
        return false;
    REXIS_MailboxPost(&exchange->commands, (void *)(uintptr_t)(cmdbuf[0] | cmdbuf[1] << 8));
    if (REXIS_MailboxFetch(&exchange->replies, &reply, 0) >= 0) {
        memcpy(reqbuf, exchange->reqbuf, REQLEN);
        answered = true;
    }
    REXIS_MutexUnlock(&exchange->mutex);
    return answered;
}

#endif
