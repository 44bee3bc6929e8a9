/* Semaphores of the library, which make no system call while nobody waits. */

#include "objects.h"

int tm_semaphore_create(int id)
{
    if (!TM_KNOWN(id, TM_SEMAPHORES))
        return TM_ERROR;
    return riposte_semaphore_give(&TM_OBJECTS->semaphores[id]) == RIPOSTE_OK ? TM_SUCCESS : TM_ERROR;
}

int tm_semaphore_get(int id)
{
    if (!TM_KNOWN(id, TM_SEMAPHORES))
        return TM_ERROR;
    return riposte_semaphore_take(&TM_OBJECTS->semaphores[id]) == RIPOSTE_OK ? TM_SUCCESS : TM_ERROR;
}

int tm_semaphore_put(int id)
{
    if (!TM_KNOWN(id, TM_SEMAPHORES))
        return TM_ERROR;
    return riposte_semaphore_give(&TM_OBJECTS->semaphores[id]) == RIPOSTE_OK ? TM_SUCCESS : TM_ERROR;
}
