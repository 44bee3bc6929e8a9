/* What the personality promises of processes on other nodes, asked of it as a program for QNX 4 would. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/kernel.h>
#include <sys/name.h>
#include <sys/proxy.h>
#include <sys/vc.h>

#include "../orders.h"

static pid_t server;
static struct request request;
static struct answer answer;
static unsigned char longest[22529];

static void verdict(const char *name, bool good)
{
    printf("%s %s\n", good ? "@pass" : "@fail", name);
}

static bool fails(long result, int number)
{
    return result == -1 && errno == number;
}

static int ask_of(pid_t process, int order)
{
    request.order = order;
    return Send(process, &request, &answer, sizeof request, sizeof answer);
}

static int ask(int order)
{
    return ask_of(server, order);
}

static void wait_for(unsigned milliseconds)
{
    riposte_sleep_until(riposte_clock() + milliseconds * UINT64_C(1000000));
}

static bool names(void)
{
    unsigned copies = 0;
    const pid_t by_path = qnx_name_locate(0, "//node2" SERVER, 0, &copies), by_node = qnx_name_locate(2, SERVER, 0, NULL);
    server = qnx_name_locate(0, SERVER, 0, NULL);
    return qnx_name_attach(1, CLIENT) == 1 && server >= QNX4_PIDS && by_path >= QNX4_PIDS && by_node >= QNX4_PIDS
           && copies == 1 && by_path != server && by_node != server && qnx_vc_detach(by_path) == 0
           && qnx_vc_detach(by_node) == 0 && fails(qnx_name_locate(3, SERVER, 0, NULL), EHOSTUNREACH)
           && fails(qnx_name_locate(2, "/nodes/nobody", 0, NULL), EHOSTUNREACH)
           && fails(qnx_name_locate(2, "//node2" SERVER, 0, NULL), EINVAL)
           && fails(qnx_name_locate(0, "/nodes/nobody", 0, NULL), EACCES)
           && fails(qnx_name_attach(2, CLIENT), EHOSTUNREACH);
}

static bool circuits(void)
{
    pid_t all[QNX4_CIRCUITS];
    unsigned count = 0;
    pid_t other = qnx_vc_name_attach(2, 100, SERVER);
    if (other == -1 || qnx_vc_attach(2, other, 100, 0) != other || !fails(qnx_vc_attach(0, other, 100, 0), ESRCH)
        || !fails(qnx_vc_attach(3, other, 100, 0), EHOSTUNREACH) || qnx_vc_poll(other) != 0 || qnx_vc_detach(other) != 0)
        return false;
    if (!fails(qnx_vc_poll(other), ESRCH) || !fails(qnx_vc_detach(other), ESRCH) || !fails(Send(other, "", "", 0, 0), ESRCH))
        return false;
    while (count < QNX4_CIRCUITS && (all[count] = qnx_name_locate(2, SERVER, 0, NULL)) != -1)
        count++;
    if (count != QNX4_CIRCUITS - 1 || errno != ENOMEM)
        return false;
    while (count)
        if (qnx_vc_detach(all[--count]) != 0)
            return false;
    return true;
}

static bool queried(void)
{
    struct _nameinfo found;
    int id = 1;
    while ((id = qnx_name_query(0, id, &found)) != -1 && strcmp(found.name, "//node2" SERVER) != 0)
        id++;
    return id != -1 && found.nid == 2 && found.pid == 0;
}

static bool messages(void)
{
    struct _mxfer_entry sent[2], room[1];
    memset(request.bytes, 7, sizeof request.bytes);
    if (ask(ECHO) != 0 || memcmp(answer.bytes, request.bytes, sizeof answer.bytes) != 0)
        return false;
    memset(&answer, 0, sizeof answer);
    _setmx(&sent[0], &request, 50);
    _setmx(&sent[1], (char *)&request + 50, sizeof request - 50);
    _setmx(&room[0], &answer, sizeof answer);
    return Sendmx(server, 2, 1, sent, room) == 0 && memcmp(answer.bytes, request.bytes, sizeof answer.bytes) == 0
           && fails(Send(server, longest, &answer, sizeof longest, sizeof answer), EMSGSIZE);
}

static struct answer held;
static volatile int held_result = 1;

static uint32_t hold(void *nothing)
{
    struct request order = {HOLD, 0, 0, {0}};
    (void)nothing;
    held_result = Send(server, &order, &held, sizeof order, sizeof held);
    return 0;
}

/* Both come from the one manager of the network there: each has a virtual process of its own. */
static bool two_at_once(void)
{
    const riposte_thread_settings_t settings = {10, RIPOSTE_POLICY_FIFO, 0};
    if (riposte_thread_spawn(hold, NULL, &settings, NULL) != RIPOSTE_OK)
        return false;
    wait_for(50);
    if (held_result != 1 || ask(LET_GO) != 0)
        return false;
    wait_for(50);
    return held_result == 0 && answer.result > PROC_PID && answer.number > PROC_PID && answer.result != answer.number;
}

static volatile sig_atomic_t handled;
static pthread_t waits;

static void note(int number)
{
    (void)number;
    handled++;
}

static uint32_t signal_later(void *nothing)
{
    (void)nothing;
    wait_for(50);
    return (uint32_t)pthread_kill(waits, SIGUSR1);
}

static bool interrupted(void)
{
    static const riposte_thread_settings_t settings = {10, RIPOSTE_POLICY_FIFO, 0};
    const struct sigaction action = {.sa_handler = note};
    waits = pthread_self();
    return sigaction(SIGUSR1, &action, NULL) == 0
           && riposte_thread_spawn(signal_later, NULL, &settings, NULL) == RIPOSTE_OK && fails(ask(HOLD), EINTR)
           && handled == 1 && ask(ECHO) == 0;
}

/* The first message's time passes at the server; it replies to that while the second one waits. */
static bool too_late(void)
{
    return fails(ask(HOLD), ETIMEDOUT) && ask(LATE) == 0 && answer.result == ESRCH && ask(ECHO) == 0;
}

/* Whether the server has handled so many. */
static bool signalled(int times)
{
    return ask(SIGNALLED) == 0 && answer.result == times;
}

static bool kills(void)
{
    const pid_t client = qnx_name_locate(0, "//node2" CLIENT, 0, NULL), absent = qnx_name_locate(2, ABSENT, 0, NULL);
    bool good = signalled(0) && kill(server, SIGUSR1) == 0 && signalled(1)
                && kill(qnx_vc_attach(2, server, 100, 0), SIGUSR1) == 0 && signalled(2) && kill(server, 0) == 0
                && fails(kill(server, 64), EINVAL) && fails(kill(server, -1), EINVAL) && signalled(2);
    /* Who may not be sent any, and who is not there. */
    good = good && fails(kill(client, SIGUSR1), EPERM) && fails(kill(client, 0), EPERM)
           && fails(kill(absent, SIGUSR1), ESRCH) && fails(kill(absent, 0), ESRCH) && qnx_vc_detach(client) == 0
           && fails(kill(client, SIGUSR1), ESRCH) && ask(KILL) == 0 && answer.result == EPERM && handled == 1;
    return qnx_vc_detach(absent) == 0 && good;
}

static bool own_proxy(void)
{
    char text[8] = "";
    const pid_t proxy = qnx_proxy_attach(0, "client", 6, -1);
    const pid_t there = qnx_proxy_rem_attach(2, proxy);
    int came = 0;
    if (proxy == -1 || there == -1 || there == proxy || qnx_proxy_rem_attach(0, proxy) != proxy
        || !fails(qnx_proxy_rem_attach(2, proxy + 1), ESRCH))
        return false;
    request.proxy = there;
    request.times = 5;
    if (ask(TRIGGER) != 0 || answer.result != 0)
        return false;
    while (came < 5 && Receive(0, text, sizeof text) == proxy && memcmp(text, "client", 6) == 0)
        came++;
    wait_for(100);
    return came == 5 && fails(Creceive(0, text, sizeof text), ENOMSG) && qnx_proxy_rem_detach(2, there) == 0
           && fails(qnx_proxy_rem_detach(2, proxy), ESRCH) && Trigger(there) != -1
           && Receive(0, text, sizeof text) == proxy && qnx_proxy_detach(proxy) == 0 && fails(Trigger(there), ESRCH);
}

static bool servers_proxy(void)
{
    pid_t proxy;
    if (ask(PROXY) != 0 || answer.result == -1)
        return false;
    proxy = answer.result;
    for (int at = 0; at < 20; at++)
        if (Trigger(proxy) != server)
            return false;
    wait_for(100);
    if (ask(RECEIVED) != 0 || answer.result != 20 || !fails(Trigger(proxy + 1), ESRCH))
        return false;
    request.proxy = proxy;
    return true;
}

/* The server's next life is found by the same circuit; its proxy is over, as soon as that is known here. */
static bool ends(void)
{
    const pid_t proxy = request.proxy;
    if (!fails(ask(DIE), ESRCH))
        return false;
    wait_for(100);
    if (ask(ECHO) != 0 || Trigger(proxy) == -1)
        return false;
    wait_for(100);
    return fails(Trigger(proxy), ESRCH) && fails(Trigger(proxy), ESRCH);
}

static void harm(uint32_t lost)
{
    const uint32_t words[5] = {lost, 0, 0, 0, 1};
    riposte_connection_t wire;
    riposte_reply_t reply;
    if (riposte_connect("wire", &wire) == RIPOSTE_OK)
        riposte_send(wire, words, sizeof words, NULL, 0, &reply);
}

static bool gone(void)
{
    bool good;
    harm(100);
    good = fails(ask(ECHO), EHOSTUNREACH) && qnx_vc_poll(server) == 0 && fails(kill(server, SIGUSR1), EHOSTUNREACH);
    harm(0);
    wait_for(2000);
    return good && ask(ECHO) == 0;
}

/* What a process of the other node has handled, or -1. */
static int handled_by(pid_t process)
{
    return ask_of(process, SIGNALLED) == 0 ? answer.result : -1;
}

static bool does(pid_t process, int order)
{
    return ask_of(process, order) == 0 && answer.result == 0;
}

/* The circuit of messages leads to the process, as its connection does; that of signals leads to the name. */
static bool given_up(void)
{
    const int before = handled_by(server);
    return before >= 0 && kill(server, SIGUSR1) == 0 && handled_by(server) == before + 1 && does(server, GIVE_NAME)
           && fails(kill(server, SIGUSR1), ESRCH) && fails(kill(server, 0), ESRCH) && handled_by(server) == before + 1
           && does(server, TAKE_NAME) && kill(server, SIGUSR1) == 0 && handled_by(server) == before + 2;
}

static bool passed_on(void)
{
    const pid_t heir = qnx_name_locate(2, HEIR, 0, NULL);
    const int before = handled_by(server);
    if (heir == -1 || before < 0 || !does(server, GIVE_NAME) || !does(heir, TAKE_NAME))
        return false;
    if (kill(server, SIGUSR1) != 0 || handled_by(heir) != 1 || handled_by(server) != before)
        return false;
    /* Nor does its next life get any, which finds its name taken. */
    if (!fails(ask(DIE), ESRCH))
        return false;
    wait_for(100);
    return kill(server, SIGUSR1) == 0 && handled_by(heir) == 2;
}

int main(void)
{
    /* The server attaches its name, and the manager of the network this node's. */
    wait_for(100);
    verdict("names_of_other_nodes_are_located_by_node_by_path_and_by_themselves", names());
    verdict("circuits_are_attached_polled_and_detached", circuits());
    verdict("a_query_tells_names_of_other_nodes", queried());
    verdict("messages_to_another_node_are_messages", messages());
    verdict("each_client_of_another_node_has_a_pid_of_its_own", two_at_once());
    verdict("a_signal_ends_a_send_to_another_node", interrupted());
    verdict("a_late_reply_is_none_to_the_next_client_of_another_node", too_late());
    verdict("a_process_of_another_node_is_sent_signals_by_its_circuit", kills());
    verdict("another_nodes_process_triggers_a_proxy_of_this_one", own_proxy());
    verdict("a_proxy_of_another_node_is_triggered_by_its_number", servers_proxy());
    verdict("the_end_of_another_nodes_process_is_told", ends());
    verdict("a_node_that_is_gone_is_told", gone());
    verdict("nobody_of_another_node_is_sent_signals_by_a_name_that_was_given_up", given_up());
    verdict("signals_to_another_node_go_to_who_has_the_name_now", passed_on());
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
