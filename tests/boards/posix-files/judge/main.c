/* Descriptors, function by function, against the text of IEEE 1003.1-2017. */

#include "check.h"

#include <riposte.h>

int main(void)
{
    opening();
    moving_bytes();
    descriptors();
    paths();
    directories();
    pipes();
    fifos();
    readiness();
    streams();
    alone();
    mappings();
    hostile();
    puts("@done");
    return (int)riposte_shutdown(0);
}
