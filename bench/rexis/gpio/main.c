/* The client task of the published REXIS benchmark as it was published: a pin is set before the send and
 * cleared after it. The host reads the pulses from the board's waveform. */

#include <stdio.h>

#include <rexis.h>

#include "../sd.h"

#define WARM_UP 8   /* operations before those that count */
#define EMPTY 8     /* pulses with nothing in them: what setting and clearing the pin takes */

/* The board's pins: stores that set and clear those whose bits are 1 (sim/README.md). */
static volatile uint32_t *pins;

#define SetPortA5() (in_order(), gpio[1] = 1, in_order())
#define ClearPortA5() (in_order(), gpio[2] = 1, in_order())

/* The compiler moves no access of memory across it. */
RIPOSTE_PRIVATE_INLINE void in_order(void)
{
    __asm__ volatile("" ::: "memory");
}

static void empty(volatile uint32_t *gpio)
{
    unsigned turn;
    for (turn = 0; turn < EMPTY; turn++) {
        SetPortA5();
        ClearPortA5();
    }
}

/* One operation as published: whether the right bytes came back. By itself, so that the pins' address stays in
 * a register: nothing is loaded between the two stores that the counter's client does not load. */
__attribute__((noinline)) static bool request(volatile uint32_t *gpio, REXIS_PID SD_ServerTask_pid, char mych)
{
    unsigned char cmdbuf[2], reqbuf[REQLEN], expected[REQLEN];
    bool answered;

    cmdbuf[0] = CMD_READ;
    cmdbuf[1] = (unsigned char)mych;
    memset(reqbuf, 0, REQLEN);
    SetPortA5();
    answered = REXIS_MessageSend(SD_ServerTask_pid, cmdbuf, 2, reqbuf, REQLEN);
    ClearPortA5();
    memset(expected, mych, REQLEN);
    return answered && memcmp(reqbuf, expected, REQLEN) == 0;
}

static void run(uint32_t iterations, const char *name, const char *server)
{
    const REXIS_PID SD_ServerTask_pid = REXIS_TaskPid(server);
    uint32_t turn;

    empty(pins);
    for (turn = 0; turn < WARM_UP + iterations; turn++)
        if (!request(pins, SD_ServerTask_pid, (char)('A' + turn % 26))) {
            printf("@fail %s: request %lu got wrong bytes, or none\n", name, (unsigned long)turn);
            return;
        }
    printf("@pulses {\"case\":\"%s\",\"protected\":true,\"bytes\":%d,\"empty\":%d,\"warm_up\":%d,"
           "\"operations\":%lu}\n",
           name, REQLEN, EMPTY, WARM_UP, (unsigned long)iterations);
}

int main(void)
{
    riposte_peripheral_t device;
    uint32_t iterations;

    if (riposte_peripheral("gpio0", &device) != RIPOSTE_OK || strcmp(device.kind, "sim-gpio") != 0)
        riposte_panic("no pin that the waveform shows");
    pins = (volatile uint32_t *)device.address;
    if (riposte_setting("iterations", &iterations) != RIPOSTE_OK)
        riposte_panic("app.toml says no iterations");
    /* The server is more urgent than the client: it waits when the client sends. */
    run(iterations, "send-reply-32B-gpio", "sd-server-waiting");
    /* It is less urgent: its reply lets the client run, which sends again before it receives. */
    run(iterations, "client-first-32B-gpio", "sd-server-late");
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
