/* Interrupt handlers: one thread waits for all interrupts of the process, and calls their handlers. */

#include <errno.h>
#include <sys/irqinfo.h>
#include <sys/sched.h>

#include "qnx4.h"

__attribute__((weak)) const char *const qnx4_interrupts[] = {NULL};

static struct {
    pid_t (*volatile handler)(void);   /* NULL: there is none */
    unsigned intr;
    unsigned enabled;
    riposte_timer_t timer;             /* of the clock */
    riposte_interrupt_t interrupt;     /* of the others */
} hints[QNX4_HINTS];

static riposte_channel_t interrupts;

/* Begins or goes on to let an interrupt come. */
static riposte_error_t let(unsigned id)
{
    hints[id].enabled = 1;
    if (hints[id].intr == 0)
        return riposte_timer_every(hints[id].timer, QNX4_TICK);
    return riposte_interrupt_acknowledge(hints[id].interrupt);
}

static uint32_t wait_for_interrupts(void *nothing)
{
    riposte_message_t message;
    riposte_error_t error;
    (void)nothing;
    /* Signals are the program's own threads' to handle; one may have come before. */
    riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, ~UINT64_C(1), NULL, NULL);
    while ((error = riposte_receive(interrupts, NULL, 0, &message)) == RIPOSTE_OK
           || error == RIPOSTE_ERROR_INTERRUPTED) {
        if (error != RIPOSTE_OK || message.notice != RIPOSTE_NOTICE_BITS)
            continue;
        for (unsigned id = 0; id < QNX4_HINTS; id++) {
            /* Read once: a thread that has become more urgent than this one, by who waits for it, may detach it. */
            pid_t (*const handler)(void) = hints[id].handler;
            pid_t proxy;
            if (!(message.words[1] & 1U << id) || !handler)
                continue;
            proxy = handler();
            if (proxy)
                qnx4_trigger_held(proxy);
            if (hints[id].intr != 0 && hints[id].enabled)
                riposte_interrupt_acknowledge(hints[id].interrupt);
        }
    }
    return 0;
}

/* Starts the thread, once. */
static riposte_error_t begin(void)
{
    riposte_thread_settings_t settings = {0, RIPOSTE_POLICY_FIFO, 0};
    riposte_error_t error;
    int priority;
    if (interrupts.handle)
        return RIPOSTE_OK;
    error = riposte_channel("interrupts", &interrupts);
    priority = getprio(0);
    if (error == RIPOSTE_OK && priority == -1)
        error = RIPOSTE_ERROR_NOT_PERMITTED;
    settings.priority = (uint32_t)priority + 1;
    if (error == RIPOSTE_OK)
        error = riposte_thread_spawn(wait_for_interrupts, NULL, &settings, NULL);
    if (error != RIPOSTE_OK)
        interrupts.handle = 0;
    return error;
}

/* The name of an interrupt but the clock's; NULL if there is none. */
static const char *name_of(unsigned intr)
{
    unsigned number;
    for (number = 1; number < intr && qnx4_interrupts[number - 1]; number++)
        ;
    return qnx4_interrupts[number - 1];
}

/* Whose interrupt it is; QNX4_HINTS if it has no handler. */
static unsigned find(unsigned intr)
{
    unsigned id = 0;
    while (id < QNX4_HINTS && !(hints[id].handler && hints[id].intr == intr))
        id++;
    return id;
}

int qnx_hint_attach(unsigned intr, pid_t (*handler)(void), unsigned ds)
{
    riposte_error_t error;
    unsigned id;
    (void)ds;
    if (!handler || (intr != 0 && !name_of(intr)))
        return qnx4_fail(EINVAL);
    if (find(intr) < QNX4_HINTS)
        return qnx4_fail(EBUSY);
    for (id = 0; hints[id].handler; id++)
        if (id == QNX4_HINTS - 1)
            return qnx4_fail(EAGAIN);
    error = begin();
    if (error == RIPOSTE_OK && intr == 0)
        error = riposte_timer_notifying(interrupts, 1U << id, &hints[id].timer);
    else if (error == RIPOSTE_OK)
        error = riposte_interrupt_attach(name_of(intr), interrupts, 1U << id, &hints[id].interrupt);
    if (error != RIPOSTE_OK)
        return qnx4_private_fail(error);
    hints[id].intr = intr;
    hints[id].handler = handler;
    error = let(id);
    if (error == RIPOSTE_OK)
        return (int)id;
    qnx_hint_detach((int)id);
    return qnx4_private_fail(error);
}

int qnx_hint_detach(int id)
{
    if ((unsigned)id >= QNX4_HINTS || !hints[id].handler)
        return qnx4_fail(EINVAL);
    hints[id].handler = NULL;
    if (hints[id].intr == 0)
        riposte_timer_destroy(hints[id].timer);
    else
        riposte_interrupt_detach(hints[id].interrupt);
    return 0;
}

int qnx_hint_mask(unsigned intr, unsigned enable)
{
    const unsigned id = find(intr);
    unsigned before;
    if (id == QNX4_HINTS)
        return qnx4_fail(EINVAL);
    before = hints[id].enabled;
    if (enable && !before) {
        let(id);
    } else if (!enable && before) {
        hints[id].enabled = 0;
        if (intr == 0)
            riposte_timer_cancel(hints[id].timer, NULL);
        else
            riposte_interrupt_mask(hints[id].interrupt);
    }
    return (int)before;
}
