/* Mutexes. Included by ch.h. Who owns one has the priority of the most urgent thread that waits for it;
 * this follows chains of them. */

#ifndef CH_MUTEXES_H
#define CH_MUTEXES_H

typedef struct ch_mutex {
    __extension__ union {
        riposte_mutex_t lock;
        struct ch_mutex_owner *owner; /* NULL if nobody owns it; else it leads nowhere, and least to a thread_t */
        struct {
            uint8_t unused[3];
            uint8_t first; /* its highest bit says whether threads wait */
        } queue;
    };
    struct ch_mutex *next; /* of its owner's mutexes: the one that was locked before */
} mutex_t;

/* What a mutex begins as that is a part of something. */
#define _MUTEX_DATA(name) {{RIPOSTE_MUTEX}, NULL}
#define MUTEX_DECL(name) mutex_t name = _MUTEX_DATA(name)

/** Makes a mutex, which nobody owns.
 *
 * @param mutex Where it is to be. */
RIPOSTE_PRIVATE_INLINE void chMtxObjectInit(mutex_t *mutex)
{
    const riposte_mutex_t free = RIPOSTE_MUTEX;
    mutex->lock = free;
    mutex->next = NULL;
}

/* The calling thread owns it now. */
RIPOSTE_PRIVATE_INLINE void ch_mutex_owned(mutex_t *mutex)
{
    thread_t *self = chThdGetSelfX();
    mutex->next = self->owned;
    self->owned = mutex;
}

/** Locks a mutex that the calling thread does not own.
 *
 * @param mutex The mutex.
 * @blocks Until it is the caller's.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE void chMtxLock(mutex_t *mutex)
{
    ch_lock(&mutex->lock);
    ch_mutex_owned(mutex);
}

/** As chMtxLock, within chSysLock, which a thread that waits is out of. */
void chMtxLockS(mutex_t *mutex);

/** Locks a mutex if nobody owns it.
 *
 * @param mutex The mutex.
 * @return Whether it is the caller's now.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE bool chMtxTryLock(mutex_t *mutex)
{
    if (riposte_mutex_try_lock(&mutex->lock) != RIPOSTE_OK)
        return false;
    ch_mutex_owned(mutex);
    return true;
}

#define chMtxTryLockS(mutex) chMtxTryLock(mutex)

/** Unlocks the mutex that the calling thread has locked last.
 *
 * @param mutex The mutex. Another one stops the process.
 * @blocks Never; a more urgent thread that gets it runs at once.
 * @from The thread that owns it. */
RIPOSTE_PRIVATE_INLINE void chMtxUnlock(mutex_t *mutex)
{
    thread_t *self = chThdGetSelfX();
    if (self->owned != mutex)
        chSysHalt("chMtxUnlock: not the mutex that was locked last");
    self->owned = mutex->next;
    ch_unlock(&mutex->lock);
}

/** Unlocks all mutexes of the calling thread.
 *
 * @blocks Never; a more urgent thread that gets one runs at once.
 * @from Any thread. */
void chMtxUnlockAll(void);
#define chMtxUnlockS(mutex) chMtxUnlock(mutex)
#define chMtxUnlockAllS() chMtxUnlockAll()

/** Tells whether threads wait for a mutex.
 *
 * @return Whether. */
RIPOSTE_PRIVATE_INLINE bool chMtxQueueNotEmptyS(const mutex_t *mutex)
{
    return (riposte_word_load(&mutex->lock.word) & RIPOSTE_LOCK_WAITERS) != 0;
}

/** Tells which mutex the calling thread has locked last.
 *
 * @return The mutex, or NULL. */
RIPOSTE_PRIVATE_INLINE mutex_t *chMtxGetNextMutexX(void)
{
    return chThdGetSelfX()->owned;
}

#endif
