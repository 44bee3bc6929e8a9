/* What rexis.h promises, and the client of the publication around its excerpt. */

#include <stdio.h>

#include <rexis.h>

#include "../cmrx/service.h"

#define REQLEN 32
#define CMD_READ 1

static REXIS_PID SD_ServerTask_pid;
static unsigned rises, falls;

static void SetPortA5(void)
{
    rises++;
}

static void ClearPortA5(void)
{
    falls++;
}

static void verdict(const char *name, bool good)
{
    printf("%s %s\n", good ? "@pass" : "@fail", name);
}

/* The publication's: whether 32 bytes of the character came. */
static bool test_for(char mych)
{
    unsigned char cmdbuf[2], reqbuf[REQLEN];
    unsigned place, right = 0;

#include "excerpt.h"
    for (place = 0; place < REQLEN; place++)
        right += reqbuf[place] == mych;
    printf("%s\n", right == REQLEN ? "OK" : "FAILED");
    return right == REQLEN;
}

static bool excerpt(void)
{
    return test_for('r') && test_for('x') && rises == 2 && falls == 2;
}

static bool no_task(void)
{
    unsigned char reply[4];
    const REXIS_PID none = REXIS_TaskPid("nobody");
    return none.handle == 0 && !REXIS_MessageSend(none, "ab", 2, reply, sizeof reply);
}

/* Mailboxes and mutexes: what they say while nobody waits. */
static bool mailbox_and_mutex(void)
{
    static REXIS_MAILBOX mailbox;
    static REXIS_MUTEX mutex;
    char letter;
    void *fetched = NULL;
    if (REXIS_MailboxTryFetch(&mailbox, &fetched) >= 0 || REXIS_MailboxFetch(&mailbox, &fetched, 1) >= 0)
        return false;
    if (REXIS_MailboxPost(&mailbox, &letter) != 0 || REXIS_MailboxTryPost(&mailbox, &letter) >= 0)
        return false;
    if (REXIS_MailboxFetch(&mailbox, &fetched, 0) != 0 || fetched != &letter)
        return false;
    return REXIS_MutexLock(&mutex, 0) == 0 && REXIS_MutexLock(&mutex, 1) < 0
        && REXIS_MutexUnlock(&mutex) == 0 && REXIS_MutexUnlock(&mutex) < 0;
}

static bool timeout(void)
{
    REXIS_SENDER sender = {0, 0};
    unsigned char buffer[4];
    const uint64_t before = riposte_clock();
    if (REXIS_MessageReceive(&sender, buffer, sizeof buffer, 3))
        return false;
    return riposte_clock() - before >= UINT64_C(3000000);
}

/* Replies to nobody; the receive is as it would be by itself. */
static bool stale_sender(void)
{
    REXIS_SENDER sender = {0, 77};
    unsigned char buffer[4];
    return !REXIS_MessageReply(sender, "no", 2)
        && !REXIS_MessageReplyReceive(&sender, "no", 2, buffer, sizeof buffer, 1);
}

/* Memory is no message of REXIS's: its sender is refused, a notice is nobody's, and the server goes on. */
static bool strangers(void)
{
    static char lent[4096] __attribute__((aligned(4096)));
    riposte_reply_t reply = {0};
    if (riposte_lend(SD_ServerTask_pid, lent, sizeof lent, NULL, RIPOSTE_FOREVER, &reply) != RIPOSTE_OK)
        return false;
    return reply.status == RIPOSTE_ERROR_BAD_ARGUMENT && test_for('y');
}

static bool signalled(void)
{
    riposte_signal_target_t server;
    return riposte_signal_target("sd-server", &server) == RIPOSTE_OK
        && riposte_signal_send(server, 1, 0) == RIPOSTE_OK && test_for('z');
}

int main(void)
{
    SD_ServerTask_pid = REXIS_TaskPid("sd-server");
    verdict("the excerpt of REXIS's publication runs unchanged", excerpt());
    verdict("a task that the manifest does not know gets no message", no_task());
    verdict("a receive ends after its milliseconds", timeout());
    verdict("a reply to nobody is told, and hurts nobody", stale_sender());
    verdict("a task of REXIS refuses memory and goes on", strangers());
    verdict("a mailbox holds one word, and a mutex one holder", mailbox_and_mutex());
    verdict("a task of REXIS receives on when a signal was handled", signalled());
    /* It gives its verdicts itself. */
    rpc_call((const struct Judge *)rpc_service("cmrx"), judge);
    puts("@done");
    return (int)riposte_shutdown(0);
}
