/* A panel: one thread reads the buttons, the main thread sets the lamp as they say. */

#include <stdio.h>

#include "../lamp.h"

static struct BasicQueue pressed;
static const char ready;

/* Here the buttons would be read: three of them are pressed. */
RIPOSTE_THREAD(buttons)
{
    uint8_t button;

    wait_for_object(&ready, 0);
    for (button = 1; button <= 3; button++)
        queue_send(&pressed.q, &button);
    for (;;)
        wait_for_object(&ready, 0);
}

int main(void)
{
    const struct Lamp *lamp = rpc_service("lamp");
    unsigned turn;

    if (!lamp || !queue_init(&pressed.q, 8, sizeof(uint8_t))) {
        printf("app.toml gives %s no lamp\n", riposte_process_name());
        return 1;
    }
    notify_object(&ready);
    for (turn = 0; turn < 3; turn++) {
        uint8_t button;
        queue_receive(&pressed.q, &button);
        rpc_call(lamp, set, button * 30u);
        printf("button %u: the lamp is at %d percent\n", button, rpc_call(lamp, get));
    }
    /* Nothing else is to be done, so the machine stops; a real program would go on. */
    return (int)riposte_shutdown(0);
}
