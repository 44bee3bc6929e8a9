/* Whoever is told of messages at a queue, by a signal or a call. */

#ifndef INFORMED_H
#define INFORMED_H

#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>

static mqd_t queue;
static volatile sig_atomic_t handled, received;
static volatile siginfo_t information;
static sem_t called;
static volatile int value_of_call;

/* A handler that uses the queue that it is told of. */
static void inform(int number, siginfo_t *info, void *context)
{
    char message[16];
    (void)number;
    (void)context;
    information = *info;
    handled++;
    if (mq_receive(queue, message, sizeof message, NULL) == 1)
        received++;
}

static void note(union sigval value)
{
    value_of_call = value.sival_int;
    sem_post(&called);
}

/* A function that ends its thread. */
static inline void note_and_leave(union sigval value)
{
    note(value);
    pthread_exit(NULL);
}

#endif
