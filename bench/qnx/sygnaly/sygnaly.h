/* The calls of the publication's loops of signals, over riposte.h: a process is known by its name in the manifest. */

#ifndef SYGNALY_H
#define SYGNALY_H

#include <riposte.h>

#include "../shared/rozmiary.h"

#define SIGUSR1 10
#define SIGUSR2 12

typedef uint64_t sigset_t;

/* What the handlers of both programs wait for is masked but in sigsuspend. */
static const sigset_t maska;

static inline riposte_signal_target_t znajdz_proces(const char *name)
{
    riposte_signal_target_t process;
    if (riposte_signal_target(name, &process) != RIPOSTE_OK)
        nieudane("no signal may be sent to the other process");
    return process;
}

static inline void przechwyc(uint32_t number, void (*handler)(uint32_t number, uint32_t word))
{
    if (riposte_signal_handle(number, handler) != RIPOSTE_OK
        || riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, UINT64_C(1) << number, NULL, NULL) != RIPOSTE_OK)
        nieudane("a signal cannot be handled");
}

static inline int kill(riposte_signal_target_t process, uint32_t number)
{
    return riposte_signal_send(process, number, 0) == RIPOSTE_OK ? 0 : -1;
}

static inline int sigsuspend(const sigset_t *mask)
{
    return riposte_signal_suspend_until(*mask, RIPOSTE_FOREVER) == RIPOSTE_OK ? 0 : -1;
}

#endif
