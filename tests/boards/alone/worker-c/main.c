/* As the worker in Rust. */

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include <riposte.h>

#define TIMES 30000

static bool broken;

static void holds(const char *name, bool it_holds)
{
    if (!it_holds)
        broken = true;
    printf(it_holds ? "@pass C: %s\n" : "@fail C: %s: it does not hold\n", name);
}

/* A millisecond from now. */
static struct timespec soon(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

static bool has_passed(const struct timespec *time)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec > time->tv_sec || (now.tv_sec == time->tv_sec && now.tv_nsec >= time->tv_nsec);
}

/* What nobody can end but the time. */
static void waits(void)
{
    static riposte_semaphore_t none = RIPOSTE_SEMAPHORE(0);
    static uint32_t word = 1;
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    const struct mq_attr small = {0, 1, 4, 0};
    uint64_t deadline = riposte_clock() + 1000000;
    struct timespec time;
    sem_t sem;
    mqd_t queue;
    char message[4];
    int error;

    holds("who waits for a unit that nobody can give waits until its deadline",
          riposte_semaphore_take_until(&none, deadline) == RIPOSTE_ERROR_TIMED_OUT && riposte_clock() >= deadline);
    holds("and what it gives itself afterwards is there",
          riposte_semaphore_give(&none) == RIPOSTE_OK && riposte_semaphore_units(&none) == 1
              && riposte_semaphore_try_take(&none) == RIPOSTE_OK);
    deadline = riposte_clock() + 1000000;
    holds("who waits at a word that nobody can change waits until its deadline",
          riposte_futex_wait_until(&word, 1, deadline) == RIPOSTE_ERROR_TIMED_OUT && riposte_clock() >= deadline);
    holds("who expects something else, or does not want to wait, does not",
          riposte_futex_wait_until(&word, 2, RIPOSTE_FOREVER) == RIPOSTE_ERROR_WOULD_BLOCK
              && riposte_futex_wait_until(&word, 1, RIPOSTE_IMMEDIATE) == RIPOSTE_ERROR_WOULD_BLOCK);

    time = soon();
    sem_init(&sem, 0, 0);
    holds("sem_timedwait waits until its deadline",
          sem_timedwait(&sem, &time) == -1 && errno == ETIMEDOUT && has_passed(&time));
    holds("and sem_post gives a unit afterwards", sem_post(&sem) == 0 && sem_wait(&sem) == 0);
    sem_init(&sem, 0, SEM_VALUE_MAX);
    holds("and says so when there is no room for it", sem_post(&sem) == -1 && errno == EOVERFLOW);

    time = soon();
    pthread_mutex_lock(&mutex);
    do
        error = pthread_cond_timedwait(&cond, &mutex, &time);
    while (error == 0 && !has_passed(&time));
    holds("pthread_cond_timedwait waits until its deadline", error == ETIMEDOUT && has_passed(&time));
    holds("and has the mutex then", pthread_mutex_unlock(&mutex) == 0);

    queue = mq_open("/queue", O_CREAT | O_RDWR, 0600, &small);
    time = soon();
    holds("mq_timedreceive of an empty queue waits until its deadline",
          mq_timedreceive(queue, message, sizeof message, NULL, &time) == -1 && errno == ETIMEDOUT
              && has_passed(&time));
    time = soon();
    holds("mq_timedsend to a full one, too",
          mq_send(queue, "one", 4, 0) == 0 && mq_timedsend(queue, "two", 4, 0, &time) == -1 && errno == ETIMEDOUT
              && has_passed(&time));
    mq_close(queue);
    mq_unlink("/queue");
}

/* No process has spare threads or a limit of priorities: the kernel does not speak of threads. */
static void asks_about_itself(void)
{
    struct sched_param param;
    int policy;
    holds("pthread_kill of the calling thread with no signal: it is there", pthread_kill(pthread_self(), 0) == 0);
    holds("pthread_getschedparam, sched_getparam: EPERM where nobody can change a schedule",
          pthread_getschedparam(pthread_self(), &policy, &param) == EPERM && sched_getparam(0, &param) == -1
              && errno == EPERM);
}

int main(void)
{
    static riposte_mutex_t mutex = RIPOSTE_MUTEX;
    unsigned not_taken = 0;
    unsigned not_given_up = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        not_taken += riposte_mutex_lock(&mutex) != RIPOSTE_OK;
        not_given_up += riposte_mutex_unlock(&mutex) != RIPOSTE_OK;
    }
    holds("a lock that nobody has is taken whatever interrupts", !not_taken);
    holds("and is given up", !not_given_up);
    riposte_mutex_lock(&mutex);
    holds("a lock that the thread itself has is refused",
          riposte_mutex_lock(&mutex) == RIPOSTE_ERROR_DEADLOCK);
    riposte_mutex_unlock(&mutex);
    holds("who does not have it cannot give it up",
          riposte_mutex_unlock(&mutex) == RIPOSTE_ERROR_NOT_PERMITTED);
    waits();
    asks_about_itself();
    printf("@done\n");
    return (int)riposte_shutdown(broken);
}
