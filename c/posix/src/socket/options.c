/* Options of sockets. */

#include "socket.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>

/* Where a time is kept; NULL if the option is none. */
static uint32_t *time_of(struct posix_socket *socket, int option)
{
    switch (option) {
    case SO_RCVTIMEO:
        return &socket->receives_for;
    case SO_SNDTIMEO:
        return &socket->sends_for;
    default:
        return NULL;
    }
}

static int set_time(uint32_t *milliseconds, const void *value, socklen_t length)
{
    struct timeval time;
    if (!value || length < sizeof time)
        return -EINVAL;
    memcpy(&time, value, sizeof time);
    if (time.tv_sec < 0 || time.tv_usec < 0 || time.tv_usec >= 1000000)
        return -EDOM;
    /* Any time that is not for ever is waited, and none is longer than can be told. */
    if (time.tv_sec >= (time_t)(UINT32_MAX / 1000))
        *milliseconds = UINT32_MAX;
    else
        *milliseconds = (uint32_t)time.tv_sec * 1000 + (uint32_t)(time.tv_usec + 999) / 1000;
    return 0;
}

/* Which clients and datagrams it takes is settled when it gets its port. */
static int set_ipv6(struct posix_socket *socket, int option, const void *value, socklen_t length)
{
    int is_on;
    if (socket->family != AF_INET6 || option != IPV6_V6ONLY)
        return -ENOPROTOOPT;
    if (!value || length < sizeof is_on || socket->state != SOCKET_NEW)
        return -EINVAL;
    memcpy(&is_on, value, sizeof is_on);
    socket->is_ipv6_only = is_on;
    return 0;
}

static int set(struct posix_socket *socket, int level, int option, const void *value, socklen_t length)
{
    uint32_t *const milliseconds = time_of(socket, option);
    int is_on;
    if (level == IPPROTO_IPV6)
        return set_ipv6(socket, option, value, length);
    if (level != SOL_SOCKET)
        return -ENOPROTOOPT;
    if (milliseconds)
        return set_time(milliseconds, value, length);
    if (option != SO_REUSEADDR && option != SO_KEEPALIVE && option != SO_BROADCAST)
        return -ENOPROTOOPT;
    if (!value || length < sizeof is_on)
        return -EINVAL;
    memcpy(&is_on, value, sizeof is_on);
    /* They cannot be switched off. */
    return is_on ? 0 : -ENOPROTOOPT;
}

int setsockopt(int descriptor, int level, int option, const void *value, socklen_t length)
{
    struct posix_description *open;
    struct posix_socket *socket;
    int error = posix_use_socket(descriptor, &open, &socket);
    if (!error) {
        error = set(socket, level, option, value, length);
        posix_done(open);
    }
    return (int)posix_result(error);
}

static int get(struct posix_description *open, struct posix_socket *socket, int level, int option, void *value,
               socklen_t *length)
{
    const bool is_ipv6 = level == IPPROTO_IPV6 && socket->family == AF_INET6 && option == IPV6_V6ONLY;
    const uint32_t *const milliseconds = is_ipv6 ? NULL : time_of(socket, option);
    struct timeval time;
    int word = 1;
    const void *from = &word;
    size_t bytes = sizeof word;
    if (level != SOL_SOCKET && !is_ipv6)
        return -ENOPROTOOPT;
    if (!value || !length)
        return -EINVAL;
    if (milliseconds) {
        time.tv_sec = (time_t)(*milliseconds / 1000);
        time.tv_usec = (suseconds_t)(*milliseconds % 1000 * 1000);
        from = &time;
        bytes = sizeof time;
    } else if (is_ipv6) {
        word = socket->is_ipv6_only;
    } else {
        switch (option) {
        case SO_REUSEADDR:
        case SO_KEEPALIVE:
        case SO_BROADCAST:
            break;
        case SO_TYPE:
            word = socket->type;
            break;
        case SO_ACCEPTCONN:
            word = socket->state == SOCKET_LISTENING;
            break;
        case SO_ERROR:
            word = posix_pending_error(open, socket);
            break;
        default:
            return -ENOPROTOOPT;
        }
    }
    if (*length > bytes)
        *length = (socklen_t)bytes;
    memcpy(value, from, *length);
    return 0;
}

int getsockopt(int descriptor, int level, int option, void *value, socklen_t *length)
{
    struct posix_description *open;
    struct posix_socket *socket;
    int error = posix_use_socket(descriptor, &open, &socket);
    if (!error) {
        error = get(open, socket, level, option, value, length);
        posix_done(open);
    }
    return (int)posix_result(error);
}
