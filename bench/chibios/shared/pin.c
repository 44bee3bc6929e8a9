#include "pin.h"

#include <string.h>

#include "counter.h"

/* Registers of the simulators' GPIO that set and clear the pins whose bits are 1 (sim/README.md). */
#define GPIO_SET 1
#define GPIO_CLEAR 2

static volatile uint32_t *gpio;
static uint32_t *cleared_at;
static uint32_t set_at;

void pin_init(uint32_t *cleared)
{
    riposte_peripheral_t device;
    cleared_at = cleared;
    if (riposte_peripheral("gpio0", &device) == RIPOSTE_OK && strcmp(device.kind, "sim-gpio") == 0)
        gpio = device.address;
    else
        counter_init();
}

bool pin_is_shown(void)
{
    return gpio != NULL;
}

void pin_set(void)
{
    if (gpio != NULL)
        gpio[GPIO_SET] = 1;
    else
        set_at = counter_read();
}

void pin_clear(void)
{
    if (gpio != NULL)
        gpio[GPIO_CLEAR] = 1;
    else
        *cleared_at = counter_read();
}

uint32_t pin_counted(void)
{
    return gpio != NULL ? 0 : *(volatile uint32_t *)cleared_at - set_at;
}
