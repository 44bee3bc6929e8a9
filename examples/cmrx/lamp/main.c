/* A lamp, in a process of its own: nobody else can touch its brightness. */

#include "../lamp.h"

static int set(INSTANCE(instance), uint32_t brightness)
{
    struct Lamp *lamp = (struct Lamp *)instance;
    if (brightness > 100)
        return E_INVALID;
    lamp->brightness = brightness;
    return E_OK;
}

static int get(INSTANCE(instance))
{
    const struct Lamp *lamp = (const struct Lamp *)instance;
    return (int)lamp->brightness;
}

static VTABLE struct LampInterface interface = {.set = set, .get = get};

int main(void)
{
    static struct Lamp lamp = {.vtable = &interface};
    return (int)rpc_serve("lamp", &lamp);
}
