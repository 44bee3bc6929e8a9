/* Two threads that print and read at once. The server counts the letters, and what is asked of it meanwhile. */

#include <stdio.h>
#include <string.h>

#include <riposte.h>

/* Letters that each thread prints: more than the library keeps before it sends them. */
#define LETTERS 300

static const riposte_thread_settings_t second = {10, RIPOSTE_POLICY_FIFO, 0};

static uint32_t print(void *letter)
{
    for (int count = 0; count < LETTERS; count++)
        putchar(*(const char *)letter);
    return 0;
}

static uint32_t read(void *unused)
{
    (void)unused;
    return (uint32_t)getchar();
}

static char text[2][LETTERS + 1];

static uint32_t print_whole(void *unused)
{
    (void)unused;
    return (uint32_t)fputs(text[1], stdout);
}

int main(void)
{
    riposte_thread_t other;
    uint32_t letter = '?';

    if (riposte_thread_spawn(print, "b", &second, &other) != RIPOSTE_OK)
        riposte_panic("no thread to print");
    print("a");
    riposte_thread_join_until(other, RIPOSTE_FOREVER, NULL);
    memset(text[0], 'c', LETTERS);
    memset(text[1], 'd', LETTERS);
    if (riposte_thread_spawn(print_whole, NULL, &second, &other) != RIPOSTE_OK)
        riposte_panic("no thread to print whole");
    printf("%s", text[0]);
    riposte_thread_join_until(other, RIPOSTE_FOREVER, NULL);
    if (riposte_thread_spawn(read, NULL, &second, &other) != RIPOSTE_OK)
        riposte_panic("no thread to read");
    putchar(getchar());
    riposte_thread_join_until(other, RIPOSTE_FOREVER, &letter);
    putchar((int)letter);
    fflush(stdout);
    for (int count = 0; count < 100; count++)
        fputs("\u20ac", stdout);
    puts(".");
    for (;;)
        riposte_sleep(UINT64_C(1000000000));
}
