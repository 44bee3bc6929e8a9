/* The other process: does as it is told. */

#include "shared.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <riposte.h>

static struct common *common;

/* Waits until the tester has seen that somebody waits, and says that it has seen what that did. */
static void wait_for_change(void)
{
    sem_post(&common->answer);
    pthread_mutex_lock(&common->mutex);
    common->done = 1;
    pthread_cond_signal(&common->changed);
    while (common->done == 1)
        pthread_cond_wait(&common->changed, &common->mutex);
    common->done = 3;
    pthread_mutex_unlock(&common->mutex);
    sem_post(&common->answer);
}

/* Takes four units of one semaphore by its name, and gives one of another. */
static void meet_by_name(void)
{
    sem_t *meeting = sem_open("/meeting", 0), *met = sem_open("/met", 0);
    sem_post(&common->answer);
    if (meeting == SEM_FAILED || met == SEM_FAILED)
        return;
    for (int each = 0; each < 4; each++)
        sem_wait(meeting);
    sem_post(met);
}

/* Answers two messages with the same in capitals, each a priority more urgent. */
static void answer_letters(void)
{
    const mqd_t queue = mq_open("/letters", O_RDWR);
    sem_post(&common->answer);
    sem_wait(&common->request);
    for (common->done = 0; common->done < 2; common->done++) {
        char message[2][16];
        ssize_t length[2];
        unsigned priority[2];
        if (common->done == 0)
            for (int each = 0; each < 2; each++)
                length[each] = mq_receive(queue, message[each], 16, &priority[each]);
        for (ssize_t at = 0; at < length[common->done]; at++)
            message[common->done][at] = (char)toupper(message[common->done][at]);
        mq_send(queue, message[common->done], (size_t)length[common->done], priority[common->done] + 1);
    }
    mq_close(queue);
}

/* Sends a message that it may not read: its process faults while it has the queue. */
static void die_in_queue(void)
{
    const mqd_t queue = mq_open("/letters", O_RDWR);
    mq_send(queue, (const char *)8, 8, 0);
}

/* Receives a message where it may not write: its process faults while it has the queue. */
static void die_receiving(void)
{
    const mqd_t queue = mq_open("/letters", O_RDWR);
    mq_receive(queue, (char *)8, 16, NULL);
}

/* Has the queue, which begins with its lock, until it is asked for something else. */
static void keep_letters(void)
{
    void *memory;
    riposte_region("letters", &memory, NULL, NULL);
    riposte_mutex_lock(memory);
    sem_post(&common->answer);
    sem_wait(&common->request);
    riposte_mutex_unlock(memory);
}

static void *wait_for_signal(void *unused)
{
    pthread_mutex_lock(&common->mutex);
    sem_post(&common->answer);
    pthread_cond_wait(&common->waited_at, &common->mutex);
    return unused;
}

static void *wait_at_barrier(void *unused)
{
    sem_post(&common->answer);
    pthread_barrier_wait(&common->barrier);
    return unused;
}

static void *wait_to_write(void *unused)
{
    sem_post(&common->answer);
    pthread_rwlock_wrlock(&common->lock);
    return unused;
}

/* Lets a thread as urgent wait, with which its process is to end. */
static void wait_and_end(void *(*wait)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    sched_yield();
}

static mqd_t waited_at;

static void *wait_to_receive(void *unused)
{
    char message[16];
    mq_receive(waited_at, message, sizeof message, NULL);
    return unused;
}

static void *wait_to_send(void *unused)
{
    mq_send(waited_at, "never sent", 10, 0);
    return unused;
}

/* Lets a thread wait at the queue of letters, with which its process is to end. */
static void begin_to_wait(void *(*wait)(void *))
{
    pthread_t thread;
    waited_at = mq_open("/letters", O_RDWR);
    pthread_create(&thread, NULL, wait, NULL);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    sem_post(&common->answer);
}

static void note(union sigval value)
{
    common->told = (unsigned)value.sival_int;
}

/* What is to be done with the queue of letters, which stays open. Why it could not be done. */
static unsigned with_letters(unsigned order)
{
    const struct sigevent call = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = note, .sigev_value.sival_int = 77};
    static mqd_t queue = -1;
    char message[16];
    int result = -1;
    if (queue < 0)
        queue = mq_open("/letters", O_RDWR);
    /* The thread of the last time comes to its end. */
    sched_yield();
    switch (order) {
    case ASK:
        result = mq_notify(queue, &call);
        break;
    case ASK_NO_MORE:
        result = mq_notify(queue, NULL);
        break;
    case SEND:
        result = mq_send(queue, "x", 1, 0);
        break;
    case RECEIVE:
        sem_post(&common->answer);
        result = mq_receive(queue, message, sizeof message, NULL) < 0 ? -1 : 0;
        break;
    }
    return result == 0 ? 0 : (unsigned)errno;
}

int main(void)
{
    pthread_mutexattr_t attr;
    void *memory;
    /* So that the program has ceilings, of which it has no use. */
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    if (riposte_region("common", &memory, NULL, NULL) != RIPOSTE_OK)
        return 1;
    common = memory;
    for (;;) {
        sem_wait(&common->request);
        switch (common->order) {
        case COUNT:
            common->done++;
            break;
        case LOCK_AND_DIE:
            pthread_mutex_lock(&common->robust);
            sem_post(&common->answer);
            return 0;
        case WAIT_FOR_CHANGE:
            wait_for_change();
            continue;
        case NAMES:
            meet_by_name();
            continue;
        case ANSWER_LETTERS:
            answer_letters();
            break;
        case DIE_IN_QUEUE:
            sem_post(&common->answer);
            die_in_queue();
            break;
        case DIE_RECEIVING:
            sem_post(&common->answer);
            die_receiving();
            break;
        case SEND_AND_KEEP:
            with_letters(SEND);
            keep_letters();
            break;
        case KEEP_LETTERS:
            keep_letters();
            break;
        case DIE_WAITING_TO_RECEIVE:
            begin_to_wait(wait_to_receive);
            return 0;
        case DIE_WAITING_TO_SEND:
            begin_to_wait(wait_to_send);
            return 0;
        case ASK:
        case ASK_NO_MORE:
        case SEND:
        case RECEIVE:
            common->done = with_letters(common->order);
            break;
        case DIE_AT_CONDITION:
            wait_and_end(wait_for_signal);
            return 0;
        case DIE_AT_BARRIER:
            wait_and_end(wait_at_barrier);
            return 0;
        case DIE_AT_LOCK:
            wait_and_end(wait_to_write);
            return 0;
        case DIE:
            sem_post(&common->answer);
            return 0;
        case MEET:
            sem_post(&common->answer);
            common->done = pthread_barrier_wait(&common->barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
            break;
        }
        sem_post(&common->answer);
    }
}
