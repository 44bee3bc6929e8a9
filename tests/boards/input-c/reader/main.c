/* Has the host type, and reads it in every way that C has. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <riposte.h>

#define LINE 256
#define SOON UINT64_C(1000000)

static bool broken;

static void holds(const char *name, bool it_holds)
{
    if (!it_holds)
        broken = true;
    printf(it_holds ? "@pass %s\n" : "@fail %s: it does not hold\n", name);
}

/* The text stands for itself, but for \n, \r and \xNN. */
static void type_in(const char *text)
{
    printf("@type %s\n", text);
}

static void standard_input(void)
{
    char line[LINE];
    char word[8];
    int number = 0;
    int first, second;

    type_in("a whole line\\n");
    holds("fgets reads a line with its end",
          fgets(line, sizeof line, stdin) == line && !strcmp(line, "a whole line\n"));
    type_in("xyz\\n");
    first = getchar();
    ungetc(first, stdin);
    second = getchar();
    holds("getchar reads a letter, and ungetc gives it back", first == 'x' && second == 'x');
    holds("fgets reads the rest of the line",
          fgets(line, sizeof line, stdin) == line && !strcmp(line, "yz\n"));
    type_in("42 apples\\n");
    holds("scanf reads numbers and words",
          scanf("%d %7s", &number, word) == 2 && number == 42 && !strcmp(word, "apples"));
    holds("scanf leaves the end of the line", getchar() == '\n');
    type_in("ab\\x7Fc\\n");
    holds("a line of stdin was edited",
          fgets(line, sizeof line, stdin) == line && !strcmp(line, "ac\n"));
    type_in("\\x04");
    holds("Ctrl-D is the end of stdin", getchar() == EOF && feof(stdin) && !ferror(stdin));
    clearerr(stdin);
    type_in("on\\n");
    holds("after which one can go on",
          fgets(line, sizeof line, stdin) == line && !strcmp(line, "on\n"));
}

static void lines(void)
{
    char line[LINE + 1];
    size_t length = 0;
    uint64_t soon;
    riposte_error_t error;

    type_in("a line\\n");
    error = riposte_console_read_line(line, sizeof line, &length);
    holds("riposte_console_read_line reads a line, with a zero behind it",
          error == RIPOSTE_OK && length == 7 && !strcmp(line, "a line\n"));
    type_in("long\\n");
    error = riposte_console_read_line(line, 3, &length);
    holds("a short buffer gets the beginning",
          error == RIPOSTE_OK && length == 2 && !strcmp(line, "lo"));
    error = riposte_console_try_read_line(line, sizeof line, &length);
    holds("the next read gets the rest", error == RIPOSTE_OK && !strcmp(line, "ng\n"));
    holds("a buffer without room for a byte and the zero is refused",
          riposte_console_read_line(line, 0, &length) == RIPOSTE_ERROR_BAD_ARGUMENT
              && riposte_console_read_line(line, 1, &length) == RIPOSTE_ERROR_BAD_ARGUMENT);
    holds("riposte_console_try_read_line does not wait",
          riposte_console_try_read_line(line, sizeof line, NULL) == RIPOSTE_ERROR_WOULD_BLOCK);
    soon = riposte_clock() + SOON;
    error = riposte_console_read_line_until(line, sizeof line, &length, soon);
    holds("riposte_console_read_line_until ends at its deadline",
          error == RIPOSTE_ERROR_TIMED_OUT && riposte_clock() >= soon);
    type_in("later\\n");
    error = riposte_console_read_line_until(line, sizeof line, &length, RIPOSTE_FOREVER);
    holds("and has swallowed nothing", error == RIPOSTE_OK && !strcmp(line, "later\n"));
}

static void keys(void)
{
    uint8_t key = 0;
    uint32_t lost = 1;

    type_in("\\x1Bq");
    holds("riposte_console_read_key reads a key as it is typed",
          riposte_console_read_key(&key) == RIPOSTE_OK && key == 0x1B);
    holds("and the next one", riposte_console_read_key(&key) == RIPOSTE_OK && key == 'q');
    holds("riposte_console_try_read_key does not wait",
          riposte_console_try_read_key(&key) == RIPOSTE_ERROR_WOULD_BLOCK);
    holds("riposte_console_read_key_until ends at its deadline",
          riposte_console_read_key_until(&key, riposte_clock() + SOON) == RIPOSTE_ERROR_TIMED_OUT);
    holds("riposte_console_lost_input tells that nothing was lost",
          riposte_console_lost_input(&lost) == RIPOSTE_OK && lost == 0);
}

static uint32_t read_letter(void *letter)
{
    return read(STDIN_FILENO, letter, 1) != 1;
}

/* A thread waits for a line meanwhile: no other one waits for that longer than it says. */
static void readiness(void)
{
    static const riposte_thread_settings_t more_urgent = {11, RIPOSTE_POLICY_FIFO, 0};
    struct pollfd both[2] = {{STDIN_FILENO, POLLIN, 0}, {STDOUT_FILENO, POLLOUT, 0}};
    char letter = 0, none;
    riposte_thread_t other;
    uint32_t failed = 1;
    bool spawned = riposte_thread_spawn(read_letter, &letter, &more_urgent, &other) == RIPOSTE_OK;
    holds("poll does not wait for another thread that reads",
          spawned && poll(both, 2, 0) == 1 && both[0].revents == 0 && both[1].revents == POLLOUT);
    holds("nor longer than its time", poll(both, 1, 1) == 0);
    holds("nor does a read with O_NONBLOCK", fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) == 0
                                                  && read(STDIN_FILENO, &none, 1) == -1 && errno == EAGAIN
                                                  && fcntl(STDIN_FILENO, F_SETFL, 0) == 0);
    type_in("r\\n");
    holds("the thread has read", riposte_thread_join_until(other, RIPOSTE_FOREVER, &failed) == RIPOSTE_OK && !failed && letter == 'r');
    holds("and poll finds the rest of the line", poll(both, 1, -1) == 1 && both[0].revents == POLLIN && getchar() == '\n');
}

int main(void)
{
    standard_input();
    lines();
    keys();
    readiness();
    printf("@done\n");
    fflush(stdout);
    return (int)riposte_shutdown(broken);
}
