/* What a call of QNX's returns when it fails. */

#include <errno.h>

#include "qnx4.h"

int qnx4_fail(int number)
{
    errno = number;
    return -1;
}

static int number_of(riposte_error_t error)
{
    switch (error) {
    case RIPOSTE_ERROR_NO_SUCH_CLIENT:
    case RIPOSTE_ERROR_PEER_DIED:
    case RIPOSTE_ERROR_SERVER_DIED:
    case RIPOSTE_ERROR_BAD_HANDLE:
        return ESRCH;
    case RIPOSTE_ERROR_BAD_ADDRESS:
        return EFAULT;
    case RIPOSTE_ERROR_DEADLOCK:
        return EDEADLK;
    case RIPOSTE_ERROR_INTERRUPTED:
        return EINTR;
    case RIPOSTE_ERROR_WOULD_BLOCK:
        return ENOMSG;
    case RIPOSTE_ERROR_NOT_PERMITTED:
        return EPERM;
    case RIPOSTE_ERROR_EXHAUSTED:
        return EAGAIN;
    case RIPOSTE_ERROR_NO_HANDLES:
        return ENOMEM;
    default:
        return EINVAL;
    }
}

int qnx4_private_fail(riposte_error_t error)
{
    return qnx4_fail(number_of(error));
}

/* What the manager of the network says in place of a server (servers/node/client/src/protocol.rs), from 1. */
#define NODE UINT32_C(0xFFFFFF00)

static int number_of_status(uint32_t status)
{
    static const int numbers[] = {EHOSTUNREACH, ESRCH, ETIMEDOUT, ESRCH,  EMSGSIZE, EHOSTUNREACH, EIO,
                                  EAGAIN,       EIO,   ENOMEM,    EAGAIN, EINVAL,   EINTR};
    const uint32_t at = status - NODE - 1;
    switch (status) {
    /* What a server's personality says: of a signal, of too many, of a proxy that is gone. */
    case EINTR:
    case EAGAIN:
    case ESRCH:
        return (int)status;
    default:
        break;
    }
    return at < sizeof numbers / sizeof numbers[0] ? numbers[at] : EIO;
}

int qnx4_private_send_failed(riposte_error_t error, uint32_t status)
{
    return qnx4_fail(status ? number_of_status(status) : number_of(error));
}
