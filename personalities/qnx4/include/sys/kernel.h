/* QNX 4's <sys/kernel.h> over Riposte: messages between processes. docs/src/personalities/qnx4.md says what is
 * supported, and what is not.
 *
 * Names and order of parameters are QNX 4's. A function that fails returns -1 and sets errno. A pid is the number of a
 * process or of a proxy: all are of one space, and the same everywhere. To send to a process, one must have located a
 * name of it (<sys/name.h>): the manifest says who may find which.
 *
 * What is on the way of a message is inline. A receive costs its process tables of QNX4_PIDS entries, of 32 bytes in all each;
 * a system with more processes compiles its programs with a greater number (`flags` of program.toml). */

#ifndef QNX4_SYS_KERNEL_H
#define QNX4_SYS_KERNEL_H

#include <errno.h>
#include <riposte.h>
#include <sys/sendmx.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Processes with a pid below this number can be sent to and received from; at most 248. */
#ifndef QNX4_PIDS
#define QNX4_PIDS 32
#endif

/** Virtual processes: circuits to processes of other nodes that this one has at once, and messages of a process another one of
 * which is not replied to yet, as the manager of the network sends them for all clients of other nodes. Their pids are from
 * QNX4_PIDS on. */
#define QNX4_CIRCUITS 8

/** The process manager's pid. */
#define PROC_PID 1

/* The pid of the first process of the manifest. */
#define QNX4_PRIVATE_FIRST 2

#define QNX4_PRIVATE_PLACES (QNX4_PIDS + QNX4_CIRCUITS)

/* The connection to each process, by pid: 0 is none. */
extern uint32_t qnx4_private_connections[QNX4_PRIVATE_PLACES];
/* Where this process receives, and the message of each process that it is to answer, by pid. Zeros name no message: the kernel
 * refuses them. The channel is 0 before the first receive, and while a message has been put off: the kernel then refuses each
 * inline receive, before it has replied to anybody. */
struct qnx4_private_served {
    riposte_channel_t channel;
    riposte_token_t clients[QNX4_PRIVATE_PLACES];
};
extern struct qnx4_private_served qnx4_private_served;
/* A client's tag has one of these below it, which no reply has: its message lies in its memory, or came in registers (then with
 * its length). So it is never 0. */
#define QNX4_PRIVATE_MEMORY RIPOSTE_INFO_BYTES
#define QNX4_PRIVATE_WORDS RIPOSTE_INFO_NOTICE

/* Sets errno; -1. */
int qnx4_private_fail(riposte_error_t error);
/* The same, of a send: by the error, or by the status that the server answered with. */
int qnx4_private_send_failed(riposte_error_t error, uint32_t status);
/* Behind a reply that failed, before which the process's place was free: gives it that back if it waits on. Sets errno; -1. */
int qnx4_private_not_replied(pid_t pid, riposte_token_t token, riposte_error_t error);
/* Behind a reply and a receive in one that had no reply there, or had replied and had no room: then the process's place is
 * free. Sets errno; -1. */
int qnx4_private_not_replied_or_received(pid_t pid);
/* A receive in all its forms; see Receivemx. */
pid_t qnx4_private_receive(pid_t pid, unsigned parts, const struct _mxfer_entry *mx, riposte_deadline_t deadline);
/* Behind a receive that brought no message of a process as usual, or failed; goes on waiting if it is nothing for a program. */
pid_t qnx4_private_received(const struct riposte_private_registers *r, void *msg, unsigned nbytes);
/* The same, behind a reply and a receive in one; r is NULL if it was not called. */
pid_t qnx4_private_replied(pid_t pid, const void *reply, unsigned nreply, void *msg, unsigned nbytes,
                           const struct riposte_private_registers *r);
/* By its first word it is told from a message of five words that this is one process's question to another for the
 * right to trigger a proxy; see proxy.c. */
#define QNX4_PRIVATE_ASKS UINT32_C(0x9F0C5A11)

/* What each process that waits has sent in registers, for Readmsg and Relay: the kernel does not keep it. */
extern uint32_t qnx4_private_kept[QNX4_PRIVATE_PLACES][RIPOSTE_MESSAGE_WORDS];

/* Nobody waits by this pid any more. */
RIPOSTE_PRIVATE_INLINE void qnx4_private_free(pid_t pid)
{
    qnx4_private_served.clients[pid].tag = 0;
    qnx4_private_served.clients[pid].generation = 0;
}

/* Replies, and receives in the same call. Whether the reply lay in memory. */
RIPOSTE_PRIVATE_INLINE bool qnx4_private_reply_and_receive(struct riposte_private_registers *r, pid_t pid, const void *reply,
                                                           unsigned nreply, void *msg, unsigned nbytes)
{
    const riposte_channel_t channel = qnx4_private_served.channel;
    riposte_private_answer(r, qnx4_private_served.clients[pid], 0);
    if (riposte_private_give_bytes(r, reply, nreply)) {
        r->call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_REPLY_BYTES_RECEIVE, channel.handle);
        riposte_private_trap_bytes(r, true, msg, nbytes);
        return true;
    }
    r->call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_REPLY_RECEIVE, channel.handle);
    riposte_private_trap_buffer(r, true, msg, nbytes, 0);
    return false;
}

/* Whose message a receive brought, if it is one of a process as usual. Of one that failed it is no pid: the error stands where
 * the badge would. */
RIPOSTE_PRIVATE_INLINE uint32_t qnx4_private_sender(const struct riposte_private_registers *r)
{
    return r->call - RIPOSTE_PROCESS_BADGES + QNX4_PRIVATE_FIRST;
}

/* Whether it lies in memory, and is no notice. */
RIPOSTE_PRIVATE_INLINE bool qnx4_private_is_in_memory(const struct riposte_private_registers *r)
{
    return RIPOSTE_PRIVATE_LIKELY((r->info & ~RIPOSTE_INFO_TAG_MASK) == QNX4_PRIVATE_MEMORY);
}

RIPOSTE_PRIVATE_INLINE void qnx4_private_keep(riposte_token_t *client, uint32_t tag, uint32_t generation)
{
    client->tag = tag;
    client->generation = generation;
}

/* Takes what a receive brought, if it is a message of a process whose place is free, and is for the program. */
RIPOSTE_PRIVATE_INLINE bool qnx4_private_take(const struct riposte_private_registers *r, void *msg, unsigned nbytes)
{
    const uint32_t pid = qnx4_private_sender(r), length = r->info & ~RIPOSTE_INFO_TAG_MASK;
    riposte_token_t *client;
    if (pid >= QNX4_PIDS)
        return false;
    client = &qnx4_private_served.clients[pid];
    if (client->tag)
        return false;
    if (qnx4_private_is_in_memory(r)) {
        qnx4_private_keep(client, r->info, r->generation);
        return true;
    }
    if (length > RIPOSTE_MESSAGE_BYTES || (length == RIPOSTE_MESSAGE_BYTES && r->word0 == QNX4_PRIVATE_ASKS))
        return false;
    qnx4_private_keep(client, r->info | QNX4_PRIVATE_WORDS, r->generation);
    riposte_private_words(qnx4_private_kept[pid], r);
    memcpy(msg, qnx4_private_kept[pid], length < nbytes ? length : nbytes);
    return true;
}

/** Sends a message to a process and waits for its reply.
 *
 * @param pid The process.
 * @param smsg The message.
 * @param rmsg Where the reply is stored, as far as there is room. It may be the message itself.
 * @param snbytes Bytes of the message.
 * @param rnbytes Bytes of room for the reply.
 * @return 0, or -1.
 * @errno ESRCH There is no such process, it has ended, or no name of it was located.
 * @errno EFAULT The message or the room for the reply is not in this process's memory.
 * @errno EDEADLK The process waits for this one.
 * @errno EINTR A signal came.
 * @errno EIO The process answered with an error, which no program for QNX does.
 * @errno EHOSTUNREACH The process's node is gone, or was while this waited: it was served once or not at all.
 * @errno ETIMEDOUT A process of another node did not answer in time: it was served once or not at all.
 * @errno EMSGSIZE The message is longer than the other node takes, or the reply than this one does.
 * @errno EAGAIN As many messages by this circuit are on the way as may be, or as many wait for the process as it keeps.
 * @blocks Until the process replies.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int Send(pid_t pid, const void *smsg, void *rmsg, unsigned snbytes, unsigned rnbytes)
{
    riposte_connection_t connection;
    riposte_reply_t reply;
    riposte_error_t error;
    if (!RIPOSTE_PRIVATE_LIKELY((unsigned)pid < QNX4_PRIVATE_PLACES))
        return qnx4_private_fail(RIPOSTE_ERROR_NO_SUCH_CLIENT);
    connection.handle = qnx4_private_connections[pid];
    error = riposte_send(connection, smsg, snbytes, rmsg, rnbytes, &reply);
    if (RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK && reply.status == 0))
        return 0;
    return qnx4_private_send_failed(error, error == RIPOSTE_OK ? reply.status : 0);
}

/** Sends a message of several parts, and waits for a reply in several others.
 *
 * @param pid The process.
 * @param sparts Parts of the message, at most 16.
 * @param rparts Parts that take the reply, at most 16.
 * @param smx The message's parts.
 * @param rmx The reply's.
 * @return 0, or -1.
 * @errno As Send; EINVAL too many parts.
 * @blocks Until the process replies.
 * @from Any thread. */
int Sendmx(pid_t pid, unsigned sparts, unsigned rparts, const struct _mxfer_entry *smx,
           const struct _mxfer_entry *rmx);

/** As Receive, into several parts.
 *
 * @param pid The process or the proxy; 0 is any.
 * @param parts How many parts there are.
 * @param mx The parts.
 * @return Which process waits for a reply now, or which proxy was triggered; -1.
 * @errno As Receive.
 * @blocks Until there is a message.
 * @from One thread of the process. */
static inline pid_t Receivemx(pid_t pid, unsigned parts, const struct _mxfer_entry *mx)
{
    return qnx4_private_receive(pid, parts, mx, RIPOSTE_FOREVER);
}

/** As Creceive, into several parts.
 *
 * @param pid The process or the proxy; 0 is any.
 * @param parts How many parts there are.
 * @param mx The parts.
 * @return Which process waits for a reply now, or which proxy was triggered; -1.
 * @errno As Creceive.
 * @blocks Never.
 * @from One thread of the process. */
static inline pid_t Creceivemx(pid_t pid, unsigned parts, const struct _mxfer_entry *mx)
{
    return qnx4_private_receive(pid, parts, mx, RIPOSTE_IMMEDIATE);
}

/** Replies to a process with the bytes of several parts.
 *
 * @param pid The process, as a receive has returned it.
 * @param parts How many parts there are, at most 16.
 * @param mx The parts.
 * @return 0, or -1.
 * @errno As Reply; EINVAL too many parts, the process waits on.
 * @blocks Never.
 * @from Any thread. */
int Replymx(pid_t pid, unsigned parts, const struct _mxfer_entry *mx);

/** Reads more of the message of a process that waits for a reply of this one.
 *
 * @param pid The process.
 * @param offset From which byte of its message on.
 * @param msg Where the bytes are stored.
 * @param nbytes How many at most.
 * @return How many bytes: fewer at the message's end; -1.
 * @errno ESRCH The process does not wait for a reply of this one.
 * @errno EFAULT The room is not in this process's memory.
 * @blocks Never, and never lets the process run.
 * @from Any thread. */
unsigned Readmsg(pid_t pid, unsigned offset, void *msg, unsigned nbytes);

/** As Readmsg, into several parts.
 *
 * @param pid The process.
 * @param offset From which byte of its message on.
 * @param parts How many parts there are.
 * @param mx The parts.
 * @return How many bytes; -1.
 * @errno As Readmsg.
 * @blocks Never.
 * @from Any thread. */
unsigned Readmsgmx(pid_t pid, unsigned offset, unsigned parts, const struct _mxfer_entry *mx);

/** Writes a part of the reply of a process that waits for it. The reply itself still has to come.
 *
 * @param pid The process.
 * @param offset To which byte of its room for the reply.
 * @param msg The bytes.
 * @param nbytes How many.
 * @return How many found room; -1.
 * @errno ESRCH The process does not wait for a reply of this one.
 * @errno EFAULT The bytes are not in this process's memory.
 * @blocks Never, and never lets the process run.
 * @from Any thread. */
unsigned Writemsg(pid_t pid, unsigned offset, const void *msg, unsigned nbytes);

/** As Writemsg, of several parts.
 *
 * @param pid The process.
 * @param offset To which byte of its room for the reply.
 * @param parts How many parts there are.
 * @param mx The parts.
 * @return How many bytes found room; -1.
 * @errno As Writemsg.
 * @blocks Never.
 * @from Any thread. */
unsigned Writemsgmx(pid_t pid, unsigned offset, unsigned parts, const struct _mxfer_entry *mx);

/** Triggers a proxy: the process that has attached it receives its message once more.
 *
 * Of another process's proxy, the first time asks that process for the right: this one must have located a name of it,
 * and it must receive, from any process, sooner or later. See qnx_proxy_rem_attach. A trigger of a proxy of another node is
 * sent, and comes once at most.
 *
 * @param proxy The proxy.
 * @return The pid of the process that has attached it, or the circuit to it; -1.
 * @errno ESRCH There is no such proxy, its process has ended, or no name of that was located.
 * @errno EAGAIN It was triggered 65,535 times and not received.
 * @errno EDEADLK It would have to be asked for at a process that waits for this one.
 * @blocks Never; but the first time, until the other process receives.
 * @from One thread of the process. */
pid_t Trigger(pid_t proxy);

/* The one part of what has no parts. */
static inline const struct _mxfer_entry *qnx4_private_one(struct _mxfer_entry *one, const void *msg, unsigned nbytes)
{
    _setmx(one, msg, nbytes);
    return one;
}

/** Waits for a message, or for a proxy of this process that was triggered.
 *
 * @param pid The process or the proxy; 0 is any.
 * @param msg Where the message is stored, as far as there is room. What does not fit can be read with Readmsg.
 * @param nbytes Bytes of room.
 * @return Which process waits for a reply now, or which proxy was triggered; -1.
 * @errno ESRCH There is no such process or proxy, or it has ended.
 * @errno EFAULT The room is not in this process's memory. No message is lost.
 * @errno EINTR A signal came.
 * @errno EPERM The manifest gives this process no channel.
 * @blocks Until there is one.
 * @from One thread of the process. */
RIPOSTE_PRIVATE_INLINE pid_t Receive(pid_t pid, void *msg, unsigned nbytes)
{
    struct _mxfer_entry one;
    struct riposte_private_registers r;
    if (!(__builtin_constant_p(pid) && pid == 0))
        return Receivemx(pid, 1, qnx4_private_one(&one, msg, nbytes));
    r.call = RIPOSTE_PRIVATE_CALL_WORD(RIPOSTE_OPERATION_RECEIVE, qnx4_private_served.channel.handle);
    r.info = 0;
    riposte_private_trap_receive(&r, msg, nbytes);
    if (RIPOSTE_PRIVATE_LIKELY(qnx4_private_take(&r, msg, nbytes)))
        return (pid_t)qnx4_private_sender(&r);
    /* A copy, so that the others stay where they are. */
    const struct riposte_private_registers copy = r;
    return qnx4_private_received(&copy, msg, nbytes);
}

/** As Receive, of what is there already.
 *
 * @param pid The process or the proxy; 0 is any.
 * @param msg Where the message is stored, as far as there is room.
 * @param nbytes Bytes of room.
 * @return Which process waits for a reply now, or which proxy was triggered; -1.
 * @errno ENOMSG Nothing is there.
 * @errno ESRCH EFAULT EPERM As Receive.
 * @blocks Never.
 * @from One thread of the process. */
static inline pid_t Creceive(pid_t pid, void *msg, unsigned nbytes)
{
    struct _mxfer_entry one;
    return Creceivemx(pid, 1, qnx4_private_one(&one, msg, nbytes));
}

/** Replies to a process, which runs again then.
 *
 * @param pid The process, as Receive has returned it.
 * @param msg The reply. What the process has no room for is not copied.
 * @param nbytes Its bytes.
 * @return 0, or -1.
 * @errno ESRCH The process does not wait for a reply of this one, or has ended.
 * @errno EFAULT The reply is not in this process's memory; the process waits on.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int Reply(pid_t pid, const void *msg, unsigned nbytes)
{
    riposte_token_t token;
    riposte_error_t error;
    if (!RIPOSTE_PRIVATE_LIKELY((unsigned)pid < QNX4_PRIVATE_PLACES))
        return qnx4_private_fail(RIPOSTE_ERROR_NO_SUCH_CLIENT);
    token.tag = qnx4_private_served.clients[pid].tag;
    token.generation = qnx4_private_served.clients[pid].generation;
    /* Before it runs: it may send again at once, to another thread of this process. */
    qnx4_private_free(pid);
    error = riposte_reply(token, 0, msg, nbytes, NULL);
    if (RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK))
        return 0;
    const riposte_token_t copy = token;
    return qnx4_private_not_replied(pid, copy, error);
}

/** Hands a process that waits for a reply of this one on to another process, as if it had sent its message there: that one
 * replies to it. The other process receives from the number of this process, or of a virtual one, since it knows this one
 * alone.
 *
 * @param pid The process, as a receive has returned it.
 * @param to The process that is to reply.
 * @return 0, or -1: then it waits for a reply of this one as before.
 * @errno ESRCH The process does not wait for a reply of this one; or there is no process `to`, it has ended, or no name of it
 * was located.
 * @errno EPERM The manifest gives this process no grant "relay".
 * @errno EDEADLK The process `to` waits for the other one.
 * @blocks Never.
 * @from One thread of the process. */
int Relay(pid_t pid, pid_t to);

/** Reply, then Receive from any process, in one system call. QNX 4 has no such call: who ports a server joins its two
 * calls into this one.
 *
 * @param pid The process to reply to.
 * @param reply The reply.
 * @param nreply Its bytes.
 * @param msg Where the next message is stored, as far as there is room.
 * @param nbytes Bytes of room.
 * @return What Receive returns. A process that no longer waits for its reply is no error.
 * @errno As Receive; EFAULT also the reply, which the process waits on for: if it has that, a Reply to it is ESRCH.
 * @blocks Until there is a message.
 * @from One thread of the process. */
RIPOSTE_PRIVATE_INLINE pid_t ReplyReceive(pid_t pid, const void *reply, unsigned nreply, void *msg, unsigned nbytes)
{
    struct riposte_private_registers r;
    if (!RIPOSTE_PRIVATE_LIKELY((unsigned)pid < QNX4_PIDS))
        return qnx4_private_replied(pid, reply, nreply, msg, nbytes, NULL);
    /* The shortest way: the same process has sent again, and its place is its own still. */
    if (qnx4_private_reply_and_receive(&r, pid, reply, nreply, msg, nbytes)
        && RIPOSTE_PRIVATE_LIKELY(qnx4_private_sender(&r) == (uint32_t)pid) && qnx4_private_is_in_memory(&r)) {
        qnx4_private_keep(&qnx4_private_served.clients[pid], r.info, r.generation);
        return pid;
    }
    if (RIPOSTE_PRIVATE_LIKELY(!(r.info & RIPOSTE_INFO_ERROR))) {
        qnx4_private_free(pid);
        if (RIPOSTE_PRIVATE_LIKELY(qnx4_private_take(&r, msg, nbytes)))
            return (pid_t)qnx4_private_sender(&r);
    }
    const struct riposte_private_registers copy = r;
    return qnx4_private_replied(pid, reply, nreply, msg, nbytes, &copy);
}

/** Lets the next process of the same priority run.
 *
 * @return 0.
 * @blocks Until this thread's turn comes again.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int Yield(void)
{
    riposte_yield();
    return 0;
}

#ifdef __cplusplus
}
#endif

#endif
