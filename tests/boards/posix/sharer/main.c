/* The other process: does as it is told. */

#include "shared.h"

#include <fcntl.h>

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

int main(void)
{
    void *memory;
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
        case MEET:
            sem_post(&common->answer);
            common->done = pthread_barrier_wait(&common->barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
            break;
        }
        sem_post(&common->answer);
    }
}
