/* What a function reads or writes of a stream comes from, or goes to, one thread: each has the stream to itself, as the standard
 * says. In programs with several threads the linker puts these in the place of the C library's (--wrap). */

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

int __real_vfprintf(FILE *stream, const char *format, va_list arguments);
int __wrap_vfprintf(FILE *stream, const char *format, va_list arguments);
int __real_vfscanf(FILE *stream, const char *format, va_list arguments);
int __wrap_vfscanf(FILE *stream, const char *format, va_list arguments);
int __real_fputs(const char *text, FILE *stream);
int __wrap_fputs(const char *text, FILE *stream);
int __real_puts(const char *text);
int __wrap_puts(const char *text);
size_t __real_fwrite(const void *bytes, size_t size, size_t count, FILE *stream);
size_t __wrap_fwrite(const void *bytes, size_t size, size_t count, FILE *stream);
size_t __real_fread(void *bytes, size_t size, size_t count, FILE *stream);
size_t __wrap_fread(void *bytes, size_t size, size_t count, FILE *stream);
char *__real_fgets(char *text, int size, FILE *stream);
char *__wrap_fgets(char *text, int size, FILE *stream);

#define WHOLE(stream, type, call)    \
    do {                             \
        type result;                 \
        FILE *const locked = stream; \
        flockfile(locked);           \
        result = call;               \
        funlockfile(locked);         \
        return result;               \
    } while (0)

/* Those of printf and its like go by it, too. */
int __wrap_vfprintf(FILE *stream, const char *format, va_list arguments)
{
    WHOLE(stream, int, __real_vfprintf(stream, format, arguments));
}

int __wrap_vfscanf(FILE *stream, const char *format, va_list arguments)
{
    WHOLE(stream, int, __real_vfscanf(stream, format, arguments));
}

int __wrap_fputs(const char *text, FILE *stream)
{
    WHOLE(stream, int, __real_fputs(text, stream));
}

int __wrap_puts(const char *text)
{
    WHOLE(stdout, int, __real_puts(text));
}

size_t __wrap_fwrite(const void *bytes, size_t size, size_t count, FILE *stream)
{
    WHOLE(stream, size_t, __real_fwrite(bytes, size, count, stream));
}

size_t __wrap_fread(void *bytes, size_t size, size_t count, FILE *stream)
{
    WHOLE(stream, size_t, __real_fread(bytes, size, count, stream));
}

char *__wrap_fgets(char *text, int size, FILE *stream)
{
    WHOLE(stream, char *, __real_fgets(text, size, stream));
}
