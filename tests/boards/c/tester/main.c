/* Calls every function of riposte.h. */

#include "check.h"

bool wrong;
riposte_connection_t server;

static const char *test;

void begin(const char *name)
{
    test = name;
    wrong = false;
}

void complain(const char *file, int line, const char *condition)
{
    printf("@fail %s: %s:%d: %s\n", test, file, line, condition);
}

void end(void)
{
    if (!wrong)
        printf("@pass %s\n", test);
}

uint64_t soon(void)
{
    return riposte_clock() + 1000;
}

int main(void)
{
    begin("the server is there");
    CHECK(riposte_connect("server", &server) == RIPOSTE_OK);
    end();
    names();
    sending();
    receiving();
    memory();
    words();
    objects();
    queues();
    threads();
    events();
    ends();
    puts("@done");
    return (int)riposte_shutdown(0);
}
