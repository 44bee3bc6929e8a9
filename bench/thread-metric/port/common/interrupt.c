/* An interrupt, which the test raises itself. Its handler is an unprivileged thread, the most urgent one,
 * of the process that the manifest gives a line of no device. It arrives at the process's first channel. */

#include "objects.h"

#define HANDLER_PRIORITY 31

__attribute__((weak)) void tm_interrupt_handler(void);
__attribute__((weak)) void tm_interrupt_preemption_handler(void);

static riposte_interrupt_t interrupt;

static uint32_t handle(void *argument)
{
    (void)argument;
    while (riposte_interrupt_wait(interrupt, NULL) == RIPOSTE_OK) {
        if (tm_interrupt_handler)
            tm_interrupt_handler();
        else
            tm_interrupt_preemption_handler();
    }
    riposte_panic("the interrupt is gone");
}

/* By the line that the manifest gives the process. */
static riposte_error_t attach(riposte_channel_t channel)
{
    const riposte_error_t error = riposte_interrupt_attach("software", channel, 1, &interrupt);
    if (error != RIPOSTE_ERROR_NOT_PERMITTED)
        return error;
    return riposte_interrupt_attach("spare", channel, 1, &interrupt);
}

void tm_port_interrupts(void)
{
    const riposte_thread_settings_t settings = {.priority = HANDLER_PRIORITY};
    const char *const name = riposte_channel_name(0);
    riposte_channel_t channel;
    if (!tm_interrupt_handler && !tm_interrupt_preemption_handler)
        return;
    if (!name || riposte_channel(name, &channel) != RIPOSTE_OK)
        return;
    TM_NEED(attach(channel) == RIPOSTE_OK, "interrupts: give it \"software\" or \"spare\"");
    TM_NEED(riposte_thread_spawn(handle, NULL, &settings, NULL) == RIPOSTE_OK,
            "the handler: raise threads_spare or priority_limit");
}

void tm_cause_interrupt(void)
{
    riposte_interrupt_pend(interrupt);
}
