/* The heater: heats the furnace until somebody has switched it off. */

#include <stdio.h>
#include <sys/kernel.h>
#include <sys/name.h>

#include "../plant.h"

int main(void)
{
    const struct request request = {HEAT, 100, 0};
    struct reply reply;
    const pid_t furnace = qnx_name_locate(0, FURNACE, sizeof request, NULL);

    if (furnace == -1) {
        perror(FURNACE);
        return 1;
    }
    while (Send(furnace, &request, &reply, sizeof request, sizeof reply) == 0 && reply.is_on)
        printf("heater: %d degrees\n", reply.degrees);
    printf("heater: the furnace is off\n");
    /* Nothing else is to be done, so the machine stops; a real program would go on. */
    fflush(stdout);
    return (int)riposte_shutdown(0);
}
