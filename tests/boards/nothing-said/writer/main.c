/* Writes in C to servers that take none of it, and say that all is well. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static void verdict(const char *name, bool good)
{
    printf("%s %s\n", good ? "@pass" : "@fail", name);
}

static bool is_refused(int descriptor)
{
    return descriptor >= 0 && write(descriptor, "bytes", 5) == -1 && errno == EIO;
}

int main(void)
{
    const struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(7), .sin_addr.s_addr = htonl(0x7F000001)};
    const int stream = socket(AF_INET, SOCK_STREAM, 0);
    FILE *const file = fopen("/ram/file", "w");
    verdict("write EIO: who writes in C to a file of which nothing is taken is told so", is_refused(open("/ram/file", O_WRONLY)));
    verdict("and who flushes it", file && fputs("bytes", file) >= 0 && fflush(file) == EOF && errno == EIO);
    verdict("nor of a pipe", is_refused(open("/pipe/pipe", O_WRONLY)));
    verdict("nor of a stream", connect(stream, (const struct sockaddr *)&to, sizeof to) == 0 && is_refused(stream));
    return 0;
}
