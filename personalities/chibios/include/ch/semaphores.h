/* Counting and binary semaphores. Included by ch.h. Who waits is woken in order of priority. */

#ifndef CH_SEMAPHORES_H
#define CH_SEMAPHORES_H

/* The counter is the kernel's semaphore (RIPOSTE_SEMAPHORE_WAITERS): a unit that is signalled goes to the most
 * urgent thread that waits, and nobody who comes later can take it.
 *
 * Whoever gets a unit, or is let go by a reset, may end the semaphore's life at once: it may lie on that thread's
 * stack. So the step that lets somebody go on is the last one that touches the semaphore. */
typedef struct ch_semaphore {
    __extension__ union {
        uint32_t word;     /* its units; the highest bit says that threads wait, or have waited */
        uint32_t cnt : 31; /* its units */
    };
    struct {
        /* How many threads wait, with a sign. Once a unit was given that nobody waited for, and until somebody waits
         * again, it is as much below 0 as there were such units. */
        uint32_t first;
    } queue;
    uint32_t resets;      /* when one begins, and when it is over: odd in between */
    uint32_t let_go;      /* threads that a reset has woken and that do not know yet why */
    riposte_mutex_t lock; /* of who resets it */
} semaphore_t;

/* What a semaphore begins as that is a part of something. */
#define _SEMAPHORE_DATA(name, units) {{(units)}, {0}, 0, 0, RIPOSTE_MUTEX}
#define SEMAPHORE_DECL(name, units) semaphore_t name = _SEMAPHORE_DATA(name, units)

/** Makes a semaphore.
 *
 * @param semaphore Where it is to be.
 * @param units Its units. A negative number stops the process. */
RIPOSTE_PRIVATE_INLINE void chSemObjectInit(semaphore_t *semaphore, cnt_t units)
{
    const semaphore_t fresh = _SEMAPHORE_DATA(fresh, (uint32_t)units);
    chDbgCheck(units >= 0);
    *semaphore = fresh;
}

/* What a thread takes at a time. Of a binary semaphore it is all: two threads that signal at once may both have
 * given a unit. */
typedef enum { CH_ONE_UNIT, CH_ALL_UNITS } ch_units_t;

/* Takes of the units if there are any; whether there were. */
RIPOSTE_PRIVATE_INLINE bool ch_semaphore_take(semaphore_t *semaphore, ch_units_t units)
{
    uint32_t word = riposte_word_load(&semaphore->word);
    while ((word & RIPOSTE_SEMAPHORE_MAX_UNITS) != 0)
        if (riposte_word_compare_exchange(&semaphore->word, &word, units == CH_ALL_UNITS ? 0 : word - 1))
            return true;
    return false;
}

/* The resets. Waits for one that is going on: who waited meanwhile could not be told from those it lets go, and who
 * ended the semaphore's life would take it from under it. */
uint32_t ch_semaphore_settled(semaphore_t *semaphore);

/* As ch_semaphore_take, of a semaphore that can be reset at the same time. */
RIPOSTE_PRIVATE_INLINE bool ch_semaphore_try(semaphore_t *semaphore, ch_units_t units)
{
    const bool has_taken = ch_semaphore_take(semaphore, units);
    if (has_taken && !RIPOSTE_PRIVATE_LIKELY(riposte_word_load(&semaphore->lock.word) == 0))
        ch_semaphore_settled(semaphore);
    return has_taken;
}

/* Counts threads that wait: so many more. */
RIPOSTE_PRIVATE_INLINE void ch_semaphore_count(semaphore_t *semaphore, const uint32_t more)
{
#if defined(__arm__)
    /* The compiler's own takes two instructions and a register more, and a switch of threads is measured by this. */
    uint32_t waiting, refused;
    __asm__ volatile("0: ldrex %0, [%2, %3]\n\t"
                     "adds %0, %4\n\t"
                     "strex %1, %0, [%2, %3]\n\t"
                     "cbz %1, 1f\n\t"
                     "b 0b\n"
                     "1:"
                     : "=&l"(waiting), "=&l"(refused)
                     : "r"(semaphore), "i"(offsetof(semaphore_t, queue)), "rI"(more)
                     : "cc", "memory");
#else
    riposte_word_add(&semaphore->queue.first, more);
#endif
}

/* Gives a unit to the most urgent thread that waits, or else to the word, which says that there are
 * waiters. */
RIPOSTE_PRIVATE_INLINE void ch_semaphore_hand_over(semaphore_t *semaphore)
{
    ch_semaphore_count(semaphore, -1u);
    ch_give(&semaphore->word);
}

/** Adds a unit to a semaphore, which the most urgent thread that waits for one gets.
 *
 * @param semaphore The semaphore.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void chSemSignal(semaphore_t *semaphore)
{
    uint32_t word = riposte_word_load(&semaphore->word);
    /* There is room for one more unit, and nobody waits. */
    while ((int32_t)(word + 1) >= 0)
        if (riposte_word_compare_exchange(&semaphore->word, &word, word + 1))
            return;
    ch_semaphore_hand_over(semaphore);
}
#define chSemSignalI(semaphore) chSemSignal(semaphore)

/* Of a wait: there is no unit for the caller, but there may be one for who looks again. */
#define CH_AGAIN ((msg_t)-3)

RIPOSTE_PRIVATE_INLINE uint32_t ch_semaphore_resets(semaphore_t *semaphore)
{
    const uint32_t resets = riposte_word_load(&semaphore->resets);
    if (RIPOSTE_PRIVATE_LIKELY((resets & 1) == 0 && riposte_word_load(&semaphore->lock.word) == 0))
        return resets;
    return ch_semaphore_settled(semaphore);
}

/* Says in the word that there are waiters, if there are no units; whether it does. */
bool ch_semaphore_mark(semaphore_t *semaphore);

/* Says that somebody is about to wait, unless there are units; whether it says so. */
RIPOSTE_PRIVATE_INLINE bool ch_semaphore_announce(semaphore_t *semaphore)
{
    if (riposte_word_load(&semaphore->word) != RIPOSTE_SEMAPHORE_WAITERS && !ch_semaphore_mark(semaphore))
        return false;
    ch_semaphore_count(semaphore, 1);
    return true;
}

/* Why the caller was woken, since it is another reset than it knew of: MSG_RESET, or MSG_OK if it began to
 * wait after that. */
msg_t ch_semaphore_why(semaphore_t *semaphore, uint32_t *resets);

/* Why the caller goes on, which nobody has woken: MSG_RESET, MSG_TIMEOUT or CH_AGAIN. */
msg_t ch_semaphore_not_woken(semaphore_t *semaphore, uint32_t resets, riposte_error_t error);

/* Waits for a unit, of which there was none: MSG_OK if the caller has one now, MSG_RESET, MSG_TIMEOUT or
 * CH_AGAIN. The resets are those that the caller knows of. */
RIPOSTE_PRIVATE_INLINE msg_t ch_semaphore_sleep(semaphore_t *semaphore, uint32_t *resets,
                                                riposte_deadline_t deadline)
{
    riposte_error_t error = RIPOSTE_ERROR_WOULD_BLOCK;
    if (ch_semaphore_announce(semaphore)) {
        if (RIPOSTE_PRIVATE_LIKELY(deadline == RIPOSTE_FOREVER))
            error = ch_wait(&semaphore->word, RIPOSTE_SEMAPHORE_WAITERS) ? RIPOSTE_OK : error;
        else
            error = ch_wait_until(&semaphore->word, RIPOSTE_SEMAPHORE_WAITERS, deadline);
        if (RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK)) {
            if (RIPOSTE_PRIVATE_LIKELY(semaphore->resets == *resets))
                return MSG_OK;
            /* A copy: what has no address is kept in a register. */
            uint32_t known = *resets;
            const msg_t message = ch_semaphore_why(semaphore, &known);
            *resets = known;
            return message;
        }
        /* Who was woken is counted no more already. */
        ch_semaphore_count(semaphore, -1u);
    }
    return ch_semaphore_not_woken(semaphore, *resets, error);
}

/* Waits for units, of which there are none now, until a deadline, which is not RIPOSTE_IMMEDIATE. */
RIPOSTE_PRIVATE_INLINE msg_t ch_semaphore_wait(semaphore_t *semaphore, ch_units_t units,
                                               riposte_deadline_t deadline)
{
    uint32_t resets = ch_semaphore_resets(semaphore);
    for (;;) {
        const msg_t message = ch_semaphore_sleep(semaphore, &resets, deadline);
        if (RIPOSTE_PRIVATE_LIKELY(message != CH_AGAIN))
            return message;
        if (ch_semaphore_try(semaphore, units))
            return MSG_OK;
    }
}

msg_t ch_semaphore_wait_until(semaphore_t *semaphore, ch_units_t units, riposte_deadline_t deadline);
msg_t ch_semaphore_wait_within_lock(semaphore_t *semaphore, ch_units_t units, sysinterval_t timeout);

/** Takes a unit of a semaphore.
 *
 * @param semaphore The semaphore.
 * @return MSG_OK, or MSG_RESET if the semaphore was reset.
 * @blocks Until there is a unit.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE msg_t chSemWait(semaphore_t *semaphore)
{
    if (ch_semaphore_try(semaphore, CH_ONE_UNIT))
        return MSG_OK;
    return ch_semaphore_wait(semaphore, CH_ONE_UNIT, RIPOSTE_FOREVER);
}

/** As chSemWait, but not for longer than a time.
 *
 * @param semaphore The semaphore.
 * @param timeout Ticks, or TIME_IMMEDIATE or TIME_INFINITE.
 * @return MSG_OK, MSG_RESET or MSG_TIMEOUT.
 * @blocks Until there is a unit, or for the time.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE msg_t chSemWaitTimeout(semaphore_t *semaphore, sysinterval_t timeout)
{
    if (ch_semaphore_try(semaphore, CH_ONE_UNIT))
        return MSG_OK;
    return ch_semaphore_wait_until(semaphore, CH_ONE_UNIT, ch_deadline(timeout));
}

/** As chSemWaitTimeout, within chSysLock, which a thread that waits is out of. */
RIPOSTE_PRIVATE_INLINE msg_t chSemWaitTimeoutS(semaphore_t *semaphore, sysinterval_t timeout)
{
    return ch_semaphore_wait_within_lock(semaphore, CH_ONE_UNIT, timeout);
}
#define chSemWaitS(semaphore) chSemWaitTimeoutS((semaphore), TIME_INFINITE)

/** Takes a unit of a semaphore that has one: else the process stops.
 *
 * @blocks Never. */
void chSemFastWaitI(semaphore_t *semaphore);
/** Adds a unit to a semaphore at which nobody waits. As chSemSignal. */
#define chSemFastSignalI(semaphore) chSemSignal(semaphore)

/** Gives a semaphore this many units, and lets all that wait go on with MSG_RESET.
 *
 * @param semaphore The semaphore.
 * @param units Its units. A negative number stops the process.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
void chSemReset(semaphore_t *semaphore, cnt_t units);
#define chSemResetI(semaphore, units) chSemReset((semaphore), (units))

/** Adds units to a semaphore.
 *
 * @param semaphore The semaphore.
 * @param units How many. A negative number stops the process.
 * @blocks Never. */
void chSemAddCounterI(semaphore_t *semaphore, cnt_t units);

/** Adds a unit to one semaphore, then waits at another.
 *
 * @return As chSemWait.
 * @blocks Until the other one has a unit. */
RIPOSTE_PRIVATE_INLINE msg_t chSemSignalWait(semaphore_t *signal, semaphore_t *wait)
{
    chSemSignal(signal);
    return chSemWait(wait);
}

/** Tells a semaphore's counter.
 *
 * @return Its units; or, if it has none, how many threads wait, negative. */
RIPOSTE_PRIVATE_INLINE cnt_t chSemGetCounterI(const semaphore_t *semaphore)
{
    const cnt_t units = (cnt_t)(riposte_word_load(&semaphore->word) & RIPOSTE_SEMAPHORE_MAX_UNITS);
    const cnt_t waiting = (cnt_t)riposte_word_load(&semaphore->queue.first);
    return units != 0 ? units : waiting > 0 ? -waiting : 0;
}

/* A semaphore of one unit at most: it is taken, or it is not. */
typedef struct ch_binary_semaphore {
    semaphore_t sem;
} binary_semaphore_t;

#define _BSEMAPHORE_DATA(name, taken) {_SEMAPHORE_DATA((name).sem, (taken) ? 0 : 1)}
#define BSEMAPHORE_DECL(name, taken) binary_semaphore_t name = _BSEMAPHORE_DATA(name, taken)

/** Makes a binary semaphore.
 *
 * @param semaphore Where it is to be.
 * @param taken Whether it is taken. */
RIPOSTE_PRIVATE_INLINE void chBSemObjectInit(binary_semaphore_t *semaphore, bool taken)
{
    chSemObjectInit(&semaphore->sem, taken ? 0 : 1);
}

/** Takes it. As chSemWait. */
RIPOSTE_PRIVATE_INLINE msg_t chBSemWait(binary_semaphore_t *semaphore)
{
    if (ch_semaphore_try(&semaphore->sem, CH_ALL_UNITS))
        return MSG_OK;
    return ch_semaphore_wait(&semaphore->sem, CH_ALL_UNITS, RIPOSTE_FOREVER);
}

/** Takes it within a time. As chSemWaitTimeout. */
RIPOSTE_PRIVATE_INLINE msg_t chBSemWaitTimeout(binary_semaphore_t *semaphore, sysinterval_t timeout)
{
    if (ch_semaphore_try(&semaphore->sem, CH_ALL_UNITS))
        return MSG_OK;
    return ch_semaphore_wait_until(&semaphore->sem, CH_ALL_UNITS, ch_deadline(timeout));
}

/** Takes it, within chSysLock. As chSemWaitTimeoutS. */
#define chBSemWaitS(binary) chBSemWaitTimeoutS((binary), TIME_INFINITE)
#define chBSemWaitTimeoutS(binary, timeout)                                                          \
    ch_semaphore_wait_within_lock(&(binary)->sem, CH_ALL_UNITS, (timeout))

/** Gives it back, if it is taken.
 *
 * @blocks Never; a more urgent thread that is woken runs at once. */
RIPOSTE_PRIVATE_INLINE void chBSemSignal(binary_semaphore_t *semaphore)
{
    semaphore_t *const counted = &semaphore->sem;
    uint32_t word = 0;
    if (!riposte_word_compare_exchange(&counted->word, &word, 1) && word == RIPOSTE_SEMAPHORE_WAITERS)
        ch_semaphore_hand_over(counted);
}
#define chBSemSignalI(semaphore) chBSemSignal(semaphore)

/** Makes it taken or not, and lets all that wait go on with MSG_RESET. As chSemReset. */
RIPOSTE_PRIVATE_INLINE void chBSemReset(binary_semaphore_t *semaphore, bool taken)
{
    chSemReset(&semaphore->sem, taken ? 0 : 1);
}
#define chBSemResetI(semaphore, taken) chBSemReset((semaphore), (taken))

/** Tells whether it is taken. */
RIPOSTE_PRIVATE_INLINE bool chBSemGetStateI(const binary_semaphore_t *semaphore)
{
    return (riposte_word_load(&semaphore->sem.word) & RIPOSTE_SEMAPHORE_MAX_UNITS) == 0;
}

#endif
