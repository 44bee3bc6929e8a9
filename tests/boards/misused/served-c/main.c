/* Serves an interface with the loop that its header has. */

#include <interface-api.h>

/* SIGUSR1. */
#define SIGNAL 10

static uint32_t nothing(void *self)
{
    (void)self;
    return 0;
}

static void pass(uint32_t signal, uint32_t word)
{
    (void)signal;
    (void)word;
}

int main(void)
{
    static const depot_server_t depot = {.nothing = nothing};
    static uint8_t buffer[256];
    riposte_channel_t channel;
    if (riposte_channel("served-c", &channel) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no channel");
    if (riposte_signal_handle(SIGNAL, pass) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no signals");
    return (int)depot_serve(channel, &depot, NULL, buffer, sizeof buffer);
}
