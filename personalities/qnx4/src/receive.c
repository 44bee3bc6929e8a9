/* Receiving, where it is more than a message of any process into one buffer.
 *
 * Who waits for one process or one proxy puts off what else comes: a client waits on, whether it was received or not, and
 * what it sent is read when its turn comes. */

#include <errno.h>

#include "qnx4.h"

/* What a proxy brings is at most this. */
#define BUFFER RIPOSTE_MAX_PROXY_BYTES

/* Messages that can have been put off at once. Who sends one more is refused. */
#define PUT_OFF 8

uint32_t qnx4_private_connections[QNX4_PRIVATE_PLACES];
struct qnx4_private_served qnx4_private_served;
uint32_t qnx4_private_kept[QNX4_PRIVATE_PLACES][RIPOSTE_MESSAGE_WORDS];

static riposte_token_t *const clients = qnx4_private_served.clients;

static riposte_channel_t channel;

/* A message, and the bytes of it that came; a client's rest is read from where it lies. */
struct arrival {
    pid_t from;
    /* The process by whose connection it came: that of `from`, unless this is a virtual process. */
    pid_t by;
    riposte_token_t token;
    size_t length;
    char bytes[BUFFER];
};

static struct arrival put_off[PUT_OFF];
static unsigned count;

bool qnx4_find_channel(riposte_channel_t *found)
{
    if (!channel.handle && riposte_channel(NULL, &channel) != RIPOSTE_OK)
        return false;
    *found = channel;
    return true;
}

pid_t qnx4_own(void)
{
    return (pid_t)riposte_process_index() + QNX4_PRIVATE_FIRST;
}

riposte_token_t qnx4_client(pid_t pid)
{
    const riposte_token_t none = {0, 0};
    return (unsigned)pid < QNX4_PRIVATE_PLACES ? clients[pid] : none;
}

bool qnx4_waits(riposte_token_t token)
{
    return token.tag && riposte_read(token, 0, NULL, 0, NULL) == RIPOSTE_OK;
}

/* Whether a virtual process can have this pid. */
static bool is_no_circuit(pid_t pid)
{
    /* What POSIX calls this process stays its own: kill() takes both. */
    return pid != qnx4_own() - 1 && !qnx4_private_connections[pid];
}

pid_t qnx4_free_circuit(void)
{
    /* The first one to look at of those whose client has left unanswered. They are taken in turn: a reply to that client
     * is to find nobody for as long as can be. */
    static pid_t next = QNX4_PIDS;
    pid_t pid;
    for (pid = QNX4_PIDS; pid < QNX4_PRIVATE_PLACES; pid++)
        if (is_no_circuit(pid) && !clients[pid].tag)
            return pid;
    for (unsigned looks = 0; looks < QNX4_CIRCUITS; looks++) {
        pid = next;
        next = pid + 1 < QNX4_PRIVATE_PLACES ? pid + 1 : QNX4_PIDS;
        if (is_no_circuit(pid) && !qnx4_waits(clients[pid]))
            return pid;
    }
    return QNX4_PRIVATE_PLACES;
}

static bool is_proxy(pid_t pid)
{
    return pid >= 256;
}

/* What came, if it is something for a program. */
static bool arrive(const riposte_message_t *message, struct arrival *arrival)
{
    uint32_t pid = message->badge - RIPOSTE_PROCESS_BADGES + QNX4_PRIVATE_FIRST;
    arrival->length = message->length < BUFFER ? message->length : BUFFER;
    arrival->by = (pid_t)pid;
    if (message->notice == RIPOSTE_NOTICE_PROXY) {
        arrival->from = arrival->by = qnx4_proxy_of(message->badge);
        return arrival->from != 0;
    }
    /* A client that stays until it is let go: its call has failed. */
    if (message->notice == RIPOSTE_NOTICE_UNBLOCK)
        riposte_reply_error(message->token, EINTR);
    if (message->notice)
        return false;
    if (message->memory == RIPOSTE_INFO_MOVED)
        riposte_release((void *)(uintptr_t)message->words[0]);
    if (!message->memory && !message->buffer) {
        if (message->length == RIPOSTE_MESSAGE_BYTES && message->words[0] == QNX4_PRIVATE_ASKS) {
            qnx4_proxy_answer(message);
            return false;
        }
        memcpy(arrival->bytes, message->words, arrival->length);
    }
    /* A message of the same process is unanswered: a reply to its pid is for that, also if its client has left. That one's
     * place is the last that is taken. */
    if (pid < QNX4_PIDS && clients[pid].tag) {
        const pid_t circuit = qnx4_free_circuit();
        if (circuit < QNX4_PRIVATE_PLACES || qnx4_waits(clients[pid]))
            pid = (uint32_t)circuit;
    } else if (pid >= QNX4_PIDS) {
        pid = QNX4_PRIVATE_PLACES;
    }
    if (message->memory || pid >= QNX4_PRIVATE_PLACES) {
        riposte_reply_error(message->token, EAGAIN);
        return false;
    }
    clients[pid].tag = message->token.tag | (message->buffer ? QNX4_PRIVATE_MEMORY : QNX4_PRIVATE_WORDS | message->length);
    clients[pid].generation = message->token.generation;
    memcpy(qnx4_private_kept[pid], message->words, sizeof message->words);
    arrival->from = (pid_t)pid;
    arrival->token = message->token;
    return true;
}

/* Puts off what came, before those that are from place `at` on. */
static void put_off_at(unsigned at, const struct arrival *arrival)
{
    if (count == PUT_OFF) {
        /* A trigger of a proxy is lost then, a client is told. */
        if (!is_proxy(arrival->from)) {
            riposte_reply_error(arrival->token, EAGAIN);
            qnx4_private_free(arrival->from);
        }
        return;
    }
    memmove(&put_off[at + 1], &put_off[at], (count - at) * sizeof put_off[0]);
    put_off[at] = *arrival;
    count++;
    qnx4_private_served.channel.handle = 0;
}

/* Gives a program what came: what is beyond its first bytes is read from the client. If there is no room, the next
 * receive finds it. */
static pid_t deliver(const struct arrival *arrival, unsigned parts, const struct _mxfer_entry *mx)
{
    size_t done = 0;
    for (unsigned part = 0; part < parts; part++) {
        const size_t known = done < arrival->length ? arrival->length - done : 0;
        const size_t first = known < mx[part].length ? known : mx[part].length;
        size_t more = 0;
        if (first)
            memcpy(mx[part].address, arrival->bytes + done, first);
        done += first;
        /* More than a word message is in the client's memory; a proxy's is all here. */
        if (first < mx[part].length && !is_proxy(arrival->from) && arrival->length == BUFFER) {
            if (riposte_read(arrival->token, done, (char *)mx[part].address + first, mx[part].length - first, &more)
                == RIPOSTE_ERROR_BAD_ADDRESS) {
                put_off_at(0, arrival);
                return qnx4_fail(EFAULT);
            }
            done += more;
        }
        if (first + more < mx[part].length)
            break;
    }
    return arrival->from;
}

static bool is_of(const struct arrival *arrival, pid_t pid)
{
    return arrival->from == pid || arrival->by == pid;
}

/* Gives up the place of a client that has left before a program knew of it: nobody is going to reply. */
static void forget(const struct arrival *arrival)
{
    const riposte_token_t client = clients[arrival->from];
    if ((client.tag & RIPOSTE_INFO_TAG_MASK) == arrival->token.tag && client.generation == arrival->token.generation)
        qnx4_private_free(arrival->from);
}

/* Takes the first that was put off and is wanted. */
static bool take_put_off(pid_t pid, struct arrival *arrival)
{
    for (unsigned at = 0; at < count; at++) {
        if (pid && !is_of(&put_off[at], pid))
            continue;
        *arrival = put_off[at];
        count--;
        memmove(&put_off[at], &put_off[at + 1], (count - at) * sizeof put_off[0]);
        /* It may have left meanwhile, or the proxy may be detached. */
        if (is_proxy(arrival->from) ? qnx4_proxy_is_own(arrival->from) : qnx4_waits(arrival->token))
            return true;
        if (!is_proxy(arrival->from))
            forget(arrival);
        at--;
    }
    if (count == 0)
        qnx4_private_served.channel = channel;
    return false;
}

pid_t qnx4_private_receive(pid_t pid, unsigned parts, const struct _mxfer_entry *mx, riposte_deadline_t deadline)
{
    riposte_message_t message;
    struct arrival arrival;
    riposte_channel_t own;
    riposte_error_t error;
    if (!qnx4_find_channel(&own))
        return qnx4_fail(EPERM);
    if (take_put_off(pid, &arrival))
        return deliver(&arrival, parts, mx);
    if (is_proxy(pid) && !qnx4_proxy_is_own(pid))
        return qnx4_fail(ESRCH);
    for (;;) {
        if (pid == 0 || is_proxy(pid))
            error = riposte_receive_until(own, arrival.bytes, BUFFER, deadline, &message);
        else
            error = riposte_receive_from_until(
                own, riposte_peer_badge(RIPOSTE_PROCESS_BADGES + (uint32_t)pid - QNX4_PRIVATE_FIRST), arrival.bytes,
                BUFFER, deadline, &message);
        if (error != RIPOSTE_OK)
            return qnx4_private_fail(error);
        if (!arrive(&message, &arrival))
            continue;
        if (pid == 0 || is_of(&arrival, pid))
            return deliver(&arrival, parts, mx);
        put_off_at(count, &arrival);
    }
}

static bool has_failed(const struct riposte_private_registers *r, riposte_error_t error)
{
    return (r->info & RIPOSTE_INFO_ERROR) && r->call == (uint32_t)error;
}

pid_t qnx4_private_received(const struct riposte_private_registers *r, void *msg, unsigned nbytes)
{
    const bool is_notice = (r->info & (RIPOSTE_INFO_ERROR | RIPOSTE_INFO_NOTICE)) == RIPOSTE_INFO_NOTICE;
    const pid_t proxy = is_notice && r->word0 == RIPOSTE_NOTICE_PROXY ? qnx4_proxy_of(r->call) : 0;
    struct _mxfer_entry one;
    struct arrival arrival;
    riposte_message_t message;
    riposte_error_t error;
    if (proxy)
        return proxy;
    if (!qnx4_private_served.channel.handle)
        return Receivemx(0, 1, qnx4_private_one(&one, msg, nbytes));
    error = riposte_private_take(r, msg, &message);
    if (error != RIPOSTE_OK)
        return qnx4_private_fail(error);
    if (!arrive(&message, &arrival))
        return Receivemx(0, 1, qnx4_private_one(&one, msg, nbytes));
    /* What came in the buffer is there; what came in words is not. */
    if (!message.buffer)
        memcpy(msg, arrival.bytes, arrival.length < nbytes ? arrival.length : nbytes);
    return arrival.from;
}

pid_t qnx4_private_replied(pid_t pid, const void *reply, unsigned nreply, void *msg, unsigned nbytes,
                           const struct riposte_private_registers *r)
{
    struct riposte_private_registers own;
    if (!r && (unsigned)pid < QNX4_PRIVATE_PLACES) {
        qnx4_private_reply_and_receive(&own, pid, reply, nreply, msg, nbytes);
        r = &own;
    }
    /* There is no such pid; or no channel, and nobody was replied to. */
    if (!r || !qnx4_private_served.channel.handle) {
        if (Reply(pid, reply, nreply) == -1 && errno == EFAULT)
            return -1;
        return Receive(0, msg, nbytes);
    }
    if (has_failed(r, RIPOSTE_ERROR_BAD_ADDRESS))
        return qnx4_private_not_replied_or_received(pid);
    qnx4_private_free(pid);
    if (has_failed(r, RIPOSTE_ERROR_NO_SUCH_CLIENT))
        return Receive(0, msg, nbytes);
    return qnx4_private_received(r, msg, nbytes);
}
