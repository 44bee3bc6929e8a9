/* The library's queue. Its memory, all zeros, is an empty one; there is one, with the id 0. */

#include "objects.h"

/* Where it lies: the linker knows it, or the process has been told by now. */
#ifdef TM_PROCESSES
#define QUEUE const riposte_queue_t queue = RIPOSTE_QUEUE_IN(TM_OBJECTS->queue)
#else
#define QUEUE static const riposte_queue_t queue = RIPOSTE_QUEUE_IN(tm_objects.queue)
#endif

int tm_queue_create(int id)
{
    return id == 0 ? TM_SUCCESS : TM_ERROR;
}

int tm_queue_send(int id, unsigned long *message)
{
    QUEUE;
    return id == 0 && riposte_queue_send(&queue, message) == RIPOSTE_OK ? TM_SUCCESS : TM_ERROR;
}

int tm_queue_receive(int id, unsigned long *message)
{
    QUEUE;
    return id == 0 && riposte_queue_receive(&queue, message) == RIPOSTE_OK ? TM_SUCCESS : TM_ERROR;
}
