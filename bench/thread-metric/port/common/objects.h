/* The objects of a test: more than the suite's own tests use. */

#ifndef TM_OBJECTS_H
#define TM_OBJECTS_H

#include <riposte.h>

#include "tm_api.h"
#include "tm_port.h"

#define TM_THREADS 10
#define TM_SEMAPHORES 4
#define TM_COUNTERS 8
#define TM_QUEUE_LENGTH 10

/* Of the suite's sizes. */
struct tm_message {
    unsigned long words[4];
};

/* A thread's word. All zeros is a thread that was created: it is suspended. */
enum { TM_SUSPENDED = 0, TM_RUNNING = 1 };

struct tm_objects {
    uint32_t threads[TM_THREADS];
    riposte_semaphore_t semaphores[TM_SEMAPHORES];
    RIPOSTE_QUEUE_MEMORY(struct tm_message, TM_QUEUE_LENGTH) queue;
    volatile unsigned long counters[TM_COUNTERS];
};

/* Where they are: in the data of the one process, or in a region that all have in common. */
#ifdef TM_PROCESSES
extern struct tm_objects *tm_common;
#define TM_OBJECTS tm_common
#else
extern struct tm_objects tm_objects;
#define TM_OBJECTS (&tm_objects)
#endif

/* Stops with the reason, when nothing that follows could be right. */
#define TM_NEED(condition, text)                                                                     \
    do {                                                                                             \
        if (!(condition))                                                                            \
            riposte_panic(text);                                                                     \
    } while (0)

/* Whether an id names one of `count` objects. */
#define TM_KNOWN(id, count) ((unsigned)(id) < (unsigned)(count))

/* Waits until somebody resumes the thread `id`, which is the caller. */
void tm_port_wait(int id);

/* Attaches the interrupt's handler, if the test has one. */
void tm_port_interrupts(void);

#endif
