/* poll and select. Who waits, waits in one server, of pipes, of the network, or of the console: with several of them in
 * question, or more than it takes at once, it looks at the others now and then. */

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/select.h>

#include "../posix.h"
#include "poll.h"
#include "table.h"

/* How often the others are looked at, in nanoseconds. */
#define NOW_AND_THEN UINT64_C(20000000)

/* What is waited for: in the first server that there is something of, as much as it takes; and whether there is more. */
struct wait {
    const struct posix_operations *operations;
    riposte_connection_t server;
    struct posix_watched all[MOST_WATCHED];
    size_t count;
    bool console;
    bool more;
    /* A signal was handled while somebody was asked. */
    bool is_interrupted;
};

/* Takes note of something that is not ready. */
static void note(struct wait *wait, const struct posix_description *open, short events)
{
    if (!wait->count) {
        wait->operations = open->operations;
        wait->server = open->server;
    }
    if (wait->operations == open->operations && wait->server.handle == open->server.handle
        && wait->count < MOST_WATCHED)
        wait->all[wait->count++] = (struct posix_watched){open->number, (uint32_t)events};
    else
        wait->more = true;
}

/* What there is at a descriptor; and where to wait, if that is nothing. */
static int look(struct pollfd *descriptor, struct wait *wait)
{
    struct posix_description *open;
    int found = POLLIN | POLLOUT, may_come = POLLIN | POLLRDNORM | POLLOUT;
    descriptor->revents = 0;
    if (descriptor->fd < 0)
        return 0;
    if (posix_use(descriptor->fd, &open)) {
        descriptor->revents = POLLNVAL;
        return 1;
    }
    if (open->operations->ready)
        found = open->operations->ready(open);
    /* What is asked next begins a wait of its own, and forgets it. */
    wait->is_interrupted |= posix_was_handled && posix_was_handled();
    /* What cannot be read or written is neither; but a file does not wait to say so. */
    if (open->operations->ready && (open->flags & O_ACCMODE) == O_RDONLY)
        may_come &= ~POLLOUT;
    if (open->operations->ready && (open->flags & O_ACCMODE) == O_WRONLY)
        may_come &= ~(POLLIN | POLLRDNORM);
    found &= may_come | POLLERR | POLLHUP | POLLNVAL;
    if (found & POLLIN)
        found |= POLLRDNORM;
    descriptor->revents = (short)(found & (descriptor->events | POLLERR | POLLHUP | POLLNVAL));
    /* An end or an error alone is looked for now and then. */
    if (open->operations->watch && descriptor->events & may_come)
        note(wait, open, descriptor->events);
    else if (open->operations->watch)
        wait->more = true;
    wait->console |= open->operations == &posix_console && descriptor->events & (POLLIN | POLLRDNORM);
    posix_done(open);
    return descriptor->revents != 0;
}

/* Lets time pass: nobody tells of what may come. */
static int sleep_until(riposte_deadline_t until)
{
    riposte_error_t slept;
    begin_wait();
    do
        slept = riposte_sleep_until(until);
    while (slept != RIPOSTE_OK && AGAIN(false));
    return slept == RIPOSTE_OK ? -EAGAIN : -posix_error_of(slept);
}

/* Waits until something may have changed. */
static int wait_for(const struct wait *wait, riposte_deadline_t deadline)
{
    const riposte_deadline_t soon = riposte_clock() + NOW_AND_THEN;
    const bool looks_soon = (wait->more || (wait->count && wait->console)) && soon < deadline;
    const riposte_deadline_t until = looks_soon ? soon : deadline;
    int error;
    if (wait->count)
        error = wait->operations->watch(wait->server, wait->all, wait->count, until);
    else if (wait->console)
        error = posix_console_wait(until);
    else
        error = sleep_until(until);
    /* Its server has ended: a look tells of what. */
    if (error == -EIO)
        error = -EAGAIN;
    /* Or it has no place for one more that waits: it is asked now and then. */
    if (error == -EAGAIN && riposte_clock() < until) {
        error = sleep_until(soon < until ? soon : until);
        return error == -EAGAIN ? 0 : error;
    }
    return error == -EAGAIN && looks_soon ? 0 : error;
}

static int poll_until(struct pollfd *descriptors, nfds_t count, riposte_deadline_t deadline, const uint32_t *handled)
{
    begin_wait();
    for (;;) {
        struct wait wait = {0};
        bool is_over;
        int found = 0, error;
        for (nfds_t n = 0; n < count; n++)
            found += look(&descriptors[n], &wait);
        if (found)
            return found;
        if (handled && posix_signals_handled() != *handled)
            return -EINTR;
        if (deadline == RIPOSTE_IMMEDIATE)
            return 0;
        if (wait.is_interrupted)
            return -EINTR;
        /* One that comes from here on, and before it waits, ends no wait. */
        wait.more |= handled != NULL;
        error = wait_for(&wait, deadline);
        is_over = riposte_clock() >= deadline;
        if (error && error != -EBADF && !(error == -EAGAIN && is_over))
            return error;
        /* Once more: what has come at the deadline has come. */
        if (is_over)
            deadline = RIPOSTE_IMMEDIATE;
    }
}

/* The deadline that is so many nanoseconds away. */
static riposte_deadline_t deadline_in(uint64_t nanoseconds)
{
    const uint64_t now = riposte_clock();
    if (!nanoseconds)
        return RIPOSTE_IMMEDIATE;
    return nanoseconds < RIPOSTE_FOREVER - now ? now + nanoseconds : RIPOSTE_FOREVER;
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout)
{
    if (count > posix_descriptor_count)
        return (int)posix_result(-EINVAL);
    return (int)posix_result(
        poll_until(descriptors, count, timeout < 0 ? RIPOSTE_FOREVER : deadline_in((uint64_t)timeout * 1000000), NULL));
}

/* As many as a set of select has, or as there can be. */
int posix_select_until(int count, fd_set *reads, fd_set *writes, fd_set *fails, riposte_deadline_t deadline,
                       const uint32_t *handled)
{
    struct pollfd descriptors[FD_SETSIZE];
    nfds_t asked = 0;
    fd_set files;
    int found, always = 0;
    FD_ZERO(&files);
    if (count < 0 || count > FD_SETSIZE)
        return -EINVAL;
    for (int fd = 0; fd < count; fd++) {
        const short events = (short)((reads && FD_ISSET(fd, reads) ? POLLIN : 0)
                                     | (writes && FD_ISSET(fd, writes) ? POLLOUT : 0));
        if (events)
            descriptors[asked++] = (struct pollfd){fd, events, 0};
        /* Files alone have exceptional conditions, and always. */
        if (fails && FD_ISSET(fd, fails)) {
            struct posix_description *open;
            if (posix_use(fd, &open))
                return -EBADF;
            if (open->operations == &posix_file) {
                FD_SET(fd, &files);
                always++;
            }
            posix_done(open);
        }
    }
    found = always ? poll_until(descriptors, asked, RIPOSTE_IMMEDIATE, NULL) : poll_until(descriptors, asked, deadline, handled);
    if (found < 0)
        return found;
    for (nfds_t n = 0; n < asked; n++)
        if (descriptors[n].revents & POLLNVAL)
            return -EBADF;
    found = always;
    if (reads)
        FD_ZERO(reads);
    if (writes)
        FD_ZERO(writes);
    if (fails)
        *fails = files;
    for (nfds_t n = 0; n < asked; n++) {
        const struct pollfd *const it = &descriptors[n];
        /* An error and the end are what a read or a write would be told without waiting. */
        if (it->events & POLLIN && it->revents & (POLLIN | POLLERR | POLLHUP)) {
            FD_SET(it->fd, reads);
            found++;
        }
        if (it->events & POLLOUT && it->revents & (POLLOUT | POLLERR | POLLHUP)) {
            FD_SET(it->fd, writes);
            found++;
        }
    }
    return found;
}

int select(int count, fd_set *reads, fd_set *writes, fd_set *fails, struct timeval *timeout)
{
    riposte_deadline_t deadline = RIPOSTE_FOREVER;
    if (timeout) {
        if (timeout->tv_sec < 0 || timeout->tv_usec < 0 || timeout->tv_usec >= 1000000)
            return (int)posix_result(-EINVAL);
        deadline = timeout->tv_sec > INT_MAX
                       ? RIPOSTE_FOREVER
                       : deadline_in((uint64_t)timeout->tv_sec * 1000000000 + (uint64_t)timeout->tv_usec * 1000);
    }
    return (int)posix_result(posix_select_until(count, reads, writes, fails, deadline, NULL));
}
