/* The other side of the judge's sockets: says back what comes at port 7 and what is sent to it, and at port 8 does what a
 * letter asks for. All of it in one thread, with poll. */

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Connections at once. */
#define MOST 3

static int at_port(int type, uint16_t port)
{
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_ANY)}};
    const int made = socket(AF_INET, type, 0);
    if (made < 0 || bind(made, (const struct sockaddr *)&any, sizeof any) || (type == SOCK_STREAM && listen(made, 2)))
        abort();
    return made;
}

/* Connects to a port of whoever asks for it, and says `hello`. */
static void call(int asking, uint16_t port)
{
    struct sockaddr_in there;
    socklen_t length = sizeof there;
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    if (getpeername(asking, (struct sockaddr *)&there, &length))
        abort();
    there.sin_port = htons(port);
    if (connect(made, (const struct sockaddr *)&there, length) || send(made, "hello", 5, MSG_NOSIGNAL) != 5)
        abort();
    close(made);
}

/* What a letter asks for: to be called at port 90; or to be left with something unread. */
static void obey(int stream)
{
    char letter;
    if (recv(stream, &letter, 1, 0) == 1) {
        if (letter == 'c')
            call(stream, 90);
        if (letter == 'r') {
            /* More has come than is read. */
            struct pollfd more = {stream, POLLIN, 0};
            poll(&more, 1, -1);
        }
    }
    close(stream);
}

static void say_back(struct pollfd *stream)
{
    char bytes[512];
    const ssize_t length = read(stream->fd, bytes, sizeof bytes);
    if (length > 0 && write(stream->fd, bytes, (size_t)length) == length)
        return;
    close(stream->fd);
    stream->fd = -1;
}

int main(void)
{
    struct pollfd all[3 + MOST] = {{at_port(SOCK_STREAM, 7), POLLIN, 0},
                                   {at_port(SOCK_STREAM, 8), POLLIN, 0},
                                   {at_port(SOCK_DGRAM, 7), POLLIN, 0}};
    for (int n = 3; n < 3 + MOST; n++)
        all[n] = (struct pollfd){-1, POLLIN, 0};
    for (;;) {
        char bytes[1472];
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        if (poll(all, 3 + MOST, -1) < 1)
            abort();
        if (all[0].revents) {
            const int stream = accept(all[0].fd, NULL, NULL);
            for (int n = 3; n < 3 + MOST; n++)
                if (all[n].fd < 0) {
                    all[n].fd = stream;
                    all[n].revents = 0;
                    break;
                }
        }
        if (all[1].revents)
            obey(accept(all[1].fd, NULL, NULL));
        if (all[2].revents) {
            const ssize_t count = recvfrom(all[2].fd, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &length);
            if (count >= 0)
                sendto(all[2].fd, bytes, (size_t)count, 0, (const struct sockaddr *)&from, length);
        }
        for (int n = 3; n < 3 + MOST; n++)
            if (all[n].fd >= 0 && all[n].revents)
                say_back(&all[n]);
    }
}
