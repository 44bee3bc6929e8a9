/* QNX 4's <sys/kernel.h> over Riposte: messages between processes. docs/src/personalities/qnx4.md says what is
 * supported, and what is not.
 *
 * Names and order of parameters are QNX 4's. A function that fails returns -1 and sets errno. A pid is the number of a
 * process or of a proxy: all are of one space, and the same everywhere. To send to a process, one must have located a
 * name of it (<sys/name.h>): the manifest says who may find which.
 *
 * What is on the way of a message is inline. A receive costs its process a table of QNX4_PIDS entries; a system with
 * more processes compiles its programs with a greater number (`flags` of program.toml). */

#ifndef QNX4_SYS_KERNEL_H
#define QNX4_SYS_KERNEL_H

#include <riposte.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Processes with a pid below this number can be sent to and received from; at most 256. */
#ifndef QNX4_PIDS
#define QNX4_PIDS 32
#endif

/** The process manager's pid. */
#define PROC_PID 1

/* The pid of the first process of the manifest. */
#define QNX4_PRIVATE_FIRST 2

/* The connection to each process, by pid: 0 is none. */
extern uint32_t qnx4_private_connections[QNX4_PIDS];
/* The message of each process that this one is to answer, by pid: the tag of one has the mark, which the kernel does
 * not look at. */
#define QNX4_PRIVATE_MARK 1
extern riposte_token_t qnx4_private_clients[QNX4_PIDS];
/* Where this process receives; 0 before the first time. */
extern riposte_channel_t qnx4_private_channel;

/* Sets errno; -1. */
int qnx4_private_fail(riposte_error_t error);
/* The same, of a send: by the error, or by the status that the server answered with. */
int qnx4_private_send_failed(riposte_error_t error, uint32_t status);
/* A receive in all its forms; see Receive. */
pid_t qnx4_private_receive(pid_t pid, void *msg, unsigned nbytes, riposte_deadline_t deadline);
/* What a receive brought that is no message of a process as usual; goes on waiting if it is nothing for a program. */
pid_t qnx4_private_received(riposte_error_t error, const riposte_message_t *message, void *msg, unsigned nbytes);

/* Takes what a receive brought, if it is a message of a process; else 0. */
RIPOSTE_PRIVATE_INLINE pid_t qnx4_private_take(const riposte_message_t *message, void *msg, unsigned nbytes)
{
    const uint32_t pid = message->badge - RIPOSTE_PROCESS_BADGES + QNX4_PRIVATE_FIRST;
    if (message->notice || message->memory || pid >= QNX4_PIDS || qnx4_private_clients[pid].tag)
        return 0;
    qnx4_private_clients[pid].tag = message->token.tag | QNX4_PRIVATE_MARK;
    qnx4_private_clients[pid].generation = message->token.generation;
    if (!message->buffer)
        memcpy(msg, message->words, message->length < nbytes ? message->length : nbytes);
    return (pid_t)pid;
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
 * @blocks Until the process replies.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int Send(pid_t pid, const void *smsg, void *rmsg, unsigned snbytes, unsigned rnbytes)
{
    riposte_connection_t connection;
    riposte_reply_t reply;
    riposte_error_t error;
    if (!RIPOSTE_PRIVATE_LIKELY((unsigned)pid < QNX4_PIDS))
        return qnx4_private_fail(RIPOSTE_ERROR_NO_SUCH_CLIENT);
    connection.handle = qnx4_private_connections[pid];
    error = riposte_send(connection, smsg, snbytes, rmsg, rnbytes, &reply);
    if (RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK && reply.status == 0))
        return 0;
    return qnx4_private_send_failed(error, error == RIPOSTE_OK ? reply.status : 0);
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
    riposte_message_t message;
    riposte_error_t error;
    if (!(__builtin_constant_p(pid) && pid == 0) || !RIPOSTE_PRIVATE_LIKELY(qnx4_private_channel.handle != 0))
        return qnx4_private_receive(pid, msg, nbytes, RIPOSTE_FOREVER);
    error = riposte_receive(qnx4_private_channel, msg, nbytes, &message);
    if (RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK)) {
        const pid_t from = qnx4_private_take(&message, msg, nbytes);
        if (RIPOSTE_PRIVATE_LIKELY(from != 0))
            return from;
    }
    return qnx4_private_received(error, &message, msg, nbytes);
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
    return qnx4_private_receive(pid, msg, nbytes, RIPOSTE_IMMEDIATE);
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
    if (!RIPOSTE_PRIVATE_LIKELY((unsigned)pid < QNX4_PIDS))
        return qnx4_private_fail(RIPOSTE_ERROR_NO_SUCH_CLIENT);
    token = qnx4_private_clients[pid];
    if (!RIPOSTE_PRIVATE_LIKELY(token.tag))
        return qnx4_private_fail(RIPOSTE_ERROR_NO_SUCH_CLIENT);
    error = riposte_reply(token, 0, msg, nbytes, NULL);
    if (error == RIPOSTE_ERROR_BAD_ADDRESS)
        return qnx4_private_fail(error);
    qnx4_private_clients[pid].tag = 0;
    if (RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK))
        return 0;
    return qnx4_private_fail(error);
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
