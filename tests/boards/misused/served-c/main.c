/* Serves an interface with the loop that its header has. */

#include <interface-api.h>

static uint32_t nothing(void *self)
{
    (void)self;
    return 0;
}

int main(void)
{
    static const depot_server_t depot = {.nothing = nothing};
    static uint8_t buffer[256];
    riposte_channel_t channel;
    if (riposte_channel("served-c", &channel) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no channel");
    return (int)depot_serve(channel, &depot, NULL, buffer, sizeof buffer);
}
