/* <semaphore.h>: counting semaphores. One in a region that processes share is shared; so is one that was opened by the
 * name of such a region. All zeros is a semaphore without a unit. */

#ifndef _SEMAPHORE_H_
#define _SEMAPHORE_H_

#include <sys/types.h>
#include <sys/_timespec.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SEM_VALUE_MAX 0x7FFFFFFF
#define SEM_FAILED ((sem_t *)0)

typedef struct {
    /* The kernel's word of a semaphore. */
    __uint32_t __word;
} sem_t;

int sem_close(sem_t *sem);
int sem_destroy(sem_t *sem);
int sem_getvalue(sem_t *__restrict sem, int *__restrict value);
int sem_init(sem_t *sem, int shared, unsigned value);
sem_t *sem_open(const char *name, int flags, ...);
int sem_post(sem_t *sem);
int sem_timedwait(sem_t *__restrict sem, const struct timespec *__restrict until);
int sem_trywait(sem_t *sem);
int sem_unlink(const char *name);
int sem_wait(sem_t *sem);

#ifdef __cplusplus
}
#endif

#endif
