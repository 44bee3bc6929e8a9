/* Tests of ch.h. */

#include "check.h"

#include <stdio.h>
#include <string.h>

static const char *test;
static bool wrong;
static char marks[32];
static size_t count;
static thread_t areas[4][1];

void begin(const char *name)
{
    test = name;
    wrong = false;
    count = 0;
}

void complain(const char *file, int line, const char *condition)
{
    if (!wrong)
        printf("@fail %s: %s:%d: %s\n", test, file, line, condition);
    wrong = true;
}

void end(void)
{
    if (!wrong)
        printf("@pass %s\n", test);
}

void note(char mark)
{
    if (count < sizeof marks - 1)
        marks[count++] = mark;
}

bool noted(const char *expected)
{
    marks[count] = 0;
    count = 0;
    return strcmp(marks, expected) == 0;
}

thread_t *start(unsigned place, tprio_t priority, tfunc_t function, void *argument)
{
    thread_t *thread =
        chThdCreateStatic(areas[place], sizeof areas[place], priority, function, argument);
    CHECK(thread != NULL);
    return thread;
}

int main(void)
{
    chSysInit();
    threads();
    references();
    memory();
    dynamic();
    queues();
    members();
    classes();
    times();
    deaths();
    semaphores();
    lifetimes();
    mutexes();
    condition_variables();
    messages();
    mailboxes();
    events();
    timers();
    signals();
    spellings_of_2_4();
    storms();
    puts("@done");
    fflush(stdout);
    return (int)riposte_shutdown(0);
}
