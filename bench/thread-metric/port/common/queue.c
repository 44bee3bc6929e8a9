/* The library's queue. Its memory, all zeros, is an empty one; there is one, with the id 0. */

#include "objects.h"

/* Where it lies, and its sizes, which the compiler knows. */
static inline riposte_queue_t queue(void)
{
    const riposte_queue_t queue = RIPOSTE_QUEUE_IN(TM_OBJECTS->queue);
    return queue;
}

int tm_queue_create(int id)
{
    return id == 0 ? TM_SUCCESS : TM_ERROR;
}

int tm_queue_send(int id, unsigned long *message)
{
    const riposte_queue_t its = queue();
    return id == 0 && riposte_queue_send(&its, message) == RIPOSTE_OK ? TM_SUCCESS : TM_ERROR;
}

int tm_queue_receive(int id, unsigned long *message)
{
    const riposte_queue_t its = queue();
    return id == 0 && riposte_queue_receive(&its, message) == RIPOSTE_OK ? TM_SUCCESS : TM_ERROR;
}
