/* Verdicts. With VERDICT_ERRNO what is wrong is told with errno, which a program has then. */

#include "verdict.h"

bool wrong;

static const char *test;

void begin(const char *name)
{
    test = name;
    wrong = false;
}

void complain(const char *file, int line, const char *condition)
{
#ifdef VERDICT_ERRNO
    printf("@fail %s: %s:%d: %s (errno %d)\n", test, file, line, condition, errno);
#else
    printf("@fail %s: %s:%d: %s\n", test, file, line, condition);
#endif
}

void end(void)
{
    if (!wrong)
        printf("@pass %s\n", test);
}
