/* Threads that a program starts, and what they wait for each other with. */

#include "check.h"

#include <string.h>

static const riposte_thread_settings_t less_urgent = {9, RIPOSTE_POLICY_FIFO, 0};
static const riposte_thread_settings_t more_urgent = {11, RIPOSTE_POLICY_FIFO, 0};

static riposte_semaphore_t go = RIPOSTE_SEMAPHORE(0);
static riposte_mutex_t mutex = RIPOSTE_MUTEX;
static riposte_condvar_t changed = RIPOSTE_CONDVAR;
static riposte_event_flags_t flags = RIPOSTE_EVENT_FLAGS(0);
static riposte_mailbox_t mailbox = RIPOSTE_MAILBOX;
static riposte_barrier_t barrier = RIPOSTE_BARRIER(2);
static riposte_rwlock_t lock = RIPOSTE_RWLOCK;
static uint32_t state;
RIPOSTE_QUEUE(queue, uint32_t, 1);
RIPOSTE_BYTE_QUEUE(bytes, 2);
RIPOSTE_POOL(pool, uint32_t, 1);
RIPOSTE_THREAD_LOCAL(own, uint32_t, 4);

static uint32_t twice(void *argument)
{
    return 2 * *(uint32_t *)argument;
}

static uint32_t leaves(void *argument)
{
    (void)argument;
    riposte_thread_exit(7);
}

static uint32_t waits(void *argument)
{
    (void)argument;
    riposte_semaphore_take(&go);
    return riposte_thread_current().id;
}

static void lives(void)
{
    static const riposte_thread_t nobody;
    riposte_thread_t first, second, third;
    uint32_t argument = 21, value = 0, before = 0, policy = 9;

    begin("a thread is started, ends, and is joined once");
    CHECK(riposte_thread_spawn(twice, &argument, &more_urgent, &first) == RIPOSTE_OK);
    CHECK(riposte_thread_join_until(first, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 42);
    CHECK(riposte_thread_join_until(first, RIPOSTE_FOREVER, &value) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_thread_spawn(leaves, NULL, &less_urgent, &first) == RIPOSTE_OK);
    CHECK(riposte_thread_join_until(first, RIPOSTE_IMMEDIATE, NULL) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_thread_join_until(first, RIPOSTE_FOREVER, &value) == RIPOSTE_OK && value == 7);
    CHECK(riposte_thread_detach(first) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_thread_join_until(riposte_thread_current(), RIPOSTE_FOREVER, NULL) != RIPOSTE_OK);
    end();

    begin("there are as many threads as the manifest says, and as urgent as it permits");
    CHECK(riposte_thread_spawn(NULL, NULL, &more_urgent, &first) == RIPOSTE_ERROR_BAD_ADDRESS);
    CHECK(riposte_thread_spawn(waits, NULL, &(riposte_thread_settings_t){13, 0, 0}, &first)
          == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_thread_spawn(waits, NULL, &(riposte_thread_settings_t){0, 0, 0}, &first)
          == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_thread_spawn(waits, NULL, &(riposte_thread_settings_t){9, 0, 1 << 20}, &first)
          == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_thread_spawn(waits, NULL, &more_urgent, &first) == RIPOSTE_OK);
    CHECK(riposte_thread_spawn(waits, NULL, &more_urgent, &second) == RIPOSTE_OK);
    CHECK(riposte_thread_spawn(waits, NULL, &more_urgent, &third) == RIPOSTE_ERROR_EXHAUSTED);
    CHECK(strstr(riposte_error_text(RIPOSTE_ERROR_EXHAUSTED), "threads_spare") != NULL);
    CHECK(strcmp(riposte_error_text(RIPOSTE_OK), "no error") == 0);
    CHECK(strcmp(riposte_error_text(UINT32_MAX), "no such error") == 0);
    CHECK(riposte_thread_join_until(first, riposte_clock() + 1000, NULL) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_thread_set_priority(first, 8, &before) == RIPOSTE_OK && before == 11);
    CHECK(riposte_thread_set_priority(first, 0, NULL) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_thread_set_priority(first, 13, NULL) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_thread_set_policy(first, RIPOSTE_POLICY_ADAPTIVE, &policy) == RIPOSTE_OK);
    CHECK(policy == RIPOSTE_POLICY_FIFO);
    CHECK(riposte_thread_set_policy(first, 7, NULL) == RIPOSTE_ERROR_BAD_ARGUMENT);
    CHECK(riposte_thread_schedule(first, &before, &policy) == RIPOSTE_OK);
    CHECK(before == 8 && policy == RIPOSTE_POLICY_ADAPTIVE);
    CHECK(riposte_thread_schedule(riposte_thread_current(), &before, NULL) == RIPOSTE_OK);
    CHECK(riposte_thread_effective_priority(&value) == RIPOSTE_OK && value == before);
    /* The more urgent one is served first. */
    CHECK(riposte_semaphore_give(&go) == RIPOSTE_OK);
    CHECK(riposte_thread_join_until(second, RIPOSTE_IMMEDIATE, &value) == RIPOSTE_OK);
    CHECK(value == second.id && value != riposte_thread_current().id);
    CHECK(riposte_semaphore_give(&go) == RIPOSTE_OK);
    CHECK(riposte_thread_detach(first) == RIPOSTE_OK);
    riposte_sleep(1000000);
    CHECK(riposte_thread_schedule(first, NULL, NULL) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_thread_set_priority(first, 9, NULL) == RIPOSTE_ERROR_BAD_HANDLE);
    end();

    begin("no thread is {0}, which is not the caller either");
    CHECK(riposte_thread_schedule(nobody, NULL, NULL) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_thread_set_priority(nobody, 9, NULL) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_thread_set_policy(nobody, RIPOSTE_POLICY_ROUND_ROBIN, NULL) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_thread_join_until(nobody, RIPOSTE_IMMEDIATE, NULL) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_thread_detach(nobody) == RIPOSTE_ERROR_BAD_HANDLE);
    CHECK(riposte_signal_send_thread(nobody, 1, 0) == RIPOSTE_ERROR_BAD_HANDLE);
    end();
}

/* Waits at one thing after the other; whatever is wrong is its exit value. */
static uint32_t follower(void *argument)
{
    uint32_t word = 0, found = 0;
    void *block = NULL;
    bool last = true;
    (void)argument;
    if (riposte_semaphore_take(&go) != RIPOSTE_OK)
        return 1;
    if (riposte_mutex_lock(&mutex) != RIPOSTE_OK)
        return 2;
    while (state != 5)
        if (riposte_condvar_wait(&changed, &mutex) != RIPOSTE_OK)
            return 3;
    if (riposte_mutex_unlock(&mutex) != RIPOSTE_OK)
        return 4;
    if (riposte_event_flags_wait(&flags, 6, RIPOSTE_ALL | RIPOSTE_CLEAR, &found) != RIPOSTE_OK || found != 6)
        return 5;
    if (riposte_mailbox_fetch(&mailbox, &word) != RIPOSTE_OK || word != 77)
        return 6;
    if (riposte_queue_receive(&queue, &word) != RIPOSTE_OK || word != 78)
        return 7;
    if (riposte_pool_allocate(&pool, &block) != RIPOSTE_OK || riposte_pool_release(&pool, block) != RIPOSTE_OK)
        return 8;
    if (riposte_rwlock_read(&lock) != RIPOSTE_OK || riposte_rwlock_unlock_read(&lock) != RIPOSTE_OK)
        return 9;
    if (riposte_barrier_wait(&barrier, &last) != RIPOSTE_OK || last)
        return 10;
    if (riposte_byte_queue_receive(&bytes, &word, sizeof word, NULL) != RIPOSTE_OK || word != 90)
        return 13;
    /* Leaves the mailbox and the queue full, for the other one to wait. */
    word = 80;
    if (riposte_mailbox_post(&mailbox, 79) != RIPOSTE_OK || riposte_queue_send(&queue, &word) != RIPOSTE_OK)
        return 11;
    if (riposte_mailbox_post(&mailbox, 81) != RIPOSTE_OK || riposte_queue_send(&queue, &word) != RIPOSTE_OK)
        return 12;
    return 0;
}

static void waiting(void)
{
    riposte_thread_t other;
    uint32_t word = 78, value = 99;
    void *block = NULL;
    bool last = false;

    begin("a thread that waits goes on when another one has done what it waits for");
    CHECK(riposte_pool_allocate(&pool, &block) == RIPOSTE_OK);
    CHECK(riposte_rwlock_write(&lock) == RIPOSTE_OK);
    CHECK(riposte_thread_spawn(follower, NULL, &more_urgent, &other) == RIPOSTE_OK);
    CHECK(go.word == RIPOSTE_SEMAPHORE_WAITERS);
    CHECK(riposte_mutex_lock(&mutex) == RIPOSTE_OK);
    CHECK(riposte_semaphore_give(&go) == RIPOSTE_OK);
    CHECK((mutex.word & RIPOSTE_LOCK_WAITERS) != 0);
    CHECK(riposte_mutex_unlock(&mutex) == RIPOSTE_OK);
    CHECK(changed.event.waiting == 1);
    riposte_condvar_notify_all(&changed);
    CHECK(riposte_mutex_lock(&mutex) == RIPOSTE_OK);
    state = 5;
    riposte_condvar_notify_one(&changed);
    CHECK(riposte_mutex_unlock(&mutex) == RIPOSTE_OK);
    CHECK(flags.changed.waiting == 1);
    riposte_event_flags_set(&flags, 2);
    riposte_event_flags_set(&flags, 4);
    CHECK(flags.flags == 0 && mailbox.posted.waiting == 1);
    CHECK(riposte_mailbox_post(&mailbox, 77) == RIPOSTE_OK && mailbox.word == 0);
    CHECK(riposte_queue_send(&queue, &word) == RIPOSTE_OK && riposte_queue_length(&queue) == 0);
    CHECK(riposte_pool_release(&pool, block) == RIPOSTE_OK);
    CHECK(riposte_rwlock_unlock_write(&lock) == RIPOSTE_OK);
    CHECK(riposte_barrier_wait(&barrier, &last) == RIPOSTE_OK && last);
    word = 90;
    CHECK(riposte_byte_queue_send(&bytes, &word, sizeof word) == RIPOSTE_OK);
    CHECK(mailbox.word == 79 && riposte_queue_length(&queue) == 1);
    CHECK(riposte_mailbox_fetch(&mailbox, &word) == RIPOSTE_OK && word == 79);
    CHECK(riposte_queue_receive(&queue, &word) == RIPOSTE_OK && word == 80);
    CHECK(riposte_thread_join_until(other, riposte_clock() + 1000000000, &value) == RIPOSTE_OK && value == 0);
    CHECK(riposte_mailbox_fetch(&mailbox, &word) == RIPOSTE_OK && word == 81);
    CHECK(riposte_queue_receive(&queue, &word) == RIPOSTE_OK && word == 80);
    end();
}

static uint32_t dies(void *argument)
{
    (void)argument;
    return riposte_mutex_lock(&mutex);
}

static void robust(void)
{
    riposte_thread_t other;

    begin("whoever gets the mutex of a thread that has ended is told, until it is repaired");
    CHECK(riposte_thread_spawn(dies, NULL, &more_urgent, &other) == RIPOSTE_OK);
    CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, NULL) == RIPOSTE_OK);
    CHECK(riposte_mutex_lock(&mutex) == RIPOSTE_OK && riposte_mutex_owner_died(&mutex));
    CHECK(riposte_mutex_unlock(&mutex) == RIPOSTE_OK);
    CHECK(riposte_mutex_lock(&mutex) == RIPOSTE_OK && riposte_mutex_owner_died(&mutex));
    riposte_mutex_repaired(&mutex);
    CHECK(!riposte_mutex_owner_died(&mutex) && riposte_mutex_unlock(&mutex) == RIPOSTE_OK);
    CHECK(riposte_mutex_lock(&mutex) == RIPOSTE_OK && !riposte_mutex_owner_died(&mutex));
    CHECK(riposte_mutex_unlock(&mutex) == RIPOSTE_OK);
    end();
}

static uint32_t counts(void *argument)
{
    uint32_t *const counter = riposte_thread_local(&own);
    (void)argument;
    return ++*counter;
}

static void locals(void)
{
    static uint32_t owner, value;
    static const riposte_thread_local_t none = {&owner, &value, sizeof value, 0};
    riposte_thread_t other;
    uint32_t result = 0;

    begin("each thread has its own data, also one that takes the place of another");
    CHECK(riposte_thread_local(&none) == NULL);
    CHECK(counts(NULL) == 1 && counts(NULL) == 2);
    for (int round = 0; round < 2; round++) {
        CHECK(riposte_thread_spawn(counts, NULL, &more_urgent, &other) == RIPOSTE_OK);
        CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, &result) == RIPOSTE_OK && result == 1);
    }
    CHECK(counts(NULL) == 3);
    end();
}

void threads(void)
{
    lives();
    waiting();
    robust();
    locals();
}
