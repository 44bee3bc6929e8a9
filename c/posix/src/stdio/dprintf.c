/* dprintf and vdprintf: what is formatted goes to a descriptor, some bytes at a time. */

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* Bytes that are written at once. */
#define ROOM 128

/* A stream that the C library formats to. */
struct writer {
    FILE stream;
    int descriptor;
    size_t length;
    char text[ROOM];
};

static int send_off(struct writer *writer)
{
    size_t sent = 0;
    while (sent < writer->length) {
        const ssize_t count = write(writer->descriptor, writer->text + sent, writer->length - sent);
        if (count < 0)
            return -1;
        sent += (size_t)count;
    }
    writer->length = 0;
    return 0;
}

static int put(char letter, FILE *stream)
{
    struct writer *const writer = (struct writer *)(void *)stream;
    /* A letter of UTF-8 begins where all of it has room: the console would show neither half of one that is cut. */
    const size_t most = (letter & 0xC0) == 0x80 ? ROOM : ROOM - 3;
    if (writer->length >= most && send_off(writer) < 0)
        return _FDEV_ERR;
    writer->text[writer->length++] = letter;
    return (unsigned char)letter;
}

int vdprintf(int descriptor, const char *format, va_list arguments)
{
    struct writer writer = {FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE), descriptor, 0, {0}};
    const int length = vfprintf(&writer.stream, format, arguments);
    return length >= 0 && send_off(&writer) == 0 ? length : -1;
}

int dprintf(int descriptor, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = vdprintf(descriptor, format, arguments);
    va_end(arguments);
    return length;
}
