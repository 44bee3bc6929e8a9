/* Descriptors, function by function, against the text of IEEE 1003.1-2017. */

#include "check.h"

#include <riposte.h>

bool wrong;
static const char *test;

void begin(const char *name)
{
    test = name;
    wrong = false;
}

void complain(const char *file, int line, const char *condition)
{
    printf("@fail %s: %s:%d: %s (errno %d)\n", test, file, line, condition, errno);
}

void end(void)
{
    if (!wrong)
        printf("@pass %s\n", test);
}

int main(void)
{
    opening();
    moving_bytes();
    descriptors();
    paths();
    directories();
    pipes();
    readiness();
    streams();
    hostile();
    puts("@done");
    return (int)riposte_shutdown(0);
}
