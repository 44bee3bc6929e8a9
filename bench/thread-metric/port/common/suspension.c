/* Suspending and resuming by a word that the thread waits at. */

#include "objects.h"

static volatile uint32_t *word_of(int id)
{
    return &TM_OBJECTS->threads[id];
}

void tm_port_wait(int id)
{
    /* It does not wait if somebody has resumed the thread already. */
    do
        riposte_word_wait((const uint32_t *)word_of(id), TM_SUSPENDED);
    while (*word_of(id) == TM_SUSPENDED);
}

/* The caller is the thread: the suite suspends no other. */
int tm_thread_suspend(int id)
{
    if (!TM_KNOWN(id, TM_THREADS))
        return TM_ERROR;
    *word_of(id) = TM_SUSPENDED;
    tm_port_wait(id);
    return TM_SUCCESS;
}

int tm_thread_resume(int id)
{
    uint32_t woken;
    if (!TM_KNOWN(id, TM_THREADS) || *word_of(id) != TM_SUSPENDED)
        return TM_ERROR;
    *word_of(id) = TM_RUNNING;
    return riposte_word_wake((const uint32_t *)word_of(id), 1, &woken) == RIPOSTE_OK ? TM_SUCCESS
                                                                                     : TM_ERROR;
}

void tm_thread_relinquish(void)
{
    riposte_yield();
}

volatile unsigned long *tm_port_counters(void)
{
    return TM_OBJECTS->counters;
}
