#include "pin.h"

#include <string.h>

/* Registers of the simulators' GPIO that set and clear the pins whose bits are 1 (sim/README.md). */
#define GPIO_SET 1
#define GPIO_CLEAR 2
/* Registers of the CMSDK timer (Arm DDI 0479, chapter 4.1), which counts down. */
#define TIMER_CTRL 0
#define TIMER_VALUE 1
#define TIMER_RELOAD 2
#define TIMER_ENABLE 1

static volatile uint32_t *gpio;
static volatile uint32_t *timer;
static uint32_t *cleared_at;
static uint32_t set_at;

/* The counter, which counts up. */
static uint32_t counter(void)
{
    uint32_t count;
    if (timer != NULL)
        return ~timer[TIMER_VALUE];
    return riposte_instructions(&count) ? count : 0;
}

void pin_init(uint32_t *cleared)
{
    riposte_peripheral_t device;
    cleared_at = cleared;
    if (riposte_peripheral("gpio0", &device) == RIPOSTE_OK && strcmp(device.kind, "sim-gpio") == 0) {
        gpio = device.address;
        return;
    }
    if (riposte_peripheral("timer1", &device) != RIPOSTE_OK)
        return;
    if (strcmp(device.kind, "cmsdk-timer") == 0) {
        timer = device.address;
        timer[TIMER_RELOAD] = UINT32_MAX;
        timer[TIMER_CTRL] = TIMER_ENABLE;
    }
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
        set_at = counter();
}

void pin_clear(void)
{
    if (gpio != NULL)
        gpio[GPIO_CLEAR] = 1;
    else
        *cleared_at = counter();
}

uint32_t pin_counted(void)
{
    return gpio != NULL ? 0 : *(volatile uint32_t *)cleared_at - set_at;
}
