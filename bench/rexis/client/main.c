/* The client task of the published REXIS benchmark: asks the SD-server task for 32 bytes of a character,
 * and checks them. The published figure is the time between setting a pin before the send and clearing it
 * after; here the board's counter is read in those two places. */

#include <measure.h>
#include <rexis.h>

#include "../sd.h"

#define WARM_UP 8   /* operations before those that count */

static uint32_t iterations;

#define SetPortA5() (before = measure_left(meter))
#define ClearPortA5() (after = measure_left(meter))

/* One operation as published: its ticks, and whether the right bytes came back. */
RIPOSTE_PRIVATE_INLINE bool request(struct meter meter, REXIS_PID SD_ServerTask_pid, char mych, uint32_t *ticks)
{
    unsigned char cmdbuf[2], reqbuf[REQLEN], expected[REQLEN];
    uint32_t before, after;
    bool answered;

    cmdbuf[0] = CMD_READ;
    cmdbuf[1] = mych;
    memset(reqbuf, 0, REQLEN);
    SetPortA5();
    answered = REXIS_MessageSend(SD_ServerTask_pid, cmdbuf, 2, reqbuf, REQLEN);
    ClearPortA5();
    *ticks = before - after;
    memset(expected, mych, REQLEN);
    return answered && memcmp(reqbuf, expected, REQLEN) == 0;
}

RIPOSTE_PRIVATE_INLINE void run(struct meter meter, const char *name, const char *server)
{
    const struct measure_case it = {name, true, REQLEN};
    const REXIS_PID SD_ServerTask_pid = REXIS_TaskPid(server);
    const uint32_t reading = measure_reading(meter);
    struct figures figures = measure_figures(iterations, reading);
    uint32_t turn, ticks;

    for (turn = 0; turn < WARM_UP + iterations; turn++) {
        if (turn == WARM_UP)
            measure_begin(meter);
        if (!request(meter, SD_ServerTask_pid, (char)('A' + turn % 26), &ticks)) {
            printf("@fail %s: request %lu got wrong bytes, or none\n", name, (unsigned long)turn);
            return;
        }
        if (turn >= WARM_UP)
            measure_take(&figures, ticks, reading);
    }
    measure_end(meter);
    measure_report(it, &figures);
}

static void measure(struct meter meter, const char *name, const char *server)
{
    MEASURE_WITH_COUNTER(meter, run, name, server);
}

int main(void)
{
    const struct meter meter = measure_start();

    riposte_setting("iterations", &iterations);
    /* The server is more urgent than the client: it waits when the client sends. */
    measure(meter, "send-reply-32B", "sd-server-waiting");
    /* The same, but the server replies and receives in one call. */
    measure(meter, "send-reply-32B-joined", "sd-server-joined");
    /* It is less urgent: its reply lets the client run, which sends again before it receives. */
    measure(meter, "client-first-32B", "sd-server-late");
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
