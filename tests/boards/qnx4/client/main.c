/* What the personality promises, asked of it as a program for QNX 4 would. */

#include <errno.h>
#include <process.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/irqinfo.h>
#include <sys/kernel.h>
#include <sys/name.h>
#include <sys/proxy.h>
#include <sys/sched.h>
#include <sys/vc.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../orders.h"

#define SERVER "/test/a-server-with-a-long-name"

static pid_t server;
static struct request request;
static struct answer answer;

static void verdict(const char *name, bool good)
{
    printf("%s %s\n", good ? "@pass" : "@fail", name);
}

static bool fails(long result, int number)
{
    return result == -1 && errno == number;
}

static int ask(int order)
{
    request.order = order;
    return Send(server, &request, &answer, sizeof request, sizeof answer);
}

static bool names(void)
{
    unsigned copies = 0;
    const int id = qnx_name_attach(0, CLIENT);
    server = qnx_name_locate(0, SERVER, 0, &copies);
    return id == 1 && server > PROC_PID && copies == 1 && fails(qnx_name_attach(0, SERVER), EBUSY)
           && fails(qnx_name_locate(0, "/test/nobody", 0, NULL), ESRCH) && fails(qnx_name_attach(0, "/x"), EACCES)
           && fails(qnx_name_locate(1, SERVER, 0, NULL), EHOSTUNREACH) && fails(qnx_name_detach(0, 2), EINVAL)
           && qnx_name_attach(0, "/test/other") == 2 && qnx_name_detach(0, 2) == 0
           && fails(qnx_name_locate(0, "/test/other", 0, NULL), ESRCH);
}

/* What the personality knows of its names is never more than the names server does. */
static bool own_names(void)
{
    static const char other[] = "/test/other";
    enum { UNREGISTER = 1 };
    struct {
        uint32_t operation;
        char name[sizeof other - 1];
    } request = {UNREGISTER, {0}};
    riposte_connection_t names_server;
    riposte_reply_t reply;
    bool good = true;
    memcpy(request.name, other, sizeof request.name);
    for (int times = 0; times < 2 * QNX4_NAMES; times++)
        good = good && qnx_name_attach(0, other) == 2 && qnx_name_attach(0, other) == 2 && qnx_name_detach(0, 2) == 0
               && fails(qnx_name_detach(0, 2), EINVAL);
    /* The names server has forgotten it, as a next life of it has. */
    return good && qnx_name_attach(0, other) == 2 && riposte_connect("names", &names_server) == RIPOSTE_OK
           && riposte_send(names_server, &request, sizeof request.operation + sizeof request.name, NULL, 0, &reply)
                  == RIPOSTE_OK
           && reply.status == 0 && qnx_name_detach(0, 2) == 0 && fails(qnx_name_detach(0, 2), EINVAL);
}

static bool message(void)
{
    char little[2] = "";
    memset(request.bytes, 7, sizeof request.bytes);
    if (ask(ECHO) != 0 || answer.number <= PROC_PID || answer.number == server
        || memcmp(answer.bytes, request.bytes, sizeof answer.bytes) != 0)
        return false;
    /* No more of the reply than there is room for. */
    request.order = ECHO;
    little[1] = 5;
    return Send(server, &request, little, sizeof request, 1) == 0 && little[1] == 5;
}

static bool in_parts(void)
{
    struct _mxfer_entry sent[2], room[3];
    char one[1], two[3], three[4] = "....";
    request.order = PARTS;
    _setmx(&sent[0], &request, 8);
    _setmx(&sent[1], "cdef", 4);
    _setmx(&room[0], one, 1);
    _setmx(&room[1], two, 3);
    _setmx(&room[2], three, 3);
    return Sendmx(server, 2, 3, sent, room) == 0 && one[0] == 'a' && memcmp(two, "bcd", 3) == 0
           && memcmp(three, "ef..", 4) == 0;
}

static bool read_and_write(void)
{
    memset(request.bytes, 9, sizeof request.bytes);
    return ask(READ_AND_WRITE) == 0 && answer.result == 4 && answer.number == 9
           && memcmp(answer.bytes, "xyz", 3) == 0;
}

/* The other process replies, to a message in its sender's memory and to one in registers. */
static bool handed_on(void)
{
    request.proxy = 0;
    memcpy(request.bytes + 196, "abcd", 4);
    if (ask(RELAY) != 0 || answer.result != RELAY || answer.number != server || memcmp(answer.bytes, "abcd", 4) != 0)
        return false;
    memset(&answer, 0, sizeof answer);
    if (Send(server, &request, &answer, 8, sizeof answer) != 0 || answer.result != RELAY || answer.number != server)
        return false;
    request.proxy = 30;
    return ask(RELAY) == 0 && answer.result == ESRCH;
}

static bool nobody(void)
{
    char byte;
    return fails(Send(30, "a", &byte, 1, 1), ESRCH) && fails(Send(-5, "a", &byte, 1, 1), ESRCH)
           && fails(Send(300, "a", &byte, 1, 1), ESRCH) && fails(Reply(server, "a", 1), ESRCH)
           && fails(Readmsg(server, 0, &byte, 1) + 0L == (unsigned)-1 ? -1 : 0, ESRCH)
           && fails(Creceive(0, &byte, 1), ENOMSG);
}

static bool proxies(void)
{
    char text[8] = "";
    const pid_t one = qnx_proxy_attach(0, "one", 3, -1), two = qnx_proxy_attach(0, "two", 3, -1);
    if (one == -1 || two == -1 || one == two || !fails(qnx_proxy_attach(server, "x", 1, -1), ESRCH)
        || !fails(qnx_proxy_attach(0, request.bytes, 101, -1), EINVAL))
        return false;
    /* Each trigger is received once, in order; which one is chosen, the other ones wait. */
    if (Trigger(one) == -1 || Trigger(two) == -1 || Trigger(one) == -1)
        return false;
    if (Receive(two, text, sizeof text) != two || memcmp(text, "two", 3) != 0)
        return false;
    if (Receive(0, text, sizeof text) != one || memcmp(text, "one", 3) != 0)
        return false;
    if (Creceive(0, text, sizeof text) != one || !fails(Creceive(0, text, sizeof text), ENOMSG))
        return false;
    /* Another process triggers it, by its number. */
    request.proxy = one;
    if (ask(TRIGGER) != 0 || Receive(0, text, sizeof text) != one || Receive(one, text, sizeof text) != one)
        return false;
    return qnx_proxy_detach(one) == 0 && fails(Trigger(one), ESRCH) && fails(qnx_proxy_detach(one), ESRCH)
           && fails(Receive(one, text, sizeof text), ESRCH) && qnx_proxy_detach(two) == 0;
}

/* Triggers that were put off are not received once their proxy is detached. */
static bool detached(void)
{
    char text[8];
    const pid_t one = qnx_proxy_attach(0, "one", 3, -1), two = qnx_proxy_attach(0, "two", 3, -1);
    return one != -1 && Trigger(one) != -1 && Trigger(two) != -1 && Receive(two, text, sizeof text) == two
           && qnx_proxy_detach(one) == 0 && fails(Creceive(0, text, sizeof text), ENOMSG) && qnx_proxy_detach(two) == 0;
}

/* Who triggers others' proxies can always trigger one more, however many have ended before or are there. */
static bool many_proxies(void)
{
    char text[4];
    for (int number = 0; number < QNX4_PROXIES + 2; number++) {
        request.proxy = qnx_proxy_attach(0, "now", 3, -1);
        if (request.proxy == -1 || ask(TRIGGER) != 0)
            return false;
        for (int times = 0; times < 2; times++)
            if (Receive(0, text, sizeof text) != request.proxy)
                return false;
        if (qnx_proxy_detach(request.proxy) != 0)
            return false;
    }
    return fails(Trigger(0), ESRCH);
}

static bool priorities(void)
{
    return getprio(0) == 10 && setprio(0, 11) == 10 && setprio(0, 10) == 11 && fails(setprio(0, 12), EPERM)
           && fails(setprio(0, 0), EINVAL) && fails(getprio(server), ESRCH)
           && qnx_scheduler(0, 0, SCHED_RR, -1, 0) == SCHED_FIFO && qnx_scheduler(0, 0, SCHED_FIFO, -1, 0) == SCHED_RR
           && getprio(0) == 10;
}

/* What a thread sets that holds a POSIX mutex with a ceiling lasts. */
static bool ceiling(void)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t mutex;
    bool good = pthread_mutexattr_init(&attr) == 0 && pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT) == 0
                && pthread_mutexattr_setprioceiling(&attr, 11) == 0 && pthread_mutex_init(&mutex, &attr) == 0;
    good = good && pthread_mutex_lock(&mutex) == 0 && setprio(0, 9) == 10 && pthread_mutex_unlock(&mutex) == 0
           && getprio(0) == 9;
    return good && pthread_mutex_lock(&mutex) == 0 && qnx_scheduler(0, 0, -1, 10, 1) == 9 && getprio(0) == 10
           && pthread_mutex_unlock(&mutex) == 0 && getprio(0) == 10;
}

static bool circuits(void)
{
    return qnx_vc_attach(0, server, 100, 0) == server && qnx_vc_poll(server) == 0
           && fails(qnx_vc_attach(1, server, 100, 0), EHOSTUNREACH) && fails(qnx_vc_poll(29), ESRCH)
           && qnx_vc_name_attach(0, 100, SERVER) == server;
}

/* A server that dies while it serves: its client is told, and finds the next life by its name. */
static bool death(void)
{
    pid_t again = -1;
    if (!fails(ask(DIE), ESRCH) || !fails(ask(ECHO), ESRCH))
        return false;
    while ((again = qnx_name_locate(0, SERVER, 0, NULL)) == -1 && errno == ESRCH)
        riposte_sleep(1000000);
    return again == server && ask(ECHO) == 0;
}

/* All names, by their ids. */
static bool query(void)
{
    struct _nameinfo info = {5, 5, "untouched"};
    bool own = false, others = false;
    int id = 0, found = 0;
    if (ask(ECHO) != 0)
        return false;
    /* The server says which pid we have. */
    while ((id = qnx_name_query(0, id + 1, &info)) != -1) {
        own = own || (!strcmp(info.name, CLIENT) && info.nid == 0 && info.pid == answer.number);
        others = others || (!strcmp(info.name, SERVER) && info.pid == server);
        found++;
    }
    return errno == EINVAL && found == 2 && own && others && fails(qnx_name_query(server, 1, &info), ESRCH)
           && fails(qnx_name_query(0, -1, &info), EINVAL) && fails(qnx_name_query(0, 1 << 20, &info), EINVAL);
}

static pid_t visit(const char *order)
{
    char name[] = "visitor", what[16];
    char *argv[] = {name, what, NULL};
    strcpy(what, order);
    return qnx_spawn(0, NULL, 0, -1, -1, 0, "/bin/visitor", argv, NULL, NULL, -1);
}

/* Ends a child from outside, and waits for that. */
static bool end(pid_t child)
{
    enum { MANAGER_KILL = 2 };
    const uint32_t request[2] = {MANAGER_KILL | SIGKILL << 16, (uint32_t)child};
    riposte_connection_t manager;
    riposte_reply_t reply;
    int status = 0;
    return riposte_connect("process", &manager) == RIPOSTE_OK
           && riposte_send_words(manager, request, 2, &reply) == RIPOSTE_OK && reply.status == 0
           && waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

static bool children(void)
{
    char name[] = "secret", closed[QNX4_IOV], *argv[] = {name, NULL};
    const pid_t child = visit("end");
    int status = 0;
    memset(closed, -1, sizeof closed);
    closed[0] = 9;
    if (child == -1 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
        return false;
    return fails(qnx_spawn(0, NULL, 0, -1, -1, 0, "secret", argv, NULL, NULL, -1), EPERM)
           && fails(qnx_spawn(0, NULL, 0, -1, -1, 0, "nothing", argv, NULL, NULL, -1), ENOENT)
           && fails(qnx_spawn(1, NULL, 0, -1, -1, 0, "visitor", argv, NULL, NULL, -1), ENOTSUP)
           && fails(qnx_spawn(0, NULL, 0, 9, -1, 0, "visitor", argv, NULL, NULL, -1), ENOTSUP)
           && fails(qnx_spawn(0, NULL, 0, -1, SCHED_RR, 0, "visitor", argv, NULL, NULL, -1), ENOTSUP)
           && fails(qnx_spawn(0, NULL, 0, -1, -1, 1, "visitor", argv, NULL, NULL, -1), ENOTSUP)
           && fails(qnx_spawn(0, NULL, 3, -1, -1, 0, "visitor", argv, NULL, NULL, -1), EHOSTUNREACH)
           && fails(qnx_spawn(0, NULL, 0, -1, -1, 0, "visitor", argv, NULL, closed, -1), EBADF)
           && fails(waitpid(-1, &status, 0), ECHILD);
}

/* A client that dies before its reply: that fails, and nothing is left of it. */
static bool dead_client(void)
{
    const pid_t child = visit("ask");
    char byte;
    const pid_t asks = Receive(0, &byte, 1);
    return child != -1 && asks > PROC_PID && end(child) && fails(Reply(asks, &byte, 1), ESRCH)
           && fails((long)(int)Readmsg(asks, 0, &byte, 1), ESRCH) && fails(Creceive(0, &byte, 1), ENOMSG);
}

/* What came in registers is read again, as far as it goes, also by who has taken a part of it. */
static bool short_message(void)
{
    const pid_t child = visit("ask");
    unsigned char bytes[9];
    const pid_t asks = Receive(0, bytes, 1);
    struct _mxfer_entry mx[2];
    int word = -1, status = -1;
    _setmx(&mx[0], bytes, 1);
    _setmx(&mx[1], bytes + 1, 8);
    memset(bytes, 1, sizeof bytes);
    const bool good = Readmsg(asks, 0, &word, 4) == 4 && word == 0 && Readmsgmx(asks, 1, 2, mx) == 3 && bytes[0] == 0
                      && bytes[2] == 0 && bytes[3] == 1 && Readmsg(asks, 4, bytes, 9) == 0
                      && Readmsg(asks, 5, bytes, 9) == 0;
    return Reply(asks, "", 1) == 0 && fails((long)(int)Readmsg(asks, 0, bytes, 1), ESRCH)
           && waitpid(child, &status, 0) == child && good;
}

static pid_t replied_to;

static uint32_t reply_to(void *argument)
{
    (void)argument;
    return (uint32_t)Reply(replied_to, "", 1);
}

/* Who sends again within the reply to it is the same process, also to a more urgent thread that receives meanwhile. */
static bool reply_beside(void)
{
    static const riposte_thread_settings_t less = {9, RIPOSTE_POLICY_FIFO, 0};
    const pid_t child = visit("ask-twice");
    riposte_thread_t other;
    uint32_t value = 1;
    char byte;
    pid_t second;
    int status = -1;
    replied_to = Receive(0, &byte, 1);
    if (child == -1 || riposte_thread_spawn(reply_to, NULL, &less, &other) != RIPOSTE_OK)
        return false;
    second = Receive(0, &byte, 1);
    return Reply(second, "", 1) == 0 && second == replied_to
           && riposte_thread_join_until(other, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 0
           && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The next life of a client that has died is received by its pid, and answered by another one: the reply to the first is
 * none to it. */
static bool next_life(void)
{
    const pid_t child = visit("ask");
    char byte;
    const pid_t first = Receive(0, &byte, 1);
    bool good = child != -1 && first > PROC_PID && end(child);
    const pid_t again = visit("ask"), second = Receive(first, &byte, 1);
    int status = -1;
    good = good && again != -1 && second > PROC_PID && second != first && fails(Reply(first, "", 1), ESRCH)
           && waitpid(again, &status, WNOHANG) == 0;
    return Reply(second, "", 1) == 0 && waitpid(again, &status, 0) == again && good;
}

/* A server that dies while one of its clients is SEND-blocked, or REPLY-blocked. */
static bool dead_server(const char *order)
{
    const pid_t serves = visit(order);
    char byte = 0;
    pid_t first = Receive(0, &byte, 1), blocks;
    int status = -1;
    if (serves == -1 || Reply(first, &byte, 1) != 0)
        return false;
    /* One that is to be blocked without being received waits for nobody but the server, which waits for us. */
    if (!strcmp(order, "serve-later"))
        first = Receive(0, &byte, 1);
    blocks = visit("block");
    if (blocks == -1 || Reply(Receive(0, &byte, 1), &byte, 1) != 0)
        return false;
    /* The one that receives has told us by now. */
    if (!strcmp(order, "serve") && Creceive(0, &byte, 1) != first)
        return false;
    return waitpid(blocks, &status, WNOHANG) == 0 && end(serves) && waitpid(blocks, &status, 0) == blocks
           && WIFEXITED(status) && WEXITSTATUS(status) == 0 && fails(Reply(first, &byte, 1), ESRCH);
}

/* An owner that dies takes its proxy with it. */
static bool dead_owner(void)
{
    const pid_t child = visit("own");
    pid_t proxy = 0, owner = Receive(0, &proxy, sizeof proxy);
    if (child == -1 || qnx_name_locate(0, VISITOR, 0, NULL) != owner || Reply(owner, &proxy, sizeof proxy) != 0)
        return false;
    /* It waits for the proxy, and then for us. */
    if (Trigger(proxy) != owner || Receive(0, &proxy, sizeof proxy) != owner || Trigger(proxy) != owner)
        return false;
    return end(child) && fails(Trigger(proxy), ESRCH) && fails(Trigger(proxy), ESRCH)
           && fails(Send(owner, &proxy, &proxy, 1, 1), ESRCH) && fails(Receive(owner, &proxy, 1), ESRCH)
           && fails(qnx_name_locate(0, VISITOR, 0, NULL), ESRCH)
           /* Its next life is to have the pid that its name leads to. */
           && fails(Reply(owner, &proxy, 1), ESRCH);
}

static volatile int signals;
static pthread_t waits;

static void note(int number)
{
    (void)number;
    signals++;
}

static uint32_t signal_later(void *argument)
{
    (void)argument;
    riposte_sleep(5000000);
    return (uint32_t)pthread_kill(waits, SIGUSR1);
}

/* To the end, or until a signal was handled. */
static bool delays(void)
{
    static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};
    const struct sigaction action = {.sa_handler = note};
    riposte_thread_t other;
    uint32_t value = 1;
    uint64_t before = riposte_clock();
    bool good = delay(3) == EOK && riposte_clock() - before >= UINT64_C(3000000) && delay(0) == EOK;
    unsigned left;
    waits = pthread_self();
    good = good && sigaction(SIGUSR1, &action, NULL) == 0
           && riposte_thread_spawn(signal_later, NULL, &second, &other) == RIPOSTE_OK;
    before = riposte_clock();
    left = delay(UINT32_MAX);
    before = riposte_clock() - before;
    good = good && left < UINT32_MAX && left + before / 1000000 + 1 >= UINT32_MAX - 1 && signals == 1;
    signals = 0;
    return riposte_thread_join_until(other, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 0 && good && getnid() == 0;
}

/* Its server is told that it wants to leave, and lets it go. */
static bool interrupted(void)
{
    static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};
    const struct sigaction action = {.sa_handler = note};
    riposte_thread_t other;
    uint32_t value = 1;
    waits = pthread_self();
    return sigaction(SIGUSR1, &action, NULL) == 0
           && riposte_thread_spawn(signal_later, NULL, &second, &other) == RIPOSTE_OK && fails(ask(HOLD), EINTR)
           && riposte_thread_join_until(other, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 0 && signals == 1
           && ask(ECHO) == 0;
}

/* The server replies to what a signal has ended while another message waits. */
static bool too_late(void)
{
    return ask(LATE) == 0 && answer.result == ESRCH && ask(ECHO) == 0 && answer.number > PROC_PID;
}

/* In no memory of this process. */
static void *const volatile nowhere = (void *)8;

/* A message that cannot be stored is received by the next receive. */
static bool no_room(void)
{
    struct _mxfer_entry room[2];
    char beginning[RIPOSTE_MAX_PROXY_BYTES];
    const pid_t child = visit("much");
    pid_t from;
    int status = -1;
    _setmx(&room[0], beginning, sizeof beginning);
    _setmx(&room[1], nowhere, 100);
    memset(request.bytes, 0, sizeof request.bytes);
    if (child == -1 || !fails(Receivemx(0, 2, room), EFAULT) || !fails(Creceivemx(0, 2, room), EFAULT))
        return false;
    from = Receive(0, &request, sizeof request);
    return from > PROC_PID && request.bytes[0] == 9 && request.bytes[199] == 9 && Reply(from, "", 1) == 0
           && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A reply that is not there is refused also where the receive behind it would find what was put off. */
static bool no_reply(void)
{
    const pid_t one = qnx_proxy_attach(0, "one", 3, -1), two = qnx_proxy_attach(0, "two", 3, -1);
    const pid_t child = visit("ask");
    char text[4], byte;
    const pid_t asks = Receive(0, &byte, 1);
    bool good = child != -1 && Trigger(one) != -1 && Trigger(two) != -1 && Receive(two, text, sizeof text) == two;
    good = good && fails(ReplyReceive(asks, nowhere, 100, text, sizeof text), EFAULT)
           && ReplyReceive(asks, "", 1, text, sizeof text) == one;
    return waitpid(child, NULL, 0) == child && qnx_proxy_detach(one) == 0 && qnx_proxy_detach(two) == 0 && good;
}

/* Whom it has answered when it finds no room for the next message has its pid in that. */
static bool no_room_behind_a_reply(void)
{
    const pid_t child = visit("much-twice");
    const pid_t first = Receive(0, &request, sizeof request);
    const bool good = child != -1 && first > PROC_PID
                      && fails(ReplyReceive(first, "", 1, nowhere, sizeof request), EFAULT);
    const pid_t second = Receive(0, &request, sizeof request);
    int status = -1;
    return Reply(second, "", 1) == 0 && second == first && request.bytes[199] == 9
           && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && good;
}

/* A number is nobody's for as long as can be after its proxy was detached. */
static bool numbers(void)
{
    const pid_t first = qnx_proxy_attach(0, "one", 3, -1);
    bool good = first != -1 && qnx_proxy_detach(first) == 0;
    for (int life = 1; good && life < 256 * QNX4_PROXIES; life++) {
        const pid_t next = qnx_proxy_attach(0, "one", 3, -1);
        good = next != -1 && next != first && qnx_proxy_detach(next) == 0;
    }
    return good;
}

static volatile unsigned ticks;
static volatile pid_t triggers;

static pid_t tick(void)
{
    ticks++;
    return triggers;
}

static bool ticks_go_on(void)
{
    const unsigned before = ticks;
    riposte_sleep(4 * QNX4_TICK);
    return ticks > before + 2;
}

/* A handler's thread asks nobody for a right: an owner that receives nothing would keep all interrupts. */
static bool hostile_owner(void)
{
    const pid_t child = visit("own");
    pid_t proxy = 0, owner = Receive(0, &proxy, sizeof proxy);
    const int id = qnx_hint_attach(0, tick, 0);
    bool good;
    good = child != -1 && id != -1 && qnx_name_locate(0, VISITOR, 0, NULL) == owner;
    triggers = proxy;
    good = good && ticks_go_on() && ticks_go_on();
    /* It receives its proxy and then tells us: the handler has triggered it, once there was a right. */
    good = good && Reply(owner, &proxy, sizeof proxy) == 0
           && qnx_proxy_rem_attach(0, proxy) == proxy && Receive(0, &proxy, sizeof proxy) == owner && ticks_go_on();
    return qnx_hint_detach(id) == 0 && end(child) && good;
}

static volatile unsigned handled;

static void handle(int number)
{
    (void)number;
    handled++;
}

/* A signal to the process is none to its handlers' thread. */
static bool signalled(void)
{
    const int id = qnx_hint_attach(0, tick, 0);
    sigset_t set;
    bool good;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    good = id != -1 && signal(SIGUSR1, handle) != SIG_ERR && sigprocmask(SIG_BLOCK, &set, NULL) == 0;
    good = good && kill(getpid(), SIGUSR1) == 0 && ticks_go_on() && handled == 0;
    return sigprocmask(SIG_UNBLOCK, &set, NULL) == 0 && handled == 1 && qnx_hint_detach(id) == 0 && good;
}

int main(void)
{
    verdict("a name is attached once, located by others, and gone when it is detached", names());
    verdict("a name that is attached again keeps its id, and its place is free when it is detached", own_names());
    verdict("a message and its reply, as far as there is room", message());
    verdict("parts of any shape", in_parts());
    verdict("more of a message is read, and of a reply written, before the reply", read_and_write());
    verdict("Readmsg: what did not fit of a message that came in registers", short_message());
    verdict("Reply: who sends again within it has its pid, whichever thread receives it", reply_beside());
    verdict("Relay: another process replies; ESRCH: there is none, and the first one replies", handed_on());
    verdict("who is not there is no process", nobody());
    verdict("a proxy's number is one to all, and each trigger is received once", proxies());
    verdict("a proxy that is detached is received no more, also what was put off", detached());
    verdict("others' proxies that have ended take no place of the next one", many_proxies());
    verdict("priority and policy are the process's own", priorities());
    verdict("setprio: of who holds a mutex with a ceiling, it lasts", ceiling());
    verdict("a circuit within the node is the process", circuits());
    verdict("names are told by their ids, and those between them by the next", query());
    verdict("a child is spawned and waited for, or what cannot be is refused", children());
    verdict("who dies before its reply is no process any more", dead_client());
    verdict("a reply to who has died is none to its next life", next_life());
    verdict("a server that dies lets go who is SEND-blocked", dead_server("serve-later"));
    verdict("a server that dies lets go who is REPLY-blocked", dead_server("serve"));
    verdict("a proxy dies with its owner", dead_owner());
    verdict("no message is lost for which there is no room", no_room());
    verdict("a reply and a receive in one: the reply fails alone", no_reply());
    verdict("a reply and a receive in one: who was answered sends again, by its pid, though there is no room",
            no_room_behind_a_reply());
    verdict("a proxy's number comes again after 2,048 lives", numbers());
    verdict("a handler waits for no owner of a proxy, and triggers one whose right there is", hostile_owner());
    verdict("delay: for its milliseconds, or until a signal was handled: what is left; getnid: 0, if the manifest says none",
            delays());
    verdict("a signal ends a Send with EINTR, also of whoever its server has to let go", interrupted());
    verdict("a late reply is none to the next message of its process", too_late());
    verdict("handlers of interrupts are called on when a signal has come", signalled());
    verdict("a server that dies is told to its client", death());
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
