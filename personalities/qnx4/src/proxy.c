/* Proxies. A proxy's number says whose it is, which of that process's, and in which life of that place, so that it is
 * the same to all, and that of a proxy which has ended is nobody's. The right to trigger it is a handle of the kernel,
 * for which another process asks the owner: a question that its receive answers. At other nodes the number has that of this
 * node as well. */

#include <errno.h>
#include <sys/proxy.h>

#include "qnx4.h"

#define PROXY (1 << 24)
#define LIFE_SHIFT 16
#define OWNER_SHIFT 8
#define NODE_SHIFT 25
#define NODES 64

static struct {
    riposte_proxy_t proxy;   /* its handle is 0: there is none */
    uint8_t life;
} own[QNX4_PROXIES];
/* Where one is looked for that is free: in turn, so that a number comes again as late as it can. */
static unsigned next;

/* Those of others that this process can trigger; and whose right is given up next when there is no place. A handler's
 * thread, which is more urgent, looks at any time: a number is there only while its right is. */
static struct {
    volatile pid_t number;   /* 0: there is none */
    riposte_proxy_t proxy;
} others[QNX4_PROXIES];
/* The circuits to those that have attached them, of other nodes. */
static pid_t circuits[QNX4_PROXIES];
static unsigned oldest;

static nid_t node_of(pid_t number)
{
    return number >> NODE_SHIFT;
}

static pid_t owner_of(pid_t number)
{
    return number >> OWNER_SHIFT & 0xFF;
}

static pid_t number_of(unsigned place)
{
    return PROXY | own[place].life << LIFE_SHIFT | qnx4_own() << OWNER_SHIFT | (pid_t)place;
}

/* The place of a proxy of this process; QNX4_PROXIES if it is none. */
static unsigned place_of(pid_t number)
{
    const unsigned place = number & 0xFF;
    if (place < QNX4_PROXIES && own[place].proxy.handle && number_of(place) == number)
        return place;
    return QNX4_PROXIES;
}

bool qnx4_proxy_is_own(pid_t number)
{
    return place_of(number) < QNX4_PROXIES;
}

pid_t qnx4_proxy_of(uint32_t handle)
{
    for (unsigned place = 0; place < QNX4_PROXIES; place++)
        if (own[place].proxy.handle == handle)
            return number_of(place);
    return 0;
}

pid_t qnx_proxy_attach(pid_t pid, const void *data, int nbytes, int priority)
{
    riposte_channel_t channel;
    riposte_error_t error;
    unsigned place;
    (void)priority;
    if (pid != 0 && pid != qnx4_own())
        return qnx4_fail(ESRCH);
    if (nbytes < 0 || nbytes > RIPOSTE_MAX_PROXY_BYTES)
        return qnx4_fail(EINVAL);
    if (!qnx4_find_channel(&channel))
        return qnx4_fail(EPERM);
    for (place = next; own[place].proxy.handle; place = (place + 1) % QNX4_PROXIES)
        if ((place + 1) % QNX4_PROXIES == next)
            return qnx4_fail(EAGAIN);
    error = riposte_proxy_create(channel, data, (size_t)nbytes, &own[place].proxy);
    if (error != RIPOSTE_OK) {
        own[place].proxy.handle = 0;
        return qnx4_private_fail(error);
    }
    own[place].life++;
    next = (place + 1) % QNX4_PROXIES;
    return number_of(place);
}

int qnx_proxy_detach(pid_t proxy)
{
    const unsigned place = place_of(proxy);
    if (place == QNX4_PROXIES)
        return qnx4_fail(proxy >= PROXY && owner_of(proxy) != qnx4_own() ? EPERM : ESRCH);
    riposte_proxy_destroy(own[place].proxy);
    own[place].proxy.handle = 0;
    return 0;
}

void qnx4_proxy_answer(const riposte_message_t *message)
{
    const uint32_t words[4] = {0, 0, 0, 0};
    const unsigned place = place_of((pid_t)message->words[1]);
    if (place == QNX4_PROXIES || riposte_reply_proxy(message->token, words, own[place].proxy) != RIPOSTE_OK)
        riposte_reply_error(message->token, ESRCH);
}

/* The number that a proxy has at its own node. */
static pid_t here_of(pid_t number)
{
    return number & ((1 << NODE_SHIFT) - 1);
}

/* Gives up a right. */
static void close(unsigned place)
{
    others[place].number = 0;
    riposte_proxy_close(others[place].proxy);
}

/* The place of the right to trigger another's proxy; QNX4_PROXIES if there is none. */
static unsigned held(pid_t number)
{
    unsigned place = 0;
    while (place < QNX4_PROXIES && !(number && others[place].number == number))
        place++;
    return place;
}

/* Asks for the right to trigger another's proxy: its place; QNX4_PROXIES if that fails. */
static __attribute__((noinline)) unsigned ask_for(pid_t number)
{
    const uint32_t words[5] = {QNX4_PRIVATE_ASKS, (uint32_t)here_of(number), 0, 0, 0};
    const nid_t node = node_of(number);
    pid_t owner = node ? qnx4_next_circuit(node, 0) : owner_of(number);
    riposte_connection_t connection;
    riposte_reply_t reply;
    riposte_error_t error;
    uint32_t status;
    unsigned free = 0;
    if (number < PROXY || owner >= (node ? QNX4_PRIVATE_PLACES : QNX4_PIDS)) {
        qnx4_fail(ESRCH);
        return QNX4_PROXIES;
    }
    while (free < QNX4_PROXIES && others[free].number)
        free++;
    /* Nobody tells of a proxy that has ended, and one client may have many: none of them keeps others out. */
    if (free == QNX4_PROXIES) {
        free = oldest;
        oldest = (oldest + 1) % QNX4_PROXIES;
        close(free);
    }
    /* Of another node whoever is known there may have attached it. */
    do {
        connection.handle = qnx4_private_connections[owner];
        error = riposte_send_for_proxy_until(connection, words, 5, RIPOSTE_FOREVER, &reply, &others[free].proxy);
        circuits[free] = owner;
        status = error == RIPOSTE_OK ? reply.status : 0;
        owner = node ? qnx4_next_circuit(node, owner) : QNX4_PRIVATE_PLACES;
    } while ((error != RIPOSTE_OK || status) && owner < QNX4_PRIVATE_PLACES);
    if (error != RIPOSTE_OK || status) {
        if (status == ESRCH)
            qnx4_fail(ESRCH);
        else
            qnx4_private_send_failed(error, status);
        return QNX4_PROXIES;
    }
    others[free].number = number;
    return free;
}

/* The place of the right to trigger another's proxy, which is asked for if there is none; QNX4_PROXIES if that fails. */
static unsigned right(pid_t number)
{
    const unsigned place = held(number);
    return place < QNX4_PROXIES ? place : ask_for(number);
}

/* Triggers a proxy whose number says a node. */
static __attribute__((noinline)) pid_t trigger_there(pid_t proxy)
{
    riposte_error_t error;
    unsigned place;
    if (node_of(proxy) == qnx4_node())
        return Trigger(here_of(proxy));
    place = right(proxy);
    if (place == QNX4_PROXIES)
        return -1;
    error = riposte_proxy_trigger(others[place].proxy);
    if (error == RIPOSTE_OK)
        return circuits[place];
    if (error == RIPOSTE_ERROR_WOULD_BLOCK)
        return qnx4_fail(EAGAIN);
    close(place);
    return qnx4_private_fail(error);
}

pid_t Trigger(pid_t proxy)
{
    riposte_error_t error;
    unsigned place;
    if (node_of(proxy))
        return trigger_there(proxy);
    if (owner_of(proxy) == qnx4_own()) {
        place = place_of(proxy);
        error = place < QNX4_PROXIES ? riposte_proxy_trigger(own[place].proxy) : RIPOSTE_ERROR_BAD_HANDLE;
    } else {
        place = right(proxy);
        if (place == QNX4_PROXIES)
            return -1;
        error = riposte_proxy_trigger(others[place].proxy);
        if (error == RIPOSTE_ERROR_BAD_HANDLE || error == RIPOSTE_ERROR_SERVER_DIED)
            close(place);
    }
    if (error == RIPOSTE_ERROR_WOULD_BLOCK)
        return qnx4_fail(EAGAIN);
    return error == RIPOSTE_OK ? owner_of(proxy) : qnx4_private_fail(error);
}

void qnx4_trigger_held(pid_t proxy)
{
    unsigned place = place_of(proxy);
    if (place < QNX4_PROXIES) {
        riposte_proxy_trigger(own[place].proxy);
        return;
    }
    place = held(proxy);
    if (place < QNX4_PROXIES)
        riposte_proxy_trigger(others[place].proxy);
}

/* The number by which processes of another node trigger a proxy of this process. */
static pid_t number_there(nid_t nid, pid_t proxy)
{
    const nid_t node = qnx4_node();
    if (place_of(proxy) == QNX4_PROXIES)
        return qnx4_fail(proxy >= PROXY && owner_of(proxy) != qnx4_own() ? EPERM : ESRCH);
    if (nid < 1 || nid > 255 || node < 1 || node >= NODES)
        return qnx4_fail(EHOSTUNREACH);
    return proxy | (pid_t)node << NODE_SHIFT;
}

pid_t qnx_proxy_rem_attach(nid_t nid, pid_t proxy)
{
    if (!qnx4_is_here(nid))
        return number_there(nid, proxy);
    if (place_of(proxy) < QNX4_PROXIES)
        return proxy;
    return right(proxy) < QNX4_PROXIES ? proxy : -1;
}

int qnx_proxy_rem_detach(nid_t nid, pid_t proxy)
{
    if (!qnx4_is_here(nid))
        return number_there(nid, here_of(proxy)) == proxy ? 0 : qnx4_fail(ESRCH);
    const unsigned place = held(proxy);
    if (place < QNX4_PROXIES)
        close(place);
    else if (place_of(proxy) == QNX4_PROXIES)
        return qnx4_fail(ESRCH);
    return 0;
}
