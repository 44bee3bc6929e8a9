/* The client task with what the publication says is slower than its messages: two mailboxes and a mutex. The
 * same bytes go there and back, checked in the same way. */

#include <measure.h>

#include "../exchange.h"

#define WARM_UP 8   /* operations before those that count */

/* Between threads of this process. */
static struct exchange own;
static uint32_t iterations;

#define SetPortA5() (before = measure_left(meter))
#define ClearPortA5() (after = measure_left(meter))

/* The SD-server task as a thread, more urgent than the client. */
RIPOSTE_THREAD(sd_server)
{
    serve(&own);
    for (;;)
        riposte_yield();
}

/* One operation: its ticks, and whether the right bytes came back. */
RIPOSTE_PRIVATE_INLINE bool request(struct meter meter, struct exchange *exchange, char mych, uint32_t *ticks)
{
    unsigned char cmdbuf[2], reqbuf[REQLEN], expected[REQLEN];
    uint32_t before, after;
    bool answered;

    cmdbuf[0] = CMD_READ;
    cmdbuf[1] = (unsigned char)mych;
    memset(reqbuf, 0, REQLEN);
    SetPortA5();
    answered = ask(exchange, cmdbuf, reqbuf);
    ClearPortA5();
    *ticks = before - after;
    memset(expected, mych, REQLEN);
    return answered && memcmp(reqbuf, expected, REQLEN) == 0;
}

RIPOSTE_PRIVATE_INLINE void run(struct meter meter, bool is_protected, struct exchange *exchange)
{
    const struct measure_case it = {"mailbox-mutex-32B", is_protected, REQLEN};
    const uint32_t reading = measure_reading(meter);
    struct figures figures = measure_figures(iterations, reading);
    uint32_t turn, ticks;

    for (turn = 0; turn < WARM_UP + iterations; turn++) {
        if (turn == WARM_UP)
            measure_begin(meter);
        if (!request(meter, exchange, (char)('A' + turn % 26), &ticks)) {
            printf("@fail %s: request %lu got wrong bytes, or none\n", it.name, (unsigned long)turn);
            return;
        }
        if (turn >= WARM_UP)
            measure_take(&figures, ticks, reading);
    }
    measure_end(meter);
    measure_report(it, &figures);
}

static void measure(struct meter meter, bool is_protected, struct exchange *exchange)
{
    MEASURE_WITH_COUNTER(meter, run, is_protected, exchange);
}

int main(void)
{
    const struct meter meter = measure_start();
    void *memory;

    if (riposte_setting("iterations", &iterations) != RIPOSTE_OK
        || riposte_region("exchange", &memory, NULL, NULL) != RIPOSTE_OK)
        riposte_panic("app.toml lacks a setting or a region");
    measure(meter, true, (struct exchange *)memory);
    measure(meter, false, &own);
    printf("@done\n");
    return (int)riposte_shutdown(0);
}
