/* Serves several clients, which it answers in each way that there is, one after the other. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/kernel.h>
#include <sys/name.h>
#include <sys/proxy.h>

#include "../turns.h"

/* Who waits for a reply: a client's number, its pid, and what it has sent. */
struct held {
    pid_t pid;
    unsigned client, number, length;
};

static struct turn turn, reply;
static struct held held[CLIENTS], beginning[CLIENTS], dead;
static unsigned clients, holds, at_end, turns, deaths, triggers, received;
static unsigned next_number[CLIENTS];
static pid_t pids[CLIENTS], proxy, own;
static riposte_process_t mortal;
static bool good;
static const char *failed;

static void check(bool holds_good, const char *what)
{
    if (!holds_good && good)
        failed = what;
    good = good && holds_good;
}

/* What this one is answered with. */
static unsigned reply_to(const struct held *who)
{
    const unsigned length = who->client == MORTAL ? 8 : size_of(who->number + 1);
    memset(&reply, 0, sizeof reply);
    reply.client = (unsigned short)who->client;
    reply.number = (unsigned short)who->number;
    fill(&reply, length);
    return length;
}

static void answer(const struct held *who)
{
    const unsigned length = reply_to(who);
    check(Reply(who->pid, &reply, length) == 0, "Reply");
}

static pid_t answer_and_receive(const struct held *who)
{
    const unsigned length = reply_to(who);
    return ReplyReceive(who->pid, &reply, length, &turn, sizeof turn);
}

static pid_t receive(void)
{
    return Receive(0, &turn, sizeof turn);
}

/* Notes who has sent what lies in `turn` now. */
static struct held sender(pid_t pid)
{
    const struct held who = {pid, turn.client, turn.number, turn.client == MORTAL ? 8 : size_of(turn.number)};
    return who;
}

/* Waits for its own proxy; who sends meanwhile is put off. */
static void wait_for_own(void)
{
    char text[4];
    check(Trigger(own) != -1 && Receive(own, text, sizeof text) == own && memcmp(text, "own", 4) == 0, "the own proxy");
}

/* Answers all that are held, the last one first. */
static pid_t answer_backwards(void)
{
    while (holds > 1)
        answer(&held[--holds]);
    holds = 0;
    return answer_and_receive(&held[0]);
}

/* Ends the process that has sent this, or answers it; the next message. */
static pid_t serve_mortal(struct held who)
{
    check(is_filled(&turn, size_of(who.number)), "the mortal's bytes");
    if (dead.pid) {
        /* One of its lives has gone unanswered: this is another one, and has another pid. */
        check(who.pid != dead.pid, "two lives of one pid");
        const pid_t late = dead.pid;
        dead.pid = 0;
        check(Reply(late, "", 1) == -1 && errno == ESRCH, "a late reply");
        return answer_and_receive(&who);
    }
    switch (deaths++ % 4) {
    case 0:
        check(riposte_process_restart(mortal) == RIPOSTE_OK, "restart");
        check(Reply(who.pid, "", 1) == -1 && errno == ESRCH, "a reply to the dead");
        return receive();
    case 1:
        check(riposte_process_restart(mortal) == RIPOSTE_OK, "restart");
        return answer_and_receive(&who);
    case 2:
        return answer_and_receive(&who);
    default:
        check(riposte_process_restart(mortal) == RIPOSTE_OK, "restart");
        dead = who;
        return receive();
    }
}

/* Answers a client, each time in another way; the next message. */
static pid_t serve(struct held who)
{
    check(who.number == next_number[who.client]++, "out of turn");
    check(who.pid == pids[who.client], "a client's pid");
    check(is_filled(&turn, who.length), "a client's bytes");
    switch (turns++ % 9) {
    case 0:
        answer(&who);
        return receive();
    case 3:
    case 4:
        held[holds++] = who;
        if (holds < clients - at_end)
            return receive();
        return answer_backwards();
    case 6:
        wait_for_own();
        return answer_and_receive(&who);
    case 7:
        wait_for_own();
        answer(&who);
        return receive();
    case 8:
        /* A second reply is none, also to what it has sent meanwhile. */
        answer(&who);
        return answer_and_receive(&who);
    default:
        return answer_and_receive(&who);
    }
}

/* What comes while all clients wait: triggers that are left, and the mortal. */
static void drain(void)
{
    struct held late = {0};
    pid_t from;
    while ((from = Creceive(0, &turn, sizeof turn)) != -1)
        if (from == proxy)
            received++;
        else
            late = sender(from);
    check(errno == ENOMSG, "the end of a drain");
    if (late.pid) {
        check(late.client == MORTAL, "who sends at the end");
        answer(&late);
    }
}

/* Lets the clients of a round begin, the last one first, when all are there. */
static void begin(struct held who)
{
    pids[who.client] = who.pid;
    beginning[who.client] = who;
    for (unsigned client = 0; client < clients; client++)
        if (!beginning[client].pid)
            return;
    for (unsigned client = clients; client-- > 0;) {
        check(Reply(beginning[client].pid, &proxy, sizeof proxy) == 0, "a beginning");
        beginning[client].pid = 0;
    }
}

static void serve_round(const char *name)
{
    struct held end[CLIENTS], who;
    bool all_good = true;
    pid_t from = receive();
    good = true;
    failed = "";
    at_end = holds = triggers = received = 0;
    memset(next_number, 0, sizeof next_number);
    while (at_end < clients) {
        check(from != -1, "a receive");
        if (from == -1)
            break;
        who = sender(from);
        if (from == proxy) {
            check(memcmp(&turn, "triggered", 10) == 0, "a proxy's bytes");
            received++;
            from = receive();
        } else if (who.client == MORTAL) {
            from = serve_mortal(who);
        } else if (who.number == TURNS && !turn.ends) {
            begin(who);
            from = receive();
        } else if (turn.ends) {
            triggers += turn.triggers;
            all_good = all_good && turn.good;
            end[at_end++] = who;
            if (at_end < clients)
                from = holds && holds == clients - at_end ? answer_backwards() : receive();
        } else {
            from = serve(who);
        }
    }
    drain();
    check(all_good, "a client's answer");
    check(received == triggers && triggers > 0, "triggers");
    for (unsigned client = 0; client < clients; client++)
        check(next_number[client] == TURNS, "turns");
    if (!good)
        printf("failed: %s\n", failed);
    printf("%s %u clients in turn, by %s: each has its own replies, with proxies and deaths in between\n",
           good ? "@pass" : "@fail", clients, name);
    while (at_end > 0)
        answer(&end[--at_end]);
}

int main(void)
{
    uint32_t server = 0;
    riposte_setting("server", &server);
    proxy = qnx_proxy_attach(0, "triggered", 10, -1);
    own = qnx_proxy_attach(0, "own", 4, -1);
    if (proxy == -1 || own == -1 || riposte_process(server ? "mortal-2" : "mortal-1", &mortal) != RIPOSTE_OK
        || qnx_name_attach(0, servers[server]) == -1)
        riposte_panic("it cannot begin");
    for (clients = LEAST_CLIENTS; clients <= CLIENTS; clients++)
        serve_round(server ? "priority" : "arrival");
    riposte_sleep_until(RIPOSTE_FOREVER);
    return 1;
}
