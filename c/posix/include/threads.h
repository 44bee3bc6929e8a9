/* <threads.h>: standard C's threads, which are POSIX's by other names. */

#ifndef RIPOSTE_THREADS_H
#define RIPOSTE_THREADS_H

#include <time.h>
#include <riposte/pthread_types.h>

#ifdef __cplusplus
extern "C" {
#else
#define thread_local _Thread_local
#endif

typedef pthread_t thrd_t;
typedef int (*thrd_start_t)(void *);
typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_key_t tss_t;
typedef void (*tss_dtor_t)(void *);
typedef pthread_once_t once_flag;

#define ONCE_FLAG_INIT {0, 0}
#define TSS_DTOR_ITERATIONS 4

enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };

/* Each has a form with a moment, whatever its type says. */
enum { mtx_plain = 0, mtx_recursive = 1, mtx_timed = 2 };

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument);
thrd_t thrd_current(void);
int thrd_detach(thrd_t thread);
int thrd_equal(thrd_t one, thrd_t other);
void thrd_exit(int result) __attribute__((__noreturn__));
int thrd_join(thrd_t thread, int *result);
int thrd_sleep(const struct timespec *time, struct timespec *left);
void thrd_yield(void);

int mtx_init(mtx_t *mutex, int type);
void mtx_destroy(mtx_t *mutex);
int mtx_lock(mtx_t *mutex);
int mtx_timedlock(mtx_t *__restrict mutex, const struct timespec *__restrict moment);
int mtx_trylock(mtx_t *mutex);
int mtx_unlock(mtx_t *mutex);

int cnd_init(cnd_t *condition);
void cnd_destroy(cnd_t *condition);
int cnd_broadcast(cnd_t *condition);
int cnd_signal(cnd_t *condition);
int cnd_timedwait(cnd_t *__restrict condition, mtx_t *__restrict mutex, const struct timespec *__restrict moment);
int cnd_wait(cnd_t *condition, mtx_t *mutex);

int tss_create(tss_t *key, tss_dtor_t destructor);
void tss_delete(tss_t key);
void *tss_get(tss_t key);
int tss_set(tss_t key, void *value);

void call_once(once_flag *flag, void (*function)(void));

#ifdef __cplusplus
}
#endif

#endif
