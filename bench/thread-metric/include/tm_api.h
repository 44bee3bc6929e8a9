/* The functions that the Thread-Metric suite is written against, as it declares them.
 *
 * Ids count from 0, and each kind has its own. A priority is 1 to 30 here, and 1 is the most urgent. What
 * returns an int returns TM_SUCCESS or TM_ERROR. */

#ifndef TM_API_H
#define TM_API_H

#define TM_SUCCESS 0
#define TM_ERROR 1

/* Seconds of a test's window. */
#define TM_TEST_DURATION 30

/* Calls `prepare`, which creates what the test needs, and then lets the threads run. Does not return. */
void tm_initialize(void (*prepare)(void));

/* A thread that is suspended to begin with. */
int tm_thread_create(int thread_id, int priority, void (*entry)(void));
int tm_thread_resume(int thread_id);
int tm_thread_suspend(int thread_id);
void tm_thread_relinquish(void);
void tm_thread_sleep(int seconds);

/* A queue of messages of four longs. */
int tm_queue_create(int queue_id);
int tm_queue_send(int queue_id, unsigned long *message);
int tm_queue_receive(int queue_id, unsigned long *message);

/* A semaphore with one unit. */
int tm_semaphore_create(int semaphore_id);
int tm_semaphore_get(int semaphore_id);
int tm_semaphore_put(int semaphore_id);

/* A pool of blocks of 128 bytes. */
int tm_memory_pool_create(int pool_id);
int tm_memory_pool_allocate(int pool_id, unsigned char **memory);
int tm_memory_pool_deallocate(int pool_id, unsigned char *memory);

/* The handler of the interrupt in the tests that have one. */
void tm_interrupt_handler(void);
void tm_interrupt_preemption_handler(void);

#endif
