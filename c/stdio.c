/* picolibc's console and end: what a program prints goes to the console server, and what it reads comes from there,
 * a line at a time. Each stream has a mutex, for which the next thread waits while text is sent or a line is read. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include <riposte.h>

/* Longest text that reaches the console server as one message, in bytes. */
#define LINE 256

/* What was printed to a descriptor, and not sent yet. */
static struct {
    riposte_mutex_t mutex;
    char text[LINE];
    size_t length;
    int descriptor;
} output;
static riposte_connection_t console;

/* Where descriptors are linked, the streams are theirs. */
__attribute__((weak)) bool posix_write_all(int descriptor, const char *text, size_t length);
__attribute__((weak)) ssize_t posix_read_line(char *text, size_t room);

/* Of c/posix/src/stdio, in programs that lock streams: takes a standard stream, which its thread may have already. */
__attribute__((weak)) bool posix_enter_stream(FILE *stream, riposte_deadline_t deadline);
__attribute__((weak)) void posix_leave_stream(FILE *stream);

/* Takes a mutex. What a thread that died with it left is in order at any moment. */
static bool take(riposte_mutex_t *mutex, riposte_deadline_t deadline)
{
    if (riposte_mutex_lock_until(mutex, deadline) != RIPOSTE_OK)
        return false;
    if (riposte_mutex_owner_died(mutex))
        riposte_mutex_repaired(mutex);
    return true;
}

/* Takes a stream, and then what is kept for it. */
static bool enter(FILE *stream, riposte_mutex_t *mutex, riposte_deadline_t deadline)
{
    if (posix_enter_stream && !posix_enter_stream(stream, deadline))
        return false;
    if (take(mutex, deadline))
        return true;
    if (posix_leave_stream)
        posix_leave_stream(stream);
    return false;
}

static void leave(FILE *stream, riposte_mutex_t *mutex)
{
    riposte_mutex_unlock(mutex);
    if (posix_leave_stream)
        posix_leave_stream(stream);
}

/* Sends text, and once more if a signal was handled meanwhile: nobody knows how much of it is printed then. */
static riposte_error_t print(const char *text, size_t length)
{
    riposte_error_t error = riposte_send(console, text, length, NULL, 0, NULL);
    if (error == RIPOSTE_ERROR_INTERRUPTED)
        error = riposte_send(console, text, length, NULL, 0, NULL);
    return error;
}

/* Sends text; a console server that was restarted is found again. Text that nobody can print is lost;
 * the program goes on. */
static void send_text(const char *text, size_t length)
{
    riposte_error_t error = RIPOSTE_ERROR_BAD_HANDLE;
    if (console.handle)
        error = print(text, length);
    if ((error == RIPOSTE_ERROR_BAD_HANDLE || error == RIPOSTE_ERROR_SERVER_DIED)
        && riposte_connect("console", &console) == RIPOSTE_OK)
        print(text, length);
}

static FILE printed, complained;

/* Sends what was printed. If a descriptor does not take it, that is the stream's fault that has printed it, which the library does
 * not note itself. Whether `stream` has no such fault now. The caller has the mutex. */
static bool send_output(const FILE *stream)
{
    FILE *const owner = output.descriptor == STDERR_FILENO ? &complained : &printed;
    const size_t length = output.length;
    output.length = 0;
    if (length && posix_write_all && !posix_write_all(output.descriptor, output.text, length)) {
        owner->flags |= __SERR;
        return owner != stream;
    }
    if (length && !posix_write_all)
        send_text(output.text, length);
    return true;
}

static int flush(FILE *stream, riposte_deadline_t deadline)
{
    bool is_sent;
    if (!enter(stream, &output.mutex, deadline))
        return _FDEV_ERR;
    is_sent = send_output(stream);
    leave(stream, &output.mutex);
    return is_sent ? 0 : _FDEV_ERR;
}

static int flush_whenever(FILE *stream)
{
    return flush(stream, RIPOSTE_FOREVER);
}

/* How long what is printed waits to be sent for who has the stream, where the caller must not wait for that one for ever, in
 * nanoseconds. A descriptor may never take what that one has, the console does in the end. */
#define PATIENCE 100000000
#define PATIENCE_AT_END (posix_write_all ? PATIENCE : UINT64_C(10000000000))

static int flush_within(uint64_t time)
{
    return flush(&printed, riposte_clock() + time);
}

/* Bytes of the letter of UTF-8 that begins with this one; of any other byte 1. */
static size_t bytes_of(unsigned char first)
{
    return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

static int put_to(FILE *stream, int descriptor, char letter)
{
    bool is_sent = true;
    if (!enter(stream, &output.mutex, RIPOSTE_FOREVER))
        return _FDEV_ERR;
    if (output.descriptor != descriptor) {
        send_output(stream);
        output.descriptor = descriptor;
    }
    /* No letter lies across two pieces: the console would show neither half. */
    if (output.length + bytes_of((unsigned char)letter) > LINE)
        is_sent = send_output(stream);
    output.text[output.length++] = letter;
    if (letter == '\n' || output.length >= LINE)
        is_sent = send_output(stream) && is_sent;
    leave(stream, &output.mutex);
    return is_sent ? (unsigned char)letter : _FDEV_ERR;
}

static int put(char letter, FILE *stream)
{
    return put_to(stream, STDOUT_FILENO, letter);
}

static int put_error(char letter, FILE *stream)
{
    return put_to(stream, STDERR_FILENO, letter);
}

/* Streams of their own, so that a program has nothing of those that it does not use. */
static FILE printed = FDEV_SETUP_STREAM(put, NULL, flush_whenever, _FDEV_SETUP_WRITE);
static FILE complained = FDEV_SETUP_STREAM(put_error, NULL, flush_whenever, _FDEV_SETUP_WRITE);

FILE *const stdout = &printed;
FILE *const stderr = &complained;

/* The line that is being read, and a zero behind it. */
static struct {
    riposte_mutex_t mutex;
    char text[LINE + 1];
    size_t length;
    size_t taken;
} input;

/* The next letter of the line, or of another one. The caller has the mutex. */
static int next_letter(void)
{
    if (input.taken >= input.length) {
        /* Whoever is to answer sees the question. Who has that stream may wait for this one. */
        flush_within(PATIENCE);
        input.taken = 0;
        input.length = 0;
        if (posix_read_line) {
            const ssize_t length = posix_read_line(input.text, LINE);
            if (length < 0)
                return _FDEV_ERR;
            input.length = (size_t)length;
        } else if (riposte_console_read_line(input.text, sizeof input.text, &input.length) != RIPOSTE_OK)
            return _FDEV_ERR;
        if (!input.length)
            return _FDEV_EOF;
    }
    return (unsigned char)input.text[input.taken++];
}

static int get(FILE *stream)
{
    int letter;
    if (!enter(stream, &input.mutex, RIPOSTE_FOREVER))
        return _FDEV_ERR;
    letter = next_letter();
    leave(stream, &input.mutex);
    return letter;
}

static FILE typed = FDEV_SETUP_STREAM(NULL, get, NULL, _FDEV_SETUP_READ);

FILE *const stdin = &typed;

/* Of c/posix/src/stdio: what was read ahead of one descriptor is nothing of the next one. */
void riposte_private_forget_input(void);

void riposte_private_forget_input(void)
{
    if (!take(&input.mutex, RIPOSTE_FOREVER))
        return;
    input.taken = input.length = 0;
    riposte_mutex_unlock(&input.mutex);
}

/* Of c/posix/src/stdio, in programs that open streams: sends what was written to them. Whether it waits for other threads
 * that are in them. */
__attribute__((weak)) int posix_send_streams(bool waits);

static int flush_all(bool waits)
{
    int result = waits ? flush_whenever(&printed) : flush_within(PATIENCE_AT_END);
    if (posix_send_streams && posix_send_streams(waits) < 0)
        result = EOF;
    return result;
}

/* In place of the C library's own, which takes no null pointer: that stands for all streams. */
int fflush(FILE *stream)
{
    if (stream)
        return stream->flush ? stream->flush(stream) : 0;
    return flush_all(true);
}

/* In programs with descriptors: close, and no cancellation point. */
__attribute__((weak)) int posix_close(int descriptor);

static int close_descriptor(const FILE *stream)
{
    if (!posix_write_all || !posix_close)
        return 0;
    if (stream == &printed)
        return posix_close(STDOUT_FILENO);
    if (stream == &complained)
        return posix_close(STDERR_FILENO);
    return stream == &typed ? posix_close(STDIN_FILENO) : 0;
}

/* In place of the C library's own, which says success of a standard stream and does nothing: it is sent, and its descriptor
 * closed. */
int fclose(FILE *stream)
{
    int result, error;
    if (stream->flags & __SCLOSE)
        return ((struct __file_close *)(void *)stream)->close(stream);
    if (stream == &typed)
        riposte_private_forget_input();
    result = fflush(stream);
    error = errno;
    if (close_descriptor(stream) < 0 && result == 0)
        result = EOF;
    else if (result < 0)
        errno = error;
    return result;
}

/* At once: nothing is sent, which could wait for whoever does not read. */
void _exit(int status)
{
    riposte_exit((uint32_t)status);
}

/* The C library's, and is here for what was printed. */
__attribute__((weak)) void __call_exitprocs(int status, void *unused);
void __libc_fini_array(void);

void exit(int status)
{
    if (__call_exitprocs)
        __call_exitprocs(status, NULL);
    __libc_fini_array();
    /* Another thread may wait in a stream for ever: that does not keep the process. */
    flush_all(false);
    _exit(status);
}

/* Sends what was printed before the process stops, if that goes to the console, which takes it. A descriptor may keep it
 * waiting for ever. */
static void flush_to_console(void)
{
    if (!posix_write_all)
        flush_within(PATIENCE_AT_END);
}

/* What a failed assert() calls. */
_Noreturn void __assert_func(const char *file, int line, const char *function, const char *expression)
{
    char text[RIPOSTE_FAULT_TEXT_BYTES + 1];
    (void)function;
    snprintf(text, sizeof text, "%s:%d: assertion failed: %s", file, line, expression);
    flush_to_console();
    riposte_panic(text);
}

/* In programs with handlers of signals: calls that of SIGABRT, once, if there is one. */
__attribute__((weak)) void posix_abort(void);

_Noreturn void abort(void)
{
    if (posix_abort)
        posix_abort();
    flush_to_console();
    riposte_panic("abort");
}
