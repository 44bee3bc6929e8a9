/* What the functions of POSIX take that are not blocked. */

#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>

#include <measure.h>

static sem_t units;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static mqd_t queue;
/* Lives of the thread that is started again and again. */
static uint32_t lives;

static void check(const char *name, bool right)
{
    if (!right)
        printf("@fail %s: it did not do what is measured\n", name);
}

/* As the library's own case: what they return is not looked at. Were a unit not given, nothing could be taken. */
RIPOSTE_PRIVATE_INLINE void semaphore(struct meter meter, uint32_t iterations)
{
    const struct measure_case it = {"posix-sem", false, 0};
    struct figures figures;
    int value = -1;
    MEASURE(meter, iterations, figures, {
        sem_post(&units);
        sem_wait(&units);
    });
    sem_getvalue(&units, &value);
    check(it.name, value == 0);
    measure_report(it, &figures);
}

/* The lock alone, which a store gives back. */
RIPOSTE_PRIVATE_INLINE void lock(struct meter meter, uint32_t iterations)
{
    const struct measure_case it = {"posix-mutex-lock", false, 0};
    struct figures figures;
    uint32_t failures = 0;
    MEASURE(meter, iterations, figures, {
        failures |= (uint32_t)pthread_mutex_lock(&mutex);
        mutex.__word = 0;
    });
    check(it.name, failures == 0);
    measure_report(it, &figures);
}

RIPOSTE_PRIVATE_INLINE void lock_unlock(struct meter meter, uint32_t iterations)
{
    const struct measure_case it = {"posix-mutex", false, 0};
    struct figures figures;
    uint32_t failures = 0;
    MEASURE(meter, iterations, figures, {
        failures |= (uint32_t)pthread_mutex_lock(&mutex);
        failures |= (uint32_t)pthread_mutex_unlock(&mutex);
    });
    check(it.name, failures == 0);
    measure_report(it, &figures);
}

static void *live(void *argument)
{
    lives++;
    return argument;
}

RIPOSTE_PRIVATE_INLINE void create_join(struct meter meter, uint32_t iterations)
{
    const struct measure_case it = {"posix-create-join", false, 0};
    struct figures figures;
    uint32_t failures = 0;
    MEASURE(meter, iterations, figures, {
        pthread_t thread;
        failures |= (uint32_t)pthread_create(&thread, NULL, live, NULL);
        failures |= (uint32_t)pthread_join(thread, NULL);
    });
    check(it.name, failures == 0 && lives == iterations + MEASURE_SAMPLES + 1);
    measure_report(it, &figures);
}

RIPOSTE_PRIVATE_INLINE void message(struct meter meter, uint32_t iterations)
{
    const struct measure_case it = {"posix-mq-16B", false, 16};
    struct figures figures;
    uint32_t words[4] = {0, 1, 2, 3}, failures = 0;
    MEASURE(meter, iterations, figures, {
        failures |= (uint32_t)mq_send(queue, (const char *)words, sizeof words, 0);
        failures |= mq_receive(queue, (char *)words, sizeof words, NULL) != sizeof words;
        words[0]++;
    });
    check(it.name, failures == 0 && words[0] == iterations + MEASURE_SAMPLES + 1 && words[3] == 3);
    measure_report(it, &figures);
}

MEASURE_ALONE(semaphores, semaphore)
MEASURE_ALONE(locks, lock)
MEASURE_ALONE(mutexes, lock_unlock)
MEASURE_ALONE(threads, create_join)
MEASURE_ALONE(messages, message)

int main(void)
{
    const struct meter meter = measure_start();
    struct mq_attr attributes = {0};
    uint32_t iterations = 0;
    if (riposte_setting("iterations", &iterations) != RIPOSTE_OK)
        riposte_panic("app.toml sets no iterations");
    attributes.mq_maxmsg = 4;
    attributes.mq_msgsize = 16;
    queue = mq_open("/queue", O_RDWR | O_CREAT, 0600, &attributes);
    if (queue == (mqd_t)-1)
        riposte_panic("no queue");
    semaphores(meter, iterations);
    locks(meter, iterations);
    mutexes(meter, iterations);
    threads(meter, iterations);
    messages(meter, iterations);
    puts("@done");
    return (int)riposte_shutdown(0);
}
