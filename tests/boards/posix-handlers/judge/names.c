/* What is found by its name. */

#include "check.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static void looks(void)
{
    struct stat is;
    CHECK(stat("/dev/flaky/file", &is) == 0 && FAILS(access("/dev/flakier", F_OK), ENOENT));
}

static void asks(void)
{
    access("/dev/flakier", F_OK);
}

void names(void)
{
    begin("stat, access: no signal ends the search for a name; a handler without SA_RESTART neither");
    amid_requests(200, looks, asks, SA_RESTART);
    amid_requests(200, looks, asks, 0);
    end();
}
