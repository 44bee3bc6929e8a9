/* QNX 4's <sys/irqinfo.h>: interrupt handlers. A handler runs in the process, in a thread of its own that is more urgent
 * than who has attached the first one by one priority: an interrupt reaches it through the kernel.
 *
 * The manifest gives the process a channel `interrupts` (behind the one for messages), a spare thread, a
 * `priority_limit`, and the interrupts themselves. */

#ifndef QNX4_SYS_IRQINFO_H
#define QNX4_SYS_IRQINFO_H

#include <i86.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Handlers that a process can have attached. */
#define QNX4_HINTS 4

/** Nanoseconds from one interrupt 0 to the next: the clock's, which is a timer here, since the kernel has no tick. Those
 * that come while more urgent threads keep the handler from running are one: who measures time asks the clock for it. */
#define QNX4_TICK 1000000

/** The interrupts of the board, by their names in the manifest, from number 1 on; a program that handles others than the
 * clock's defines it, and ends it with NULL. */
extern const char *const qnx4_interrupts[];

/** Attaches a handler to an interrupt. It returns 0, or a proxy that is to be triggered: one of this process, or another's
 * that it has attached by qnx_proxy_rem_attach or triggered before. Of others nothing comes, since a handler asks nobody.
 *
 * @param intr The interrupt: 0 is the clock's, others are those of qnx4_interrupts.
 * @param handler The handler.
 * @param ds Of no meaning here; write FP_SEG of anything.
 * @return The handler's id; -1.
 * @errno EINVAL There is no such interrupt.
 * @errno EAGAIN There are QNX4_HINTS handlers, or the process lacks a spare thread or a timer (`timers`).
 * @errno EBUSY The interrupt has a handler.
 * @errno EPERM The manifest does not give this process the interrupt, the channel `interrupts` or the priority.
 * @blocks Never.
 * @from One thread of the process. */
int qnx_hint_attach(unsigned intr, pid_t (*handler)(void), unsigned ds);

/** Detaches a handler.
 *
 * @param id The handler's id.
 * @return 0, or -1.
 * @errno EINVAL There is no such handler.
 * @blocks Never.
 * @from One thread of the process. */
int qnx_hint_detach(int id);

/** Lets an interrupt that has a handler come, or not. It comes from its attachment on.
 *
 * @param intr The interrupt.
 * @param enable 1 to let it come, 0 to mask it.
 * @return What it was before; -1.
 * @errno EINVAL It has no handler.
 * @blocks Never.
 * @from One thread of the process. */
int qnx_hint_mask(unsigned intr, unsigned enable);

#ifdef __cplusplus
}
#endif

#endif
