/* Calls every function of riposte.h. */

#include "check.h"

riposte_connection_t server;

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
    signals();
    ends();
    puts("@done");
    return (int)riposte_shutdown(0);
}
