/* The process manager is asked. */

#include "manager.h"

#include <errno.h>

#include "../descriptor/table.h"
#include "../posix.h"

/* What its statuses are, in their order. */
static const uint8_t errors[] = {
    0, ENOENT, EPERM, EAGAIN, EAGAIN, ECHILD, ESRCH, EAGAIN, EAGAIN, EAGAIN, ESRCH, ESRCH, EINVAL,
};

/* Behind these: a signal is to be handled first. */
#define INTERRUPTED 13

/* Whether the manager may let a request wait. A signal does not end one that it answers at once: who spawns or kills is told
 * nothing of signals. */
static bool may_wait(uint32_t word)
{
    return word == MANAGER_WAIT;
}

ssize_t posix_ask_manager(uint32_t word, uint32_t second, const void *bytes, size_t length, void *answer, size_t room)
{
    uint32_t head[RIPOSTE_MESSAGE_BYTES / 4] = {word, second};
    const bool waits = may_wait(word);
    riposte_reply_t reply;
    riposte_connection_t manager;
    riposte_error_t error = riposte_connect("process", &manager);
    if (error == RIPOSTE_ERROR_NOT_PERMITTED)
        return -ENOSYS;
    if (error != RIPOSTE_OK)
        return -posix_error_of(error);
    begin_wait();
    do {
        const uint64_t masked = waits ? 0 : posix_hold_signals();
        error = posix_send_behind(manager, head, 8, bytes, length, answer, room, RIPOSTE_FOREVER, &reply);
        if (!waits)
            posix_release_signals(masked);
        if (error == RIPOSTE_OK && reply.status == INTERRUPTED)
            error = RIPOSTE_ERROR_INTERRUPTED;
    } while (error == RIPOSTE_ERROR_INTERRUPTED && AGAIN(true));
    if (error != RIPOSTE_OK)
        return -posix_error_of(error);
    if (reply.status)
        return reply.status < sizeof errors ? -(ssize_t)errors[reply.status] : -EIO;
    return (ssize_t)reply.length;
}
