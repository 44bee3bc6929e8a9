/* What two processes share: it lies in a region that both have. */

#include "check.h"

#include "letters.h"

#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <riposte.h>
#include <signal.h>
#include <string.h>

struct common *common;

void order(enum order what)
{
    common->order = what;
    CHECK(sem_post(&common->request) == 0);
    CHECK(sem_wait(&common->answer) == 0);
}

static void named(void)
{
    sem_t *one, *other;
    int value = -1;

    begin("sem_open: one of the name of a region is that of all processes that have it");
    errno = 0;
    CHECK(sem_open("/meeting", O_CREAT | O_EXCL, 0600, 3) != SEM_FAILED);
    errno = 0;
    CHECK(sem_open("/meeting", O_CREAT | O_EXCL, 0600, 3) == SEM_FAILED && errno == EEXIST);
    one = sem_open("/meeting", 0);
    other = sem_open("/met", O_CREAT, 0600, 0);
    CHECK(one != SEM_FAILED && other != SEM_FAILED);
    order(NAMES);
    /* The other process takes the three units, a fourth one for which it waits, and answers. */
    CHECK(sem_post(one) == 0 && sem_wait(other) == 0);
    CHECK(sem_getvalue(one, &value) == 0 && value == 0);
    CHECK(sem_close(one) == 0);
    end();

    begin("sem_unlink [EACCES]: the names of regions are the manifest's");
    errno = 0;
    CHECK(sem_unlink("/meeting") == -1 && errno == EACCES);
    end();
}

/* As many words of the queue as are looked at: its places end before. */
#define LETTERS_WORDS 128

/* Leaves a queue of one message, with this wherever it says what is received next, what is free, or what is the last message
 * of a priority; or in none of those. */
static void misplace(uint32_t *words, unsigned what, uint32_t at)
{
    /* The first place. */
    const uint32_t right = 50;
    memset(words + 40, what & 8 ? 0xFF : 0, (LETTERS_WORDS - 40) * sizeof *words);
    /* The lock, what says that it is made; nobody is told, and nobody waits. */
    words[0] = words[2] = words[3] = 0;
    words[1] = 0x6D71756D;
    words[4] = what & 1 ? at : right;
    words[5] = what & 2 ? at : right;
    words[6] = 1;
    words[7] = UINT32_MAX;
    for (int level = 0; level < MQ_PRIO_MAX; level++)
        words[8 + level] = what & 4 ? at : right;
}

static mqd_t queue;

static void letters(void)
{
    const struct mq_attr four = {0, 4, 16, 0}, large = {0, 100, 100, 0};
    const struct timespec past = {0, 1};
    struct mq_attr attr = {0, 0, 0, 0};
    struct timespec soon;
    char message[16];
    unsigned priority = 0;
    void *memory;

    begin("mq_open [ENOENT] [ENOSPC] [EEXIST]: one of the name of a region lies there");
    CHECK(FAILS(mq_open("/letters", O_RDWR), ENOENT));
    CHECK(FAILS(mq_open("/letters", O_CREAT | O_RDWR, 0600, &large), ENOSPC));
    queue = mq_open("/letters", O_CREAT | O_EXCL | O_RDWR, 0600, &four);
    CHECK(queue >= 0 && FAILS(mq_open("/letters", O_CREAT | O_EXCL | O_RDWR, 0600, &four), EEXIST));
    CHECK(FAILS(mq_unlink("/letters"), EACCES));
    end();

    letters_told(queue);

    begin("mq_receive, mq_send: two processes");
    order(ANSWER_LETTERS);
    CHECK(mq_send(queue, "one", 3, 1) == 0 && mq_send(queue, "urgent", 6, 9) == 0);
    /* It answers each at a priority above it, so that what it has not read comes behind. */
    CHECK(sem_post(&common->request) == 0 && sem_wait(&common->answer) == 0 && common->done == 2);
    CHECK(mq_receive(queue, message, sizeof message, &priority) == 6 && memcmp(message, "URGENT", 6) == 0);
    CHECK(priority == 10 && mq_receive(queue, message, sizeof message, &priority) == 3);
    CHECK(memcmp(message, "ONE", 3) == 0 && priority == 2);
    end();

    begin("mq_receive: a process that ends in the middle of a call leaves the queue empty");
    CHECK(mq_send(queue, "lost", 4, 0) == 0);
    order(DIE_IN_QUEUE);
    /* Its next life counts. */
    order(COUNT);
    soon = in(CLOCK_REALTIME, 1);
    CHECK(FAILS(mq_timedreceive(queue, message, sizeof message, NULL, &soon), ETIMEDOUT));
    for (int each = 0; each < 4; each++)
        CHECK(mq_send(queue, "again", 5, 0) == 0);
    CHECK(mq_getattr(queue, &attr) == 0 && attr.mq_curmsgs == 4);
    for (int each = 0; each < 4; each++)
        CHECK(mq_receive(queue, message, sizeof message, NULL) == 5);
    end();

    letters_left(queue);

    begin("mq_receive [EBADMSG]: whatever another process leaves in the region");
    CHECK(riposte_region("letters", &memory, NULL, NULL) == RIPOSTE_OK);
    for (int with = 1; with <= 8; with++) {
        /* All but the lock, and what says that it is made. */
        uint32_t *words = memory;
        soon = in(CLOCK_REALTIME, 1);
        memset(words + 2, with == 8 ? 0xFF : with << 4 | with, 1000);
        errno = 0;
        CHECK(mq_timedreceive(queue, message, sizeof message, NULL, &soon) == -1 || with < 8);
        CHECK(errno == 0 || errno == EBADMSG || errno == ETIMEDOUT);
        errno = 0;
        CHECK(mq_timedsend(queue, "x", 1, 0, &soon) == -1 || with < 8);
        CHECK(errno == 0 || errno == EBADMSG || errno == ETIMEDOUT);
    }
    CHECK(FAILS(mq_open("/letters", O_RDWR), EACCES));
    end();

    begin("mq_send, mq_receive: wherever in the region or behind it another process says that a place is");
    for (uint32_t at = 0; at != 1U << 31; at = at < LETTERS_WORDS ? at + 1 : at * 2)
        for (unsigned what = 0; what < 16; what++) {
            misplace(memory, what, at);
            errno = 0;
            CHECK(mq_timedsend(queue, "as long as it is", 16, at % MQ_PRIO_MAX, &past) == 0 || errno == EBADMSG);
            misplace(memory, what, at);
            CHECK(mq_timedreceive(queue, message, sizeof message, &priority, &past) <= 16 && priority < MQ_PRIO_MAX);
        }
    CHECK(mq_close(queue) == 0);
    end();
}

/* How many are said to wait, in the low half of a word. */
static unsigned waiting(const uint32_t *word)
{
    return *(const volatile uint32_t *)word & 0xFFFF;
}

/* Who waited, and whose process has ended. */
static void counted(void)
{
    pthread_condattr_t shared;
    pthread_barrierattr_t at_barrier;

    begin("pthread_cond_signal, pthread_cond_destroy: a thread that waited, and whose process has ended, is counted no more");
    CHECK(pthread_condattr_init(&shared) == 0);
    CHECK(pthread_condattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_cond_init(&common->waited_at, &shared) == 0);
    order(DIE_AT_CONDITION);
    order(COUNT);
    CHECK(waiting(&common->waited_at.__waiting) == 1 && pthread_cond_signal(&common->waited_at) == 0);
    CHECK(waiting(&common->waited_at.__waiting) == 0);
    order(DIE_AT_CONDITION);
    order(COUNT);
    CHECK(pthread_cond_broadcast(&common->waited_at) == 0 && waiting(&common->waited_at.__waiting) == 0);
    /* Who waits has still its signal, and leaves nothing. */
    CHECK(pthread_mutex_lock(&common->mutex) == 0);
    CHECK(pthread_cond_timedwait(&common->waited_at, &common->mutex, &(struct timespec){0, 1}) == ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&common->mutex) == 0);
    CHECK(waiting(&common->waited_at.__waiting) == 0);
    order(DIE_AT_CONDITION);
    order(COUNT);
    CHECK(pthread_cond_destroy(&common->waited_at) == EBUSY && pthread_cond_destroy(&common->waited_at) == 0);
    end();

    begin("pthread_barrier_wait, pthread_barrier_destroy: a thread that waited, and whose process has ended, keeps nobody");
    CHECK(pthread_barrierattr_init(&at_barrier) == 0);
    CHECK(pthread_barrierattr_setpshared(&at_barrier, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_barrier_init(&common->barrier, &at_barrier, 2) == 0);
    order(DIE_AT_BARRIER);
    order(COUNT);
    CHECK(pthread_barrier_wait(&common->barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK(pthread_barrier_destroy(&common->barrier) == EBUSY || waiting(&common->barrier.__waiting) == 0);
    CHECK(pthread_barrier_destroy(&common->barrier) == 0);
    end();
}

/* Whose process has ended while it waited to write. */
static void not_written(void)
{
    pthread_rwlockattr_t shared;

    begin("pthread_rwlock_rdlock, pthread_rwlock_wrlock: a thread that waited to write, and whose process has ended, leaves nothing");
    CHECK(pthread_rwlockattr_init(&shared) == 0);
    CHECK(pthread_rwlockattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_rwlock_init(&common->lock, &shared) == 0);
    CHECK(pthread_rwlock_rdlock(&common->lock) == 0);
    order(DIE_AT_LOCK);
    order(COUNT);
    CHECK(common->lock.__gate != 0);
    CHECK(pthread_rwlock_rdlock(&common->lock) == 0 && common->lock.__gate == 0);
    CHECK(pthread_rwlock_unlock(&common->lock) == 0 && pthread_rwlock_unlock(&common->lock) == 0);
    CHECK(pthread_rwlock_wrlock(&common->lock) == 0 && pthread_rwlock_unlock(&common->lock) == 0);
    CHECK(common->lock.__gate == 0 && common->lock.__readers == 0 && pthread_rwlock_destroy(&common->lock) == 0);
    end();
}

void shared(void)
{
    void *memory = NULL;
    size_t length = 0;
    pthread_mutexattr_t attr;

    begin("sem_init, sem_post, sem_wait: two processes meet at semaphores in a region");
    CHECK(riposte_region("common", &memory, &length, NULL) == RIPOSTE_OK && length >= sizeof *common);
    common = memory;
    CHECK(sem_init(&common->answer, 1, 0) == 0);
    order(COUNT);
    CHECK(common->done == 1);
    order(COUNT);
    CHECK(common->done == 2);
    end();

    begin("pthread_mutex_lock [EOWNERDEAD]: the owner's process has ended");
    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutex_init(&common->robust, &attr) == 0);
    order(LOCK_AND_DIE);
    CHECK(pthread_mutex_lock(&common->robust) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&common->robust) == 0 && pthread_mutex_unlock(&common->robust) == 0);
    end();

    begin("pthread_mutex_lock [EINVAL]: PTHREAD_PRIO_PROTECT, in a program that has no ceilings");
    const struct timespec soon = in(CLOCK_REALTIME, 1000);
    CHECK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT) == 0);
    CHECK(pthread_mutex_init(&common->ceiling, &attr) == 0);
    CHECK(sem_post(&common->plain_request) == 0 && sem_timedwait(&common->plain_answer, &soon) == 0);
    CHECK(common->plain[0] == EINVAL && common->plain[1] == EINVAL && common->plain[2] == EINVAL);
    CHECK(common->plain[3] == EPERM);
    end();

    begin("pthread_cond_signal, pthread_cond_wait: of two processes");
    CHECK(pthread_mutex_lock(&common->mutex) == 0);
    common->done = 0;
    order(WAIT_FOR_CHANGE);
    while (common->done == 0)
        CHECK(pthread_cond_wait(&common->changed, &common->mutex) == 0);
    common->done = 2;
    CHECK(pthread_cond_signal(&common->changed) == 0 && pthread_mutex_unlock(&common->mutex) == 0);
    CHECK(sem_wait(&common->answer) == 0 && common->done == 3);
    end();

    begin("pthread_barrier_wait: of two processes");
    CHECK(pthread_barrier_init(&common->barrier, NULL, 2) == 0);
    order(MEET);
    const int here = pthread_barrier_wait(&common->barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    CHECK(sem_wait(&common->answer) == 0);
    CHECK(here + (int)common->done == 1);
    end();
    counted();
    not_written();
    named();
    letters();
}
