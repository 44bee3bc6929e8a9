/* Counting and binary semaphores. Included by ch.h. Who waits is woken in order of priority. */

#ifndef CH_SEMAPHORES_H
#define CH_SEMAPHORES_H

/* Who is woken takes a unit; if another thread was faster, it waits again. */
typedef struct ch_semaphore {
    uint32_t units;
    uint32_t waiting; /* threads that wait, or are about to */
    uint32_t resets;
} semaphore_t;

#define SEMAPHORE_DECL(name, units) semaphore_t name = {(units), 0, 0}

/** Makes a semaphore.
 *
 * @param semaphore Where it is to be.
 * @param units Its units, not negative. */
RIPOSTE_INLINE void chSemObjectInit(semaphore_t *semaphore, cnt_t units)
{
    semaphore->units = (uint32_t)units;
    semaphore->waiting = 0;
    semaphore->resets = 0;
}

/* Takes a unit if there is one; whether there was. */
RIPOSTE_INLINE bool ch_semaphore_try(semaphore_t *semaphore)
{
    uint32_t units = riposte_word_load(&semaphore->units);
    while (units != 0)
        if (riposte_word_compare_exchange(&semaphore->units, &units, units - 1))
            return true;
    return false;
}

/* Wakes one that waits for a unit. */
RIPOSTE_INLINE void ch_semaphore_wake(semaphore_t *semaphore)
{
    if (riposte_word_load(&semaphore->waiting) != 0) {
        /* Who was woken waits no more: that is noted here, since it has better things to do. */
        const uint32_t woken = ch_wake(&semaphore->units);
        if (woken != 0)
            riposte_word_add(&semaphore->waiting, -woken);
    }
}

/** Adds a unit to a semaphore, which a thread that waits for one gets.
 *
 * @param semaphore The semaphore.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_INLINE void chSemSignal(semaphore_t *semaphore)
{
    riposte_word_add(&semaphore->units, 1);
    ch_semaphore_wake(semaphore);
}
#define chSemSignalI(semaphore) chSemSignal(semaphore)

msg_t ch_semaphore_wait_until(semaphore_t *semaphore, riposte_deadline_t deadline);

/* Waits for a unit, of which there is none now. */
RIPOSTE_INLINE msg_t ch_semaphore_wait(semaphore_t *semaphore)
{
    const uint32_t resets = semaphore->resets;
    for (;;) {
        riposte_word_add(&semaphore->waiting, 1);
        if (RIPOSTE_LIKELY(ch_wait(&semaphore->units, 0))) {
            if (semaphore->resets != resets)
                return MSG_RESET;
            if (RIPOSTE_LIKELY(ch_swap_if(&semaphore->units, 1, 0)) || ch_semaphore_try(semaphore))
                return MSG_OK;
        } else {
            riposte_word_add(&semaphore->waiting, -1u);
            if (semaphore->resets != resets)
                return MSG_RESET;
            if (ch_semaphore_try(semaphore))
                return MSG_OK;
        }
    }
}

/** Takes a unit of a semaphore.
 *
 * @param semaphore The semaphore.
 * @return MSG_OK, or MSG_RESET if the semaphore was reset.
 * @blocks Until there is a unit.
 * @from Any thread. */
RIPOSTE_INLINE msg_t chSemWait(semaphore_t *semaphore)
{
    if (ch_semaphore_try(semaphore))
        return MSG_OK;
    return ch_semaphore_wait(semaphore);
}

/** As chSemWait, but not for longer than a time.
 *
 * @param semaphore The semaphore.
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return MSG_OK, MSG_RESET or MSG_TIMEOUT.
 * @blocks Until there is a unit, or for the time.
 * @from Any thread. */
RIPOSTE_INLINE msg_t chSemWaitTimeout(semaphore_t *semaphore, sysinterval_t timeout)
{
    if (ch_semaphore_try(semaphore))
        return MSG_OK;
    return ch_semaphore_wait_until(semaphore, ch_deadline(timeout));
}

/** Gives a semaphore this many units, and lets all that wait go on with MSG_RESET.
 *
 * @param semaphore The semaphore.
 * @param units Its units, not negative.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
void chSemReset(semaphore_t *semaphore, cnt_t units);
#define chSemResetI(semaphore, units) chSemReset((semaphore), (units))

/** Adds units to a semaphore.
 *
 * @param semaphore The semaphore.
 * @param units How many, not negative.
 * @blocks Never. */
void chSemAddCounterI(semaphore_t *semaphore, cnt_t units);

/** Adds a unit to one semaphore, then waits at another.
 *
 * @return As chSemWait.
 * @blocks Until the other one has a unit. */
RIPOSTE_INLINE msg_t chSemSignalWait(semaphore_t *signal, semaphore_t *wait)
{
    chSemSignal(signal);
    return chSemWait(wait);
}

/** Tells a semaphore's counter.
 *
 * @return Its units; or, if it has none, how many threads wait, negative. */
RIPOSTE_INLINE cnt_t chSemGetCounterI(const semaphore_t *semaphore)
{
    const cnt_t units = (cnt_t)riposte_word_load(&semaphore->units);
    return units != 0 ? units : -(cnt_t)riposte_word_load(&semaphore->waiting);
}

/* A semaphore of one unit at most: it is taken, or it is not. */
typedef struct ch_binary_semaphore {
    semaphore_t semaphore;
} binary_semaphore_t;

#define BSEMAPHORE_DECL(name, taken) binary_semaphore_t name = {{(taken) ? 0 : 1, 0, 0}}

/** Makes a binary semaphore.
 *
 * @param semaphore Where it is to be.
 * @param taken Whether it is taken. */
RIPOSTE_INLINE void chBSemObjectInit(binary_semaphore_t *semaphore, bool taken)
{
    chSemObjectInit(&semaphore->semaphore, taken ? 0 : 1);
}

/** Takes it. As chSemWait. */
RIPOSTE_INLINE msg_t chBSemWait(binary_semaphore_t *semaphore)
{
    return chSemWait(&semaphore->semaphore);
}

/** Takes it within a time. As chSemWaitTimeout. */
RIPOSTE_INLINE msg_t chBSemWaitTimeout(binary_semaphore_t *semaphore, sysinterval_t timeout)
{
    return chSemWaitTimeout(&semaphore->semaphore, timeout);
}

/** Gives it back, if it is taken.
 *
 * @blocks Never; a more urgent thread that is woken runs at once. */
RIPOSTE_INLINE void chBSemSignal(binary_semaphore_t *semaphore)
{
    if (ch_swap_if(&semaphore->semaphore.units, 0, 1))
        ch_semaphore_wake(&semaphore->semaphore);
}
#define chBSemSignalI(semaphore) chBSemSignal(semaphore)

/** Makes it taken or not, and lets all that wait go on with MSG_RESET. As chSemReset. */
RIPOSTE_INLINE void chBSemReset(binary_semaphore_t *semaphore, bool taken)
{
    chSemReset(&semaphore->semaphore, taken ? 0 : 1);
}
#define chBSemResetI(semaphore, taken) chBSemReset((semaphore), (taken))

/** Tells whether it is taken. */
RIPOSTE_INLINE bool chBSemGetStateI(const binary_semaphore_t *semaphore)
{
    return riposte_word_load(&semaphore->semaphore.units) == 0;
}

#endif
