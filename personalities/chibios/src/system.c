/* The system, and what is not inline of waiting at words. */

#include <ch.h>

#include "priority.h"
#include "registered.h"

riposte_mutex_t ch_system_lock = RIPOSTE_MUTEX;

/* The process's main thread. */
static thread_t main_thread;

void chSysInit(void)
{
    chDbgAssert(main_thread.references == 0, "chSysInit: it was called before");
    main_thread.id = riposte_private_own_id();
    main_thread.name = "main";
    main_thread.references = 1;
    ch_threads[riposte_private_own_index()] = &main_thread;
    ch_priority_init();
    ch_registry_add(&main_thread);
}

void chSysHalt(const char *reason)
{
    riposte_panic(reason);
}

void ch_halt(riposte_error_t error)
{
    switch (error) {
    case RIPOSTE_ERROR_DEADLOCK:
        chSysHalt("ch.h: a thread would wait for itself");
    case RIPOSTE_ERROR_NOT_PERMITTED:
        chSysHalt("ch.h: not the thread that owns it");
    default:
        chSysHalt("ch.h: an object that is none");
    }
}

riposte_error_t ch_wait_until(uint32_t *word, uint32_t expected, riposte_deadline_t deadline)
{
    riposte_error_t error;
    do
        error = riposte_futex_wait_until(word, expected, deadline);
    while (error == RIPOSTE_ERROR_INTERRUPTED);
    if (error != RIPOSTE_OK && error != RIPOSTE_ERROR_WOULD_BLOCK && error != RIPOSTE_ERROR_TIMED_OUT)
        ch_halt(error);
    return error;
}

uint32_t ch_wake_all(uint32_t *word)
{
    uint32_t woken = 0;
    const riposte_error_t error = riposte_futex_wake(word, UINT32_MAX, &woken);
    if (error != RIPOSTE_OK)
        ch_halt(error);
    return woken;
}

uint64_t ch_ticks_of(uint64_t nanoseconds)
{
    if (CH_SECOND % CH_CFG_ST_FREQUENCY == 0)
        return nanoseconds / (CH_SECOND / CH_CFG_ST_FREQUENCY);
    return nanoseconds / CH_SECOND * CH_CFG_ST_FREQUENCY
           + nanoseconds % CH_SECOND * CH_CFG_ST_FREQUENCY / CH_SECOND;
}

uint32_t ch_converted(time_conv_t value, uint32_t most)
{
    chDbgAssert(value <= most, "ch.h: more time than its type holds");
    return (uint32_t)value;
}

uint64_t ch_ticks(void)
{
    return ch_ticks_of(riposte_clock());
}

systime_t chVTGetSystemTimeX(void)
{
    return (systime_t)ch_ticks();
}

static uint64_t stamps_begin;

systimestamp_t chVTGetTimeStamp(void)
{
    return ch_ticks() - stamps_begin;
}

void chVTResetTimeStamp(void)
{
    stamps_begin = ch_ticks();
}

bool chSysIntegrityCheckI(unsigned which)
{
    return ((which & CH_INTEGRITY_VTLIST) != 0 && !ch_timers_are_in_order())
           || ((which & CH_INTEGRITY_REGISTRY) != 0 && !ch_registry_is_in_order());
}
