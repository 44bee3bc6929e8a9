/* Messages in parts, and the parts of messages. */

#include <errno.h>

#include "qnx4.h"

/* A part of the kernel's calls is the same. */
_Static_assert(sizeof(struct _mxfer_entry) == sizeof(riposte_part_t), "the parts differ");
_Static_assert(offsetof(struct _mxfer_entry, length) == offsetof(riposte_part_t, length), "the parts differ");

static const riposte_part_t *parts_of(const struct _mxfer_entry *mx)
{
    return (const riposte_part_t *)(const void *)mx;
}

int Sendmx(pid_t pid, unsigned sparts, unsigned rparts, const struct _mxfer_entry *smx,
           const struct _mxfer_entry *rmx)
{
    riposte_connection_t connection;
    riposte_reply_t reply;
    riposte_error_t error;
    if ((unsigned)pid >= QNX4_PRIVATE_PLACES)
        return qnx4_fail(ESRCH);
    connection.handle = qnx4_private_connections[pid];
    error = riposte_send_vector_until(connection, parts_of(smx), sparts, parts_of(rmx), rparts, RIPOSTE_FOREVER,
                                      &reply);
    if (error == RIPOSTE_OK && reply.status == 0)
        return 0;
    return qnx4_private_send_failed(error, error == RIPOSTE_OK ? reply.status : 0);
}

int qnx4_private_not_replied(pid_t pid, riposte_token_t token, riposte_error_t error)
{
    uint32_t none = 0;
    if (qnx4_waits(token)) {
        if (riposte_word_compare_exchange(&qnx4_private_served.clients[pid].tag, &none, token.tag))
            qnx4_private_served.clients[pid].generation = token.generation;
        else
            /* Another thread of it has sent meanwhile, and has the place: who has none is refused. */
            riposte_reply_error(token, EAGAIN);
    }
    return qnx4_private_fail(error);
}

int qnx4_private_not_replied_or_received(pid_t pid)
{
    if (!qnx4_waits(qnx4_private_served.clients[pid]))
        qnx4_private_free(pid);
    return qnx4_fail(EFAULT);
}

int Replymx(pid_t pid, unsigned parts, const struct _mxfer_entry *mx)
{
    const riposte_token_t token = qnx4_client(pid);
    riposte_error_t error;
    if (!token.tag)
        return qnx4_fail(ESRCH);
    qnx4_private_free(pid);
    error = riposte_reply_vector(token, parts_of(mx), parts, NULL);
    return error == RIPOSTE_OK ? 0 : qnx4_private_not_replied(pid, token, error);
}

/* A call that copies a part of what lies at an offset of a client's message. */
typedef riposte_error_t copy_t(riposte_token_t token, size_t offset, void *address, size_t length, size_t *copied);

static riposte_error_t read_part(riposte_token_t token, size_t offset, void *address, size_t length, size_t *copied)
{
    return riposte_read(token, offset, address, length, copied);
}

static riposte_error_t write_part(riposte_token_t token, size_t offset, void *address, size_t length, size_t *copied)
{
    return riposte_write(token, offset, address, length, copied);
}

/* Copies part after part, until one comes out short. */
static unsigned copy_parts(riposte_token_t token, unsigned offset, unsigned parts, const struct _mxfer_entry *mx,
                           copy_t *copy)
{
    unsigned done = 0;
    if (!token.tag)
        return (unsigned)qnx4_fail(ESRCH);
    for (unsigned part = 0; part < parts; part++) {
        size_t copied;
        const riposte_error_t error = copy(token, offset + done, mx[part].address, mx[part].length, &copied);
        if (error != RIPOSTE_OK)
            return (unsigned)qnx4_private_fail(error);
        done += copied;
        if (copied < mx[part].length)
            break;
    }
    return done;
}

/* The same of a message that came in registers. */
static unsigned copy_kept(const uint32_t *words, unsigned kept, unsigned offset, unsigned parts,
                          const struct _mxfer_entry *mx)
{
    unsigned done = 0;
    for (unsigned part = 0; part < parts && offset + done < kept; part++) {
        const unsigned rest = kept - offset - done;
        const unsigned length = mx[part].length < rest ? mx[part].length : rest;
        memcpy(mx[part].address, (const char *)words + offset + done, length);
        done += length;
    }
    return done;
}

unsigned Readmsgmx(pid_t pid, unsigned offset, unsigned parts, const struct _mxfer_entry *mx)
{
    const riposte_token_t token = qnx4_client(pid);
    const unsigned kept = token.tag & RIPOSTE_INFO_LENGTH_MASK;
    unsigned done;
    /* Into no room at all nothing comes, and it looks as if it had come in registers. */
    if (kept == 0)
        return copy_parts(token, offset, parts, mx, read_part);
    done = copy_kept(qnx4_private_kept[pid], kept, offset, parts, mx);
    /* It is that client's if that waits still. */
    return qnx4_waits(token) ? done : (unsigned)qnx4_fail(ESRCH);
}

unsigned Readmsg(pid_t pid, unsigned offset, void *msg, unsigned nbytes)
{
    struct _mxfer_entry one;
    return Readmsgmx(pid, offset, 1, qnx4_private_one(&one, msg, nbytes));
}

unsigned Writemsgmx(pid_t pid, unsigned offset, unsigned parts, const struct _mxfer_entry *mx)
{
    return copy_parts(qnx4_client(pid), offset, parts, mx, write_part);
}

unsigned Writemsg(pid_t pid, unsigned offset, const void *msg, unsigned nbytes)
{
    struct _mxfer_entry one;
    return Writemsgmx(pid, offset, 1, qnx4_private_one(&one, msg, nbytes));
}
