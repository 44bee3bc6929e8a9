#include <rexis.h>

int main(void)
{
    char reply[24];
    REXIS_MessageSend(REXIS_TaskPid("server"), "honest: my secret is 42", 24, reply, sizeof reply);
    for (;;)
        riposte_sleep_until(RIPOSTE_FOREVER - 1);
}
