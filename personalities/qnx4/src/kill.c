/* kill() of a virtual process: a message by the circuit for signals to the process of another node that has the name by which it
 * was located. servers/node/client/src/protocol.rs says what that is called, and what is asked and answered. */

#include <errno.h>

#include "qnx4.h"

#define KILL "/kill"
#define NOT_EXPORTED UINT32_C(0xFFFFFF04)
#define NO_SIGNAL UINT32_C(0xFFFFFF0C)

/* POSIX's kill() asks here first (c/posix/src/signal/send.c). */
int posix_signal_elsewhere(pid_t process, int number, uint32_t word);

/* Opens the circuit that is called //node/kill/name where the other one is called //node/name. */
static int open_circuit(const char *path, riposte_connection_t *circuit)
{
    char name[QNX4_LONGEST_NAME + sizeof KILL];
    const size_t node = 2 + strcspn(path + 2, "/");
    memcpy(name, path, node);
    strcpy(name + node, KILL);
    strcat(name + node, path + node);
    return qnx4_find(name, circuit) == -1 ? -1 : 0;
}

static int send(const char *path, uint32_t number, uint32_t word)
{
    const uint32_t words[] = {number, word};
    riposte_connection_t circuit;
    riposte_reply_t reply;
    riposte_error_t error;
    if (open_circuit(path, &circuit) < 0)
        return errno == EACCES ? EPERM : errno;
    error = riposte_send_words(circuit, words, 2, &reply);
    riposte_close(circuit);
    if (error != RIPOSTE_OK)
        reply.status = 0;
    else if (reply.status == 0 || (number == 0 && reply.status == NO_SIGNAL))
        return 0;
    else if (reply.status == NOT_EXPORTED)
        return EPERM;
    qnx4_private_send_failed(error, reply.status);
    return errno;
}

int posix_signal_elsewhere(pid_t process, int number, uint32_t word)
{
    const char *path;
    if (process < QNX4_PIDS || process >= QNX4_PRIVATE_PLACES)
        return -1;
    path = qnx4_path(process);
    return path ? send(path, (uint32_t)number, word) : ESRCH;
}
