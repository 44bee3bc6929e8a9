/* What lies in the region that both processes have. */

#ifndef SHARED_H
#define SHARED_H

#include <pthread.h>
#include <semaphore.h>

struct common {
    sem_t request, answer, plain_request, plain_answer;
    pthread_mutex_t mutex, robust, ceiling;
    pthread_cond_t changed, waited_at;
    pthread_rwlock_t lock;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    /* What the other process is to do, and what it has done. */
    unsigned order, done;
    /* What was asked for by a function's value, when that was called. */
    unsigned told;
    /* What the program without ceilings was told of a mutex with one: of a lock, a try, another ceiling, an unlock. */
    int plain[4];
};

enum order {
    LOCK_AND_DIE = 1,
    WAIT_FOR_CHANGE,
    MEET,
    COUNT,
    NAMES,
    ANSWER_LETTERS,
    DIE_IN_QUEUE,
    /* Takes a message out of the queue of letters to where it may not write; waits for one, or for room, and ends meanwhile. */
    DIE_RECEIVING,
    DIE_WAITING_TO_RECEIVE,
    DIE_WAITING_TO_SEND,
    /* Keeps the lock of the queue of letters until the next request; sends one before. */
    KEEP_LETTERS,
    SEND_AND_KEEP,
    /* Of the queue of letters: asks to be told, or to be told no more; sends one, or waits for one; and ends. */
    ASK,
    ASK_NO_MORE,
    SEND,
    RECEIVE,
    /* Ends while a thread waits for a condition variable, at a barrier, or to write. */
    DIE_AT_CONDITION,
    DIE_AT_BARRIER,
    DIE_AT_LOCK,
    DIE,
};

#endif
