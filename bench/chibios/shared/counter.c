#include "counter.h"

#include <string.h>

#include <riposte.h>

/* Registers of the CMSDK timer (Arm DDI 0479, chapter 4.1), which counts down. */
#define TIMER_CTRL 0
#define TIMER_VALUE 1
#define TIMER_RELOAD 2
#define TIMER_ENABLE 1
/* The register of the simulators' meter that counts cycles (sim/README.md). */
#define METER_CYCLES 0

static volatile uint32_t *timer;
static volatile uint32_t *meter;

void counter_init(void)
{
    riposte_peripheral_t device;
    if (riposte_peripheral("timer1", &device) != RIPOSTE_OK)
        return;
    if (strcmp(device.kind, "sim-meter") == 0) {
        meter = device.address;
    } else if (strcmp(device.kind, "cmsdk-timer") == 0) {
        timer = device.address;
        timer[TIMER_RELOAD] = UINT32_MAX;
        timer[TIMER_CTRL] = TIMER_ENABLE;
    }
}

uint32_t counter_read(void)
{
    uint32_t count;
    if (timer != NULL)
        return ~timer[TIMER_VALUE];
    if (meter != NULL)
        return meter[METER_CYCLES];
    return riposte_instructions(&count) ? count : 0;
}
