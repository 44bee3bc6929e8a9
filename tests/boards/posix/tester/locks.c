/* Read-write locks and spin locks. */

#include "check.h"

#include <riposte.h>
#include <semaphore.h>
#include <signal.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static unsigned got;

static void *reads(void *argument)
{
    const int error = pthread_rwlock_rdlock(argument);
    got |= 1;
    return (void *)(intptr_t)(error ? error : pthread_rwlock_unlock(argument));
}

static void *writes(void *argument)
{
    const int error = pthread_rwlock_wrlock(argument);
    got |= 2;
    return (void *)(intptr_t)(error ? error : pthread_rwlock_unlock(argument));
}

static void *tries_to_read(void *argument)
{
    const int error = pthread_rwlock_tryrdlock(argument);
    return (void *)(intptr_t)(error ? error : pthread_rwlock_unlock(argument));
}

static void *tries_to_write(void *argument)
{
    const int error = pthread_rwlock_trywrlock(argument);
    return (void *)(intptr_t)(error ? error : pthread_rwlock_unlock(argument));
}

static void *reads_soon(void *argument)
{
    const struct timespec soon = in(CLOCK_REALTIME, 1);
    return (void *)(intptr_t)pthread_rwlock_timedrdlock(argument, &soon);
}

static void *writes_soon(void *argument)
{
    const struct timespec soon = in(CLOCK_REALTIME, 1);
    return (void *)(intptr_t)pthread_rwlock_timedwrlock(argument, &soon);
}

static void *writes_never(void *argument)
{
    const struct timespec none = {0, 1000000000};
    return (void *)(intptr_t)pthread_rwlock_timedwrlock(argument, &none);
}

static void *reads_never(void *argument)
{
    const struct timespec none = {0, -1};
    return (void *)(intptr_t)pthread_rwlock_timedrdlock(argument, &none);
}

static void *ends_writing(void *argument)
{
    return (void *)(intptr_t)pthread_rwlock_wrlock(argument);
}

static void *spins(void *argument)
{
    const int error = pthread_spin_lock(argument);
    got |= 4;
    return (void *)(intptr_t)(error ? error : pthread_spin_unlock(argument));
}

static void *tries_to_spin(void *argument)
{
    return (void *)(intptr_t)pthread_spin_trylock(argument);
}

/* Ends the thread that it interrupts. */
static void ends(int number)
{
    pthread_exit((void *)(intptr_t)number);
}

/* Has it end a thread when the main one waits for that. */
static void *ends_soon(void *argument)
{
    const struct timespec a_little = {0, 5000000};
    const int error = nanosleep(&a_little, NULL);
    return (void *)(intptr_t)(error ? error : pthread_kill(*(pthread_t *)argument, SIGUSR1));
}

static void *gives_up(void *argument)
{
    return (void *)(intptr_t)pthread_spin_unlock(argument);
}

static void read_write(void)
{
    pthread_t thread;

    begin("pthread_rwlock_rdlock, pthread_rwlock_unlock: several read at once, and nobody writes");
    CHECK(pthread_rwlock_rdlock(&lock) == 0);
    CHECK(finish(start(MORE_URGENT, reads, &lock)) == NULL);
    CHECK(finish(start(MORE_URGENT, tries_to_read, &lock)) == NULL);
    CHECK(finish(start(MORE_URGENT, tries_to_write, &lock)) == (void *)EBUSY);
    got = 0;
    thread = start(MORE_URGENT, writes, &lock);
    CHECK(got == 0);
    CHECK(pthread_rwlock_unlock(&lock) == 0 && got == 2);
    CHECK(finish(thread) == NULL);
    end();

    begin("pthread_rwlock_wrlock: one writes, and nobody reads");
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    got = 0;
    thread = start(MORE_URGENT, reads, &lock);
    CHECK(got == 0);
    CHECK(pthread_rwlock_unlock(&lock) == 0 && got == 1);
    CHECK(finish(thread) == NULL);
    end();

    begin("pthread_rwlock_tryrdlock, pthread_rwlock_trywrlock [EBUSY]: somebody writes");
    CHECK(pthread_rwlock_trywrlock(&lock) == 0);
    CHECK(finish(start(MORE_URGENT, tries_to_read, &lock)) == (void *)EBUSY);
    CHECK(finish(start(MORE_URGENT, tries_to_write, &lock)) == (void *)EBUSY);
    CHECK(pthread_rwlock_tryrdlock(&lock) == EBUSY && pthread_rwlock_trywrlock(&lock) == EBUSY);
    end();

    begin("pthread_rwlock_rdlock, pthread_rwlock_wrlock [EDEADLK]: the caller writes");
    CHECK(pthread_rwlock_rdlock(&lock) == EDEADLK && pthread_rwlock_wrlock(&lock) == EDEADLK);
    end();

    begin("pthread_rwlock_timedrdlock [ETIMEDOUT] [EINVAL]: somebody writes");
    CHECK(finish_later(start(MORE_URGENT, reads_soon, &lock)) == (void *)ETIMEDOUT);
    CHECK(finish(start(MORE_URGENT, reads_never, &lock)) == (void *)EINVAL);
    end();

    begin("pthread_rwlock_destroy [EBUSY]: somebody has it");
    CHECK(pthread_rwlock_destroy(&lock) == EBUSY);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_unlock(&lock) == EPERM);
    CHECK(pthread_rwlock_destroy(&lock) == 0);
    end();

    begin("pthread_rwlock_timedwrlock [ETIMEDOUT] [EINVAL]: somebody reads");
    CHECK(pthread_rwlock_init(&lock, NULL) == 0);
    CHECK(pthread_rwlock_rdlock(&lock) == 0);
    CHECK(finish_later(start(MORE_URGENT, writes_soon, &lock)) == (void *)ETIMEDOUT);
    CHECK(finish(start(MORE_URGENT, writes_never, &lock)) == (void *)EINVAL);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    end();

    begin("pthread_rwlock_timedrdlock, pthread_rwlock_timedwrlock: until a moment for who waits for the caller's end");
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    CHECK(finish(start(MORE_URGENT, reads_soon, &lock)) == (void *)ETIMEDOUT);
    CHECK(finish(start(LESS_URGENT, reads_soon, &lock)) == (void *)ETIMEDOUT);
    CHECK(finish(start(LESS_URGENT, writes_soon, &lock)) == (void *)ETIMEDOUT);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    end();

    begin("pthread_rwlock_init: a free lock, which is taken whatever the moment is");
    const struct timespec none = {0, -1};
    CHECK(pthread_rwlock_init(&lock, NULL) == 0);
    CHECK(pthread_rwlock_timedwrlock(&lock, &none) == 0 && pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_timedrdlock(&lock, &none) == 0 && pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_destroy(&lock) == 0);
    end();

    begin("pthread_rwlock_destroy: a free lock that a thread has ended with that wrote");
    CHECK(pthread_rwlock_init(&lock, NULL) == 0);
    CHECK(finish(start(MORE_URGENT, ends_writing, &lock)) == NULL);
    CHECK(pthread_rwlock_wrlock(&lock) == 0 && pthread_rwlock_destroy(&lock) == EBUSY);
    CHECK(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_rdlock(&lock) == 0);
    CHECK(pthread_rwlock_destroy(&lock) == EBUSY && pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_destroy(&lock) == 0);
    end();
}

/* Starts a thread that waits to write while the caller reads. */
static pthread_t start_writer(int priority)
{
    const struct timespec a_little = {0, 1000000};
    pthread_t thread;
    CHECK(pthread_rwlock_init(&lock, NULL) == 0 && pthread_rwlock_rdlock(&lock) == 0);
    got = 0;
    thread = start(priority, writes, &lock);
    CHECK(nanosleep(&a_little, NULL) == 0);
    return thread;
}

static void readers_and_writers(void)
{
    const struct timespec never = {0, -1};
    pthread_t writer, reader, other;

    begin("pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_timedrdlock: before a less urgent writer that waits");
    writer = start_writer(LESS_URGENT - 1);
    CHECK(finish(start(LESS_URGENT, reads, &lock)) == NULL && got == 1);
    CHECK(finish(start(MORE_URGENT, tries_to_read, &lock)) == NULL);
    CHECK(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_timedrdlock(&lock, &never) == 0);
    CHECK(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
    CHECK(pthread_rwlock_unlock(&lock) == 0 && finish(writer) == NULL && got == 3);
    CHECK(pthread_rwlock_destroy(&lock) == 0);
    end();

    begin("pthread_rwlock_rdlock, pthread_rwlock_tryrdlock [EBUSY]: behind a writer that waits and is as urgent, or more");
    writer = start_writer(MORE_URGENT);
    reader = start(MORE_URGENT, reads, &lock);
    CHECK(finish(start(MORE_URGENT, tries_to_read, &lock)) == (void *)EBUSY && pthread_rwlock_tryrdlock(&lock) == EBUSY);
    CHECK(got == 0 && pthread_rwlock_unlock(&lock) == 0 && got == 3);
    CHECK(finish(writer) == NULL && finish(reader) == NULL);
    end();

    begin("pthread_rwlock_rdlock: behind a less urgent writer, behind which a more urgent one waits");
    writer = start_writer(LESS_URGENT);
    other = start(MORE_URGENT + 1, writes, &lock);
    reader = start(MORE_URGENT, reads, &lock);
    CHECK(got == 0 && pthread_rwlock_unlock(&lock) == 0);
    CHECK(finish(other) == NULL && finish(reader) == NULL && finish(writer) == NULL && got == 3);
    CHECK(pthread_rwlock_destroy(&lock) == 0);
    end();
}

/* A lock in a block of memory that is something else's once the lock is destroyed. */
static union {
    pthread_rwlock_t lock;
    uint32_t words[sizeof(pthread_rwlock_t) / sizeof(uint32_t)];
} block;
static sem_t ask, answer;
static long delay;

#define SOMETHING_ELSE UINT32_C(0x5A5A5A5A)
#define LONGEST_DELAY 2000000
/* So many rounds behind the last one in which the two threads met, the delay is too long. */
#define ROUNDS_BEHIND 50

/* Comes in the middle of another thread's unlocking, or so: if the lock is free by then, that is its end. */
static void *destroys(void *unused)
{
    (void)unused;
    while (delay < LONGEST_DELAY) {
        struct timespec until;
        CHECK(sem_wait(&ask) == 0);
        until = in(CLOCK_MONOTONIC, 0);
        until.tv_nsec += delay;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
        if (pthread_rwlock_trywrlock(&block.lock) == 0) {
            CHECK(pthread_rwlock_unlock(&block.lock) == 0 && pthread_rwlock_destroy(&block.lock) == 0);
            for (size_t each = 0; each < sizeof block / sizeof(uint32_t); each++)
                block.words[each] = SOMETHING_ELSE;
        }
        CHECK(sem_post(&answer) == 0);
    }
    return NULL;
}

/* Whether the other thread came before the lock was given up altogether. */
static bool meets(void)
{
    bool has_met;
    CHECK(pthread_rwlock_init(&block.lock, NULL) == 0 && pthread_rwlock_rdlock(&block.lock) == 0);
    CHECK(sem_post(&ask) == 0 && pthread_rwlock_unlock(&block.lock) == 0);
    has_met = riposte_word_load(&block.words[0]) == SOMETHING_ELSE;
    CHECK(sem_wait(&answer) == 0);
    for (size_t each = 0; each < sizeof block / sizeof(uint32_t); each++)
        CHECK(block.words[each] == (block.words[0] ? SOMETHING_ELSE : 0));
    return has_met;
}

static void last_reader(void)
{
    pthread_t thread;
    int met = 0, missed = 0;

    begin("pthread_rwlock_unlock, pthread_rwlock_destroy: the last reader leaves a lock alone that is destroyed since");
    delay = 0;
    CHECK(sem_init(&ask, 0, 0) == 0 && sem_init(&answer, 0, 0) == 0);
    thread = start(MORE_URGENT, destroys, NULL);
    while (delay < LONGEST_DELAY) {
        delay += 10 + delay / 500;
        if (met && ++missed == ROUNDS_BEHIND)
            delay = LONGEST_DELAY;
        if (meets()) {
            met++;
            missed = 0;
        }
    }
    CHECK(met && finish(thread) == NULL && sem_destroy(&ask) == 0 && sem_destroy(&answer) == 0);
    end();
}

static void spinning(void)
{
    pthread_t thread, other;

    begin("pthread_spin_init, pthread_spin_lock, pthread_spin_unlock [EINVAL]: one at a time");
    CHECK(pthread_spin_init(&spin, 7) == EINVAL);
    CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    CHECK(pthread_spin_lock(&spin) == 0);
    got = 0;
    thread = start(MORE_URGENT, spins, &spin);
    CHECK(got == 0);
    CHECK(pthread_spin_unlock(&spin) == 0 && got == 4);
    CHECK(finish(thread) == NULL);
    end();

    begin("pthread_spin_lock [EDEADLK], pthread_spin_trylock [EBUSY], pthread_spin_destroy [EBUSY]: somebody has it");
    CHECK(pthread_spin_trylock(&spin) == 0);
    CHECK(pthread_spin_lock(&spin) == EDEADLK && pthread_spin_trylock(&spin) == EBUSY);
    CHECK(finish(start(MORE_URGENT, tries_to_spin, &spin)) == (void *)EBUSY);
    CHECK(pthread_spin_destroy(&spin) == EBUSY);
    end();

    begin("pthread_spin_lock: spins for who waits for the caller's end, until a handler ends that");
    CHECK(signal(SIGUSR1, ends) != SIG_ERR);
    thread = start(LESS_URGENT, spins, &spin);
    other = start(LESS_URGENT, ends_soon, &thread);
    CHECK(finish(thread) == (void *)SIGUSR1);
    CHECK(finish(other) == NULL && signal(SIGUSR1, SIG_DFL) == ends);
    end();

    begin("pthread_spin_unlock [EPERM]: only who has it");
    CHECK(finish(start(MORE_URGENT, gives_up, &spin)) == (void *)EPERM);
    CHECK(pthread_spin_unlock(&spin) == 0 && pthread_spin_unlock(&spin) == EPERM);
    CHECK(pthread_spin_destroy(&spin) == 0);
    end();
}

void locks(void)
{
    read_write();
    readers_and_writers();
    last_reader();
    spinning();
}
