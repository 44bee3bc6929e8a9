/* Threads that wait for each other: the halves of the calls that need no other thread are inline, so
 * that they cost no more than Rust's; the others are Rust's. Included by riposte.h.
 *
 * An object is static, or lies in a region that processes share; all zeros is a new one. A comment that
 * begins with two stars is a page of the reference. */

#ifndef RIPOSTE_SYNC_H
#define RIPOSTE_SYNC_H

/* --- Semaphores --------------------------------------------------------------------------------- */

/* A semaphore with so many units:
 *     static riposte_semaphore_t frames = RIPOSTE_SEMAPHORE(0); */
#define RIPOSTE_SEMAPHORE(units) {(units)}

/** Adds a unit, or gives it to the most urgent thread that waits for one, and wakes that.
 *
 * @param semaphore The semaphore.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There are 2^31 - 1 units: nothing is added.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_semaphore_give(riposte_semaphore_t *semaphore)
{
    uint32_t units;
    do {
        units = riposte_word_load(&semaphore->word);
        if (!RIPOSTE_PRIVATE_LIKELY(units < RIPOSTE_SEMAPHORE_MAX_UNITS))
            return riposte_word_give(&semaphore->word);
    } while (!RIPOSTE_PRIVATE_LIKELY(riposte_private_word_change(&semaphore->word, units, units + 1)));
    return RIPOSTE_OK;
}

/** Takes a unit if there is one.
 *
 * @param semaphore The semaphore.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_semaphore_try_take(riposte_semaphore_t *semaphore)
{
    uint32_t word;
    do {
        word = riposte_word_load(&semaphore->word);
        if ((word & RIPOSTE_SEMAPHORE_MAX_UNITS) == 0)
            return RIPOSTE_ERROR_WOULD_BLOCK;
    } while (!RIPOSTE_PRIVATE_LIKELY(riposte_private_word_change(&semaphore->word, word, word - 1)));
    return RIPOSTE_OK;
}

/** Takes a unit, and waits for one until a deadline. Who waits is served in order of priority.
 *
 * @param semaphore The semaphore.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was taken.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was taken.
 * @blocks Until there is a unit, or the deadline.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_semaphore_take_until(riposte_semaphore_t *semaphore,
                                                                    riposte_deadline_t deadline)
{
    if (RIPOSTE_PRIVATE_LIKELY(riposte_semaphore_try_take(semaphore) == RIPOSTE_OK))
        return RIPOSTE_OK;
    return riposte_private_semaphore_wait(semaphore, deadline);
}

/** Takes a unit, and waits for one. Who waits is served in order of priority.
 *
 * @param semaphore The semaphore.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was taken.
 * @blocks Until there is a unit.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_semaphore_take(riposte_semaphore_t *semaphore)
{
    if (RIPOSTE_PRIVATE_LIKELY(riposte_semaphore_try_take(semaphore) == RIPOSTE_OK))
        return RIPOSTE_OK;
    return riposte_private_semaphore_wait_for_ever(semaphore);
}

/** Tells how many units a semaphore has now.
 *
 * @param semaphore The semaphore.
 * @return How many.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_semaphore_units(const riposte_semaphore_t *semaphore)
{
    return riposte_word_load(&semaphore->word) & RIPOSTE_SEMAPHORE_MAX_UNITS;
}

/* --- Mutexes ------------------------------------------------------------------------------------ */

/* A free mutex. */
#define RIPOSTE_MUTEX {0}
/* A free mutex that its holder may take again. */
#define RIPOSTE_RECURSIVE_MUTEX {RIPOSTE_MUTEX, 0}

/* Takes a mutex that is free. */
RIPOSTE_PRIVATE_INLINE bool riposte_private_mutex_take(riposte_mutex_t *mutex)
{
    return riposte_private_word_take(&mutex->word, riposte_private_own_id());
}

/** Takes a mutex, and waits for it until a deadline. Meanwhile the holder has at least the caller's
 * priority, also through chains of mutexes and messages.
 *
 * @param mutex The mutex.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_DEADLOCK The holder waits for the caller in the end, or is the caller.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Somebody else holds it, and the deadline was RIPOSTE_IMMEDIATE.
 * @blocks Until the mutex is the caller's, or the deadline.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_mutex_lock_until(riposte_mutex_t *mutex,
                                                                riposte_deadline_t deadline)
{
    if (RIPOSTE_PRIVATE_LIKELY(riposte_private_mutex_take(mutex)))
        return RIPOSTE_OK;
    return riposte_private_mutex_wait(mutex, deadline);
}

/** Takes a mutex, and waits for it. Meanwhile the holder has at least the caller's priority.
 *
 * @param mutex The mutex.
 * @error RIPOSTE_ERROR_DEADLOCK The holder waits for the caller in the end, or is the caller.
 * @blocks Until the mutex is the caller's.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_mutex_lock(riposte_mutex_t *mutex)
{
    return riposte_mutex_lock_until(mutex, RIPOSTE_FOREVER);
}

/** Takes a mutex if it is free.
 *
 * @param mutex The mutex.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Somebody else holds it.
 * @error RIPOSTE_ERROR_DEADLOCK The caller holds it.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_mutex_try_lock(riposte_mutex_t *mutex)
{
    return riposte_mutex_lock_until(mutex, RIPOSTE_IMMEDIATE);
}

/** Gives a mutex up: the most urgent thread that waits gets it.
 *
 * @param mutex The mutex.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The caller does not hold it.
 * @blocks Never; a more urgent thread that gets it runs at once.
 * @from The thread that holds it. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_mutex_unlock(riposte_mutex_t *mutex)
{
    if (RIPOSTE_PRIVATE_LIKELY(riposte_private_word_change(&mutex->word, riposte_private_own_id(), 0)))
        return RIPOSTE_OK;
    return riposte_private_mutex_hand_over(mutex);
}

/** Tells whether a thread died with a mutex, and nobody has called riposte_mutex_repaired since: then
 * what the mutex protects may be in disorder.
 *
 * @param mutex The mutex.
 * @return Whether one did.
 * @blocks Never.
 * @from The thread that holds it. */
RIPOSTE_PRIVATE_INLINE bool riposte_mutex_owner_died(const riposte_mutex_t *mutex)
{
    return (riposte_word_load(&mutex->word) & RIPOSTE_LOCK_OWNER_DIED) != 0;
}

/** Says that what a mutex protects is in order again.
 *
 * @param mutex The mutex.
 * @blocks Never.
 * @from The thread that holds it. */
RIPOSTE_PRIVATE_INLINE void riposte_mutex_repaired(riposte_mutex_t *mutex)
{
    riposte_word_and(&mutex->word, ~(uint32_t)RIPOSTE_LOCK_OWNER_DIED);
}

/* Whether the caller holds a mutex. */
RIPOSTE_PRIVATE_INLINE bool riposte_private_mutex_is_own(const riposte_mutex_t *mutex)
{
    return (riposte_word_load(&mutex->word) & RIPOSTE_LOCK_OWNER_MASK) == riposte_private_own_id();
}

/** Takes a mutex that the caller may hold already, and waits for it until a deadline. As often as a
 * thread takes it, it gives it up.
 *
 * @param mutex The mutex.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_DEADLOCK The holder waits for the caller in the end.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Somebody else holds it, and the deadline was RIPOSTE_IMMEDIATE; or the
 * caller has taken it 2^32 - 1 times.
 * @blocks Until the mutex is the caller's, or the deadline.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_recursive_mutex_lock_until(riposte_recursive_mutex_t *mutex,
                                                                          riposte_deadline_t deadline)
{
    riposte_error_t error;
    if (riposte_private_mutex_is_own(&mutex->lock)) {
        if (mutex->again == UINT32_MAX)
            return RIPOSTE_ERROR_WOULD_BLOCK;
        mutex->again++;
        return RIPOSTE_OK;
    }
    error = riposte_mutex_lock_until(&mutex->lock, deadline);
    /* A holder that died may have left its count. */
    if (RIPOSTE_PRIVATE_LIKELY(error == RIPOSTE_OK))
        mutex->again = 0;
    return error;
}

/** Takes a mutex that the caller may hold already, and waits for it.
 *
 * @param mutex The mutex.
 * @error RIPOSTE_ERROR_DEADLOCK The holder waits for the caller in the end.
 * @error RIPOSTE_ERROR_WOULD_BLOCK The caller has taken it 2^32 - 1 times.
 * @blocks Until the mutex is the caller's.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_recursive_mutex_lock(riposte_recursive_mutex_t *mutex)
{
    return riposte_recursive_mutex_lock_until(mutex, RIPOSTE_FOREVER);
}

/** Takes a mutex if it is free, or the caller's already.
 *
 * @param mutex The mutex.
 * @error RIPOSTE_ERROR_WOULD_BLOCK Somebody else holds it; or the caller has taken it 2^32 - 1 times.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_recursive_mutex_try_lock(riposte_recursive_mutex_t *mutex)
{
    return riposte_recursive_mutex_lock_until(mutex, RIPOSTE_IMMEDIATE);
}

/** Gives a mutex up as often as it was taken: after the last time the most urgent thread that waits
 * gets it.
 *
 * @param mutex The mutex.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The caller does not hold it.
 * @blocks Never; a more urgent thread that gets it runs at once.
 * @from The thread that holds it. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_recursive_mutex_unlock(riposte_recursive_mutex_t *mutex)
{
    if (!riposte_private_mutex_is_own(&mutex->lock))
        return RIPOSTE_ERROR_NOT_PERMITTED;
    if (mutex->again == 0)
        return riposte_mutex_unlock(&mutex->lock);
    mutex->again--;
    return RIPOSTE_OK;
}

/* --- Condition variables ------------------------------------------------------------------------ */

/* An event that nobody waits for: who changes something signals, and who waits looks again. */
#define RIPOSTE_PRIVATE_EVENT {0, 0}
/* A condition variable that nobody waits for. */
#define RIPOSTE_CONDVAR {RIPOSTE_PRIVATE_EVENT}

/* Whether anybody waits for an event: how many do stands in the word's low half. */
RIPOSTE_PRIVATE_INLINE bool riposte_private_event_is_awaited(const struct riposte_private_event *event)
{
    return !RIPOSTE_PRIVATE_LIKELY(riposte_word_load(&event->waiting) << 16 == 0);
}

/** Wakes the most urgent thread that waits at a condition variable.
 *
 * @param condvar The condition variable.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void riposte_condvar_notify_one(riposte_condvar_t *condvar)
{
    if (riposte_private_event_is_awaited(&condvar->event))
        riposte_private_event_wake(&condvar->event, 1);
}

/** Wakes all threads that wait at a condition variable.
 *
 * @param condvar The condition variable.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void riposte_condvar_notify_all(riposte_condvar_t *condvar)
{
    if (riposte_private_event_is_awaited(&condvar->event))
        riposte_private_event_wake(&condvar->event, UINT32_MAX);
}

/** As riposte_condvar_wait_until, without a deadline.
 *
 * @param condvar The condition variable.
 * @param mutex The mutex, which the caller holds.
 * @error RIPOSTE_ERROR_NOT_PERMITTED The caller does not hold the mutex.
 * @error RIPOSTE_ERROR_DEADLOCK The mutex's holder waits for the caller in the end; the mutex is not the
 * caller's.
 * @blocks Until a notification, and until the mutex is the caller's again.
 * @from The thread that holds the mutex. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_condvar_wait(riposte_condvar_t *condvar,
                                                            riposte_mutex_t *mutex)
{
    return riposte_condvar_wait_until(condvar, mutex, RIPOSTE_FOREVER);
}

/* --- Read-write locks, once, barriers ----------------------------------------------------------- */

/* A free lock. */
#define RIPOSTE_RWLOCK {RIPOSTE_MUTEX, 0}
/* Something not yet done. */
#define RIPOSTE_ONCE {0, RIPOSTE_MUTEX}
/* A barrier for so many threads, at most 65,535. For 0 or 1 nobody waits. */
#define RIPOSTE_BARRIER(threads) {(threads), 0, RIPOSTE_PRIVATE_EVENT}

/** Does something once, whoever comes first; the others wait, and lend it their priority.
 *
 * @param once What says whether it is done.
 * @param work Does it.
 * @param argument Is handed to `work`.
 * @error RIPOSTE_ERROR_DEADLOCK It is called within `work`.
 * @blocks While another thread does it; else not, but for what `work` does.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_once_call(riposte_once_t *once, void (*work)(void *argument),
                                                         void *argument)
{
    if (RIPOSTE_PRIVATE_LIKELY(riposte_word_load(&once->done) != 0))
        return RIPOSTE_OK;
    return riposte_private_once_call_first(once, work, argument);
}

/** Tells whether something that is done once is done.
 *
 * @param once What says so.
 * @return Whether it is.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE bool riposte_once_is_done(const riposte_once_t *once)
{
    return riposte_word_load(&once->done) != 0;
}

/** Waits at a barrier until all threads have come; then it begins anew.
 *
 * @param barrier The barrier.
 * @param last Where it is stored whether the caller was the last of them, or NULL.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; the caller has not come then.
 * @blocks Until all have come.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_barrier_wait(riposte_barrier_t *barrier, bool *last)
{
    return riposte_barrier_wait_until(barrier, RIPOSTE_FOREVER, last);
}

/* --- Event flags -------------------------------------------------------------------------------- */

/* Flags of which these are set. */
#define RIPOSTE_EVENT_FLAGS(flags) {(flags), RIPOSTE_PRIVATE_EVENT}
/* Of a wait for flags: at least one of them. */
#define RIPOSTE_ANY UINT32_C(0)
/* Of a wait for flags: all of them. */
#define RIPOSTE_ALL UINT32_C(1)
/* Of a wait for flags, with one of the others: those that were found are cleared in the same step. */
#define RIPOSTE_CLEAR UINT32_C(2)

/** Tells which flags are set.
 *
 * @param flags The flags.
 * @return Those that are.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_event_flags_get(const riposte_event_flags_t *flags)
{
    return riposte_word_load(&flags->flags);
}

/** Sets flags, and wakes all who wait, in order of priority, so that they look.
 *
 * @param flags The flags.
 * @param set Which.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void riposte_event_flags_set(riposte_event_flags_t *flags, uint32_t set)
{
    riposte_word_or(&flags->flags, set);
    if (riposte_private_event_is_awaited(&flags->changed))
        riposte_private_event_wake(&flags->changed, UINT32_MAX);
}

/** Clears flags.
 *
 * @param flags The flags.
 * @param cleared Which.
 * @return Which of them were set.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE uint32_t riposte_event_flags_clear(riposte_event_flags_t *flags, uint32_t cleared)
{
    return riposte_word_and(&flags->flags, ~cleared) & cleared;
}

/** Looks whether flags are set.
 *
 * @param flags The flags.
 * @param wanted Which are wanted.
 * @param how RIPOSTE_ANY or RIPOSTE_ALL, and RIPOSTE_CLEAR.
 * @param found Where those that were found are stored, or NULL.
 * @error RIPOSTE_ERROR_WOULD_BLOCK They are not set.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_event_flags_try_wait(riposte_event_flags_t *flags,
                                                                    uint32_t wanted, uint32_t how,
                                                                    uint32_t *found)
{
    for (;;) {
        const uint32_t now = riposte_word_load(&flags->flags);
        const uint32_t set = now & wanted;
        if (how & RIPOSTE_ALL ? set != wanted : set == 0)
            return RIPOSTE_ERROR_WOULD_BLOCK;
        if (!(how & RIPOSTE_CLEAR)
            || RIPOSTE_PRIVATE_LIKELY(riposte_private_word_change(&flags->flags, now, now & ~set))) {
            if (found)
                *found = set;
            return RIPOSTE_OK;
        }
    }
}

/** Waits until flags are set, or until a deadline.
 *
 * @param flags The flags.
 * @param wanted Which are wanted.
 * @param how RIPOSTE_ANY or RIPOSTE_ALL, and RIPOSTE_CLEAR.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param found Where those that were found are stored, or NULL.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was cleared.
 * @error RIPOSTE_ERROR_WOULD_BLOCK They are not set, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was cleared.
 * @blocks Until the flags are set, or the deadline.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_event_flags_wait_until(riposte_event_flags_t *flags,
                                                                      uint32_t wanted, uint32_t how,
                                                                      riposte_deadline_t deadline,
                                                                      uint32_t *found)
{
    if (RIPOSTE_PRIVATE_LIKELY(riposte_event_flags_try_wait(flags, wanted, how, found) == RIPOSTE_OK))
        return RIPOSTE_OK;
    return riposte_private_event_flags_wait_for(flags, wanted, how, deadline, found);
}

/** Waits until flags are set.
 *
 * @param flags The flags.
 * @param wanted Which are wanted.
 * @param how RIPOSTE_ANY or RIPOSTE_ALL, and RIPOSTE_CLEAR.
 * @param found Where those that were found are stored, or NULL.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was cleared.
 * @blocks Until the flags are set.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_event_flags_wait(riposte_event_flags_t *flags, uint32_t wanted,
                                                                uint32_t how, uint32_t *found)
{
    return riposte_event_flags_wait_until(flags, wanted, how, RIPOSTE_FOREVER, found);
}

/* --- Mailboxes ---------------------------------------------------------------------------------- */

/* An empty mailbox. */
#define RIPOSTE_MAILBOX {0, RIPOSTE_PRIVATE_EVENT, RIPOSTE_PRIVATE_EVENT}

/** Posts a word if the mailbox is empty.
 *
 * @param mailbox The mailbox.
 * @param word The word, not 0.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is a word in it.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is 0.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_mailbox_try_post(riposte_mailbox_t *mailbox, uint32_t word)
{
    uint32_t empty = 0;
    if (word == 0)
        return RIPOSTE_ERROR_BAD_ARGUMENT;
    if (!RIPOSTE_PRIVATE_LIKELY(riposte_word_compare_exchange(&mailbox->word, &empty, word)))
        return RIPOSTE_ERROR_WOULD_BLOCK;
    if (riposte_private_event_is_awaited(&mailbox->posted))
        riposte_private_event_wake(&mailbox->posted, 1);
    return RIPOSTE_OK;
}

/** Posts a word, and waits until a deadline for the mailbox to be empty.
 *
 * @param mailbox The mailbox.
 * @param word The word, not 0.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was posted.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is a word in it, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is 0.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was posted.
 * @blocks Until the mailbox is empty, or the deadline.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_mailbox_post_until(riposte_mailbox_t *mailbox, uint32_t word,
                                                                  riposte_deadline_t deadline)
{
    const riposte_error_t error = riposte_mailbox_try_post(mailbox, word);
    if (RIPOSTE_PRIVATE_LIKELY(error != RIPOSTE_ERROR_WOULD_BLOCK))
        return error;
    return riposte_private_mailbox_wait_to_post(mailbox, word, deadline);
}

/** Posts a word, and waits for the mailbox to be empty.
 *
 * @param mailbox The mailbox.
 * @param word The word, not 0.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT The word is 0.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was posted.
 * @blocks Until the mailbox is empty.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_mailbox_post(riposte_mailbox_t *mailbox, uint32_t word)
{
    return riposte_mailbox_post_until(mailbox, word, RIPOSTE_FOREVER);
}

/** Fetches the word of a mailbox, if there is one.
 *
 * @param mailbox The mailbox.
 * @param word Where it is stored.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none.
 * @blocks Never; a more urgent thread that is woken runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_mailbox_try_fetch(riposte_mailbox_t *mailbox, uint32_t *word)
{
    const uint32_t fetched = riposte_word_swap(&mailbox->word, 0);
    if (!RIPOSTE_PRIVATE_LIKELY(fetched != 0))
        return RIPOSTE_ERROR_WOULD_BLOCK;
    *word = fetched;
    if (riposte_private_event_is_awaited(&mailbox->fetched))
        riposte_private_event_wake(&mailbox->fetched, 1);
    return RIPOSTE_OK;
}

/** Fetches the word of a mailbox, and waits for one until a deadline.
 *
 * @param mailbox The mailbox.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param word Where it is stored.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until there is a word, or the deadline.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_mailbox_fetch_until(riposte_mailbox_t *mailbox,
                                                                   riposte_deadline_t deadline, uint32_t *word)
{
    if (RIPOSTE_PRIVATE_LIKELY(riposte_mailbox_try_fetch(mailbox, word) == RIPOSTE_OK))
        return RIPOSTE_OK;
    return riposte_private_mailbox_wait_to_fetch(mailbox, deadline, word);
}

/** Fetches the word of a mailbox, and waits for one.
 *
 * @param mailbox The mailbox.
 * @param word Where it is stored.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until there is a word.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_mailbox_fetch(riposte_mailbox_t *mailbox, uint32_t *word)
{
    return riposte_mailbox_fetch_until(mailbox, RIPOSTE_FOREVER, word);
}

/* --- Queues ------------------------------------------------------------------------------------- */

/* Memory of a queue of `count` items, all zeros: as a field of a structure, or a static. It is laid out
 * as Rust's Queue<T, N>, so that programs in both languages can use one in a region. */
#define RIPOSTE_QUEUE_MEMORY(type, count)                                                            \
    struct {                                                                                         \
        struct riposte_private_queue_state state;                                                    \
        type items[count];                                                                           \
    }

/* The queue in such memory. */
#define RIPOSTE_QUEUE_IN(memory)                                                                     \
    {&(memory).state, (memory).items, sizeof (memory).items[0],                                      \
     sizeof (memory).items / sizeof (memory).items[0]}

/* Defines a queue of `count` items, 1 to 65,535, outside of functions:
 *     RIPOSTE_QUEUE(samples, struct sample, 16); */
#define RIPOSTE_QUEUE(name, type, count)                                                             \
    static RIPOSTE_QUEUE_MEMORY(type, count) name##_memory;                                          \
    static const riposte_queue_t name = RIPOSTE_QUEUE_IN(name##_memory)

/* A ring's word: bits 15..0 the first full place, bits 31..16 how many are full. */
#define RIPOSTE_PRIVATE_RING_SHIFT 16
#define RIPOSTE_PRIVATE_RING_MASK UINT32_C(0xFFFF)

/* Copies an item; one of a word without a call, wherever it lies. */
RIPOSTE_PRIVATE_INLINE void riposte_private_queue_copy(void *to, const void *from, size_t size)
{
    if (size == sizeof(uint32_t))
        memcpy(to, from, sizeof(uint32_t));
    else
        memcpy(to, from, size);
}

/* Sends an item if nobody uses the queue and there is room. */
RIPOSTE_PRIVATE_INLINE bool riposte_private_queue_put(const riposte_queue_t *queue, const void *item)
{
    struct riposte_private_queue_state *const state = queue->state;
    uint32_t full, count, end;
    if (!RIPOSTE_PRIVATE_LIKELY(riposte_private_mutex_take(&state->lock)))
        return false;
    full = riposte_word_load(&state->ring);
    count = full >> RIPOSTE_PRIVATE_RING_SHIFT;
    end = (full & RIPOSTE_PRIVATE_RING_MASK) + count;
    if (end >= queue->length)
        end -= queue->length;
    if (!RIPOSTE_PRIVATE_LIKELY(count < queue->length && end < queue->length)) {
        riposte_mutex_unlock(&state->lock);
        return false;
    }
    riposte_private_queue_copy((uint8_t *)queue->items + end * queue->size, item, queue->size);
    riposte_word_store(&state->ring, full + (UINT32_C(1) << RIPOSTE_PRIVATE_RING_SHIFT));
    riposte_mutex_unlock(&state->lock);
    if (riposte_private_event_is_awaited(&state->sent))
        riposte_private_event_wake(&state->sent, 1);
    return true;
}

/* Receives the first item if nobody uses the queue and there is one. */
RIPOSTE_PRIVATE_INLINE bool riposte_private_queue_take(const riposte_queue_t *queue, void *item)
{
    struct riposte_private_queue_state *const state = queue->state;
    uint32_t full, first, next;
    if (!RIPOSTE_PRIVATE_LIKELY(riposte_private_mutex_take(&state->lock)))
        return false;
    full = riposte_word_load(&state->ring);
    first = full & RIPOSTE_PRIVATE_RING_MASK;
    if (!RIPOSTE_PRIVATE_LIKELY(full >> RIPOSTE_PRIVATE_RING_SHIFT != 0 && first < queue->length)) {
        riposte_mutex_unlock(&state->lock);
        return false;
    }
    riposte_private_queue_copy(item, (const uint8_t *)queue->items + first * queue->size, queue->size);
    next = first + 1 < queue->length ? full + 1 : full - first;
    riposte_word_store(&state->ring, next - (UINT32_C(1) << RIPOSTE_PRIVATE_RING_SHIFT));
    riposte_mutex_unlock(&state->lock);
    if (riposte_private_event_is_awaited(&state->received))
        riposte_private_event_wake(&state->received, 1);
    return true;
}

/** Sends an item, and waits for room until a deadline; for another thread's copy 10 ms at most if that is
 * RIPOSTE_IMMEDIATE.
 *
 * @param queue The queue.
 * @param item The item, of the queue's size; it is copied.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was sent.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is no room, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was sent.
 * @blocks Until there is room, or the deadline.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_queue_send_until(const riposte_queue_t *queue, const void *item,
                                                                riposte_deadline_t deadline)
{
    if (RIPOSTE_PRIVATE_LIKELY(riposte_private_queue_put(queue, item)))
        return RIPOSTE_OK;
    return riposte_private_queue_wait_to_send(queue, item, deadline);
}

/** Sends an item, and waits for room.
 *
 * @param queue The queue.
 * @param item The item, of the queue's size; it is copied.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was sent.
 * @blocks Until there is room.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_queue_send(const riposte_queue_t *queue, const void *item)
{
    return riposte_queue_send_until(queue, item, RIPOSTE_FOREVER);
}

/** Sends an item if there is room.
 *
 * @param queue The queue.
 * @param item The item, of the queue's size; it is copied.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is no room, or another thread copies too long.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @blocks While another thread copies, for 10 ms at most; never for room.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_queue_try_send(const riposte_queue_t *queue, const void *item)
{
    return riposte_queue_send_until(queue, item, RIPOSTE_IMMEDIATE);
}

/** Receives the first item, and waits for one until a deadline; for another thread's copy 10 ms at most if
 * that is RIPOSTE_IMMEDIATE.
 *
 * @param queue The queue.
 * @param item Where it is stored, of the queue's size.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until there is an item, or the deadline.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_queue_receive_until(const riposte_queue_t *queue, void *item,
                                                                   riposte_deadline_t deadline)
{
    if (RIPOSTE_PRIVATE_LIKELY(riposte_private_queue_take(queue, item)))
        return RIPOSTE_OK;
    return riposte_private_queue_wait_to_receive(queue, item, deadline);
}

/** Receives the first item, and waits for one.
 *
 * @param queue The queue.
 * @param item Where it is stored, of the queue's size.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until there is an item.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_queue_receive(const riposte_queue_t *queue, void *item)
{
    return riposte_queue_receive_until(queue, item, RIPOSTE_FOREVER);
}

/** Receives the first item, if there is one.
 *
 * @param queue The queue.
 * @param item Where it is stored, of the queue's size.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none, or another thread copies too long.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @blocks While another thread copies, for 10 ms at most; never for an item.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_queue_try_receive(const riposte_queue_t *queue, void *item)
{
    return riposte_queue_receive_until(queue, item, RIPOSTE_IMMEDIATE);
}

/** Tells how many items are in a queue now.
 *
 * @param queue The queue.
 * @return How many; more than it has places if a stranger has written to it.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE size_t riposte_queue_length(const riposte_queue_t *queue)
{
    return riposte_word_load(&queue->state->ring) >> RIPOSTE_PRIVATE_RING_SHIFT;
}

/* --- Queues of bytes ---------------------------------------------------------------------------- */

/* Memory of a queue of bytes with so many words, all zeros: as a field of a structure, or a static. It
 * is laid out as Rust's ByteQueue<WORDS>, so that programs in both languages can use one in a region. */
#define RIPOSTE_BYTE_QUEUE_MEMORY(count)                                                             \
    struct {                                                                                         \
        struct riposte_private_byte_queue_state state;                                               \
        uint32_t words[count];                                                                       \
    }

/* The queue in such memory. */
#define RIPOSTE_BYTE_QUEUE_IN(memory)                                                                \
    {&(memory).state, (memory).words, sizeof (memory).words / sizeof (memory).words[0]}

/* Defines a queue of bytes with so many words, 1 to 65,535, outside of functions; its longest message
 * has 4 bytes for each word but one:
 *     RIPOSTE_BYTE_QUEUE(lines, 256); */
#define RIPOSTE_BYTE_QUEUE(name, count)                                                              \
    static RIPOSTE_BYTE_QUEUE_MEMORY(count) name##_memory;                                           \
    static const riposte_byte_queue_t name = RIPOSTE_BYTE_QUEUE_IN(name##_memory)

/** Sends a message, and waits for room.
 *
 * @param queue The queue.
 * @param message The message; it is copied. May be NULL if it has no bytes.
 * @param length Its bytes, which may be 0.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT It is longer than the queue's words but one hold; or a stranger has
 * written to the queue.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was sent.
 * @blocks Until there is room.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_byte_queue_send(const riposte_byte_queue_t *queue,
                                                               const void *message, size_t length)
{
    return riposte_byte_queue_send_until(queue, message, length, RIPOSTE_FOREVER);
}

/** Sends a message if there is room.
 *
 * @param queue The queue.
 * @param message The message; it is copied. May be NULL if it has no bytes.
 * @param length Its bytes, which may be 0.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT It is longer than the queue's words but one hold; or a stranger has
 * written to the queue.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is no room, or another thread copies too long.
 * @blocks While another thread copies, for 10 ms at most; never for room.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_byte_queue_try_send(const riposte_byte_queue_t *queue,
                                                                   const void *message, size_t length)
{
    return riposte_byte_queue_send_until(queue, message, length, RIPOSTE_IMMEDIATE);
}

/** Receives the first message, or as much of it as there is room for, and waits for one. What there was
 * no room for is lost.
 *
 * @param queue The queue.
 * @param buffer Where it is stored; may be NULL if there is no room.
 * @param capacity Bytes of room.
 * @param length Where it is stored how many bytes the message had, or NULL.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until there is a message.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_byte_queue_receive(const riposte_byte_queue_t *queue, void *buffer,
                                                                  size_t capacity, size_t *length)
{
    return riposte_byte_queue_receive_until(queue, buffer, capacity, RIPOSTE_FOREVER, length);
}

/** Receives the first message, or as much of it as there is room for, if there is one. What there was no
 * room for is lost.
 *
 * @param queue The queue.
 * @param buffer Where it is stored; may be NULL if there is no room.
 * @param capacity Bytes of room.
 * @param length Where it is stored how many bytes the message had, or NULL.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
 * @error RIPOSTE_ERROR_WOULD_BLOCK There is none, or another thread copies too long.
 * @blocks While another thread copies, for 10 ms at most; never for a message.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_byte_queue_try_receive(const riposte_byte_queue_t *queue,
                                                                      void *buffer, size_t capacity,
                                                                      size_t *length)
{
    return riposte_byte_queue_receive_until(queue, buffer, capacity, RIPOSTE_IMMEDIATE, length);
}

/* --- Pools of blocks ---------------------------------------------------------------------------- */

/* Defines a pool of `count` blocks for values of one type, outside of functions:
 *     RIPOSTE_POOL(frames, struct frame, 4); */
#define RIPOSTE_POOL(name, type, count)                                                              \
    static struct {                                                                                  \
        struct riposte_private_pool_state state;                                                     \
        uint32_t links[(count) + 1];                                                                 \
        type blocks[count];                                                                          \
    } name##_memory;                                                                                 \
    static const riposte_pool_t name = {&name##_memory.state, name##_memory.links,                   \
                                        name##_memory.blocks, sizeof(type), (count)}

/* Bytes from one word of a pool's list to the next. */
#define RIPOSTE_PRIVATE_POOL_LINK sizeof(uint32_t)

/* The block whose word is so many bytes behind the first word of the list. Sizes are mostly constants. */
RIPOSTE_PRIVATE_INLINE void *riposte_private_pool_block(const riposte_pool_t *pool, size_t place)
{
    const size_t end = pool->size % RIPOSTE_PRIVATE_POOL_LINK == 0 ? place * (pool->size / RIPOSTE_PRIVATE_POOL_LINK)
                                                           : place / RIPOSTE_PRIVATE_POOL_LINK * pool->size;
    return (uint8_t *)pool->blocks + end - pool->size;
}

/* The index of a block; that of none, if none begins there. */
RIPOSTE_PRIVATE_INLINE size_t riposte_private_pool_index(const riposte_pool_t *pool, const void *block)
{
    const size_t offset = (uintptr_t)block - (uintptr_t)pool->blocks;
    const size_t size = pool->size;
    if (__builtin_constant_p(size) && size > 1 && (size & (size - 1)) == 0) {
        const int shift = __builtin_ctzl(size);
        /* What is not a multiple is in the highest bits. */
        return offset >> shift | offset << (sizeof offset * 8 - shift);
    }
    return offset % size == 0 ? offset / size : SIZE_MAX;
}

/** Takes a block, and waits for one until a deadline.
 *
 * @param pool The pool.
 * @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
 * RIPOSTE_IMMEDIATE.
 * @param block Where the block's address is stored; what is in the block is left from before.
 * @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
 * @error RIPOSTE_ERROR_WOULD_BLOCK None is free, and the deadline was RIPOSTE_IMMEDIATE.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until a block is free, or the deadline.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_pool_allocate_until(const riposte_pool_t *pool,
                                                                   riposte_deadline_t deadline, void **block)
{
    const size_t place = riposte_private_word_unlink(pool->links);
    if (!RIPOSTE_PRIVATE_LIKELY(place != 0))
        return riposte_private_pool_wait(pool, deadline, block);
    riposte_word_store((uint32_t *)(void *)((uint8_t *)pool->links + place), RIPOSTE_PRIVATE_POOL_TAKEN);
    *block = riposte_private_pool_block(pool, place);
    return RIPOSTE_OK;
}

/** Takes a block, and waits for one.
 *
 * @param pool The pool.
 * @param block Where the block's address is stored; what is in the block is left from before.
 * @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
 * @blocks Until a block is free.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_pool_allocate(const riposte_pool_t *pool, void **block)
{
    return riposte_pool_allocate_until(pool, RIPOSTE_FOREVER, block);
}

/** Takes a block if one is free.
 *
 * @param pool The pool.
 * @param block Where the block's address is stored; what is in the block is left from before.
 * @error RIPOSTE_ERROR_WOULD_BLOCK None is free.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_pool_try_allocate(const riposte_pool_t *pool, void **block)
{
    return riposte_pool_allocate_until(pool, RIPOSTE_IMMEDIATE, block);
}

/** Gives a block back.
 *
 * @param pool The pool.
 * @param block The block.
 * @error RIPOSTE_ERROR_BAD_ARGUMENT It is no block of the pool, or is free already.
 * @blocks Never; a more urgent thread that waits for a block runs at once.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_error_t riposte_pool_release(const riposte_pool_t *pool, void *block)
{
    const size_t index = riposte_private_pool_index(pool, block);
    uint32_t next = riposte_word_load(pool->links);
    if (!RIPOSTE_PRIVATE_LIKELY(index < pool->count))
        return RIPOSTE_ERROR_BAD_ARGUMENT;
    /* Who changes this from TAKEN gives it back, and nobody else. */
    while (!RIPOSTE_PRIVATE_LIKELY(riposte_private_word_change(pool->links + 1 + index, RIPOSTE_PRIVATE_POOL_TAKEN, next)))
        if (riposte_word_load(pool->links + 1 + index) != RIPOSTE_PRIVATE_POOL_TAKEN)
            return RIPOSTE_ERROR_BAD_ARGUMENT;
    while (!RIPOSTE_PRIVATE_LIKELY(
        riposte_private_word_change(pool->links, next, (index + 1) * RIPOSTE_PRIVATE_POOL_LINK))) {
        next = riposte_word_load(pool->links);
        riposte_word_store(pool->links + 1 + index, next);
    }
    if (riposte_private_event_is_awaited(&pool->state->freed))
        riposte_private_event_wake(&pool->state->freed, 1);
    return RIPOSTE_OK;
}

/* --- Heaps -------------------------------------------------------------------------------------- */

/* Defines a heap of so many bytes, outside of functions:
 *     RIPOSTE_HEAP(heap, 4096); */
#define RIPOSTE_HEAP(name, bytes)                                                                    \
    static uint64_t name##_memory[((bytes) + 7) / 8];                                                \
    static riposte_heap_t name = {name##_memory, sizeof name##_memory, {{0, 0, 0, 0, 0}}}

/* --- Data of which each thread has its own ------------------------------------------------------ */

/* Defines a value of which each of at most `threads` threads of the process has its own (the main one,
 * those of the manifest, and the spare ones), outside of functions:
 *     RIPOSTE_THREAD_LOCAL(counters, struct counters, 4);
 * A thread has it from riposte_thread_local(&counters). */
#define RIPOSTE_THREAD_LOCAL(name, type, threads)                                                    \
    static struct {                                                                                  \
        uint32_t owners[threads];                                                                    \
        type values[threads];                                                                        \
    } name##_memory;                                                                                 \
    static const riposte_thread_local_t name = {name##_memory.owners, name##_memory.values,          \
                                                sizeof(type), (threads)}

/** Finds the calling thread's own value, which is all zeros when the thread first asks for it.
 *
 * @param local The value, as RIPOSTE_THREAD_LOCAL defines it.
 * @return Where the thread's own one is; NULL if the process has more threads than were said.
 * @blocks Never, and makes no system call.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void *riposte_thread_local(const riposte_thread_local_t *local)
{
    const uint32_t index = riposte_private_own_index();
    uint8_t *value;
    if (!RIPOSTE_PRIVATE_LIKELY(index < local->threads))
        return 0;
    value = (uint8_t *)local->values + index * local->size;
    if (!RIPOSTE_PRIVATE_LIKELY(local->owners[index] == riposte_private_own_id())) {
        memset(value, 0, local->size);
        local->owners[index] = riposte_private_own_id();
    }
    return value;
}

/** Tells which thread calls.
 *
 * @return Its id.
 * @blocks Never, and makes no system call.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE riposte_thread_t riposte_thread_current(void)
{
    const riposte_thread_t thread = {riposte_private_own_id()};
    return thread;
}

#endif
