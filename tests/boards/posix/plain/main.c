/* Shares mutexes with another process, and makes none with a ceiling: its program has no ceilings. */

#include "shared.h"

#include <riposte.h>

int main(void)
{
    struct common *common;
    void *memory;
    int before;
    if (riposte_region("common", &memory, NULL, NULL) != RIPOSTE_OK)
        return 1;
    common = memory;
    for (;;) {
        const int *const end = common->plain + sizeof common->plain / sizeof *common->plain;
        int *result = common->plain;
        sem_wait(&common->plain_request);
        *result++ = pthread_mutex_lock(&common->ceiling);
        *result++ = pthread_mutex_trylock(&common->ceiling);
        *result++ = pthread_mutex_setprioceiling(&common->ceiling, 3, &before);
        while (result < end)
            *result++ = pthread_mutex_unlock(&common->ceiling);
        sem_post(&common->plain_answer);
    }
}
