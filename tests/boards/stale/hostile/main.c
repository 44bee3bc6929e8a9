#include <stdio.h>
#include <rexis.h>

int main(void)
{
    static char reply[24];
    const riposte_part_t request = {"x", 1}, answer = {reply, sizeof reply};
    riposte_reply_t result;
    riposte_send_vector_until(REXIS_TaskPid("server"), &request, 1, &answer, 1, RIPOSTE_FOREVER, &result);
    printf("%s a client of REXIS gets nothing of the message of another one\n", reply[8] ? "@fail" : "@pass");
    printf("@done\n");
    fflush(stdout);
    riposte_shutdown(0);
    return 0;
}
