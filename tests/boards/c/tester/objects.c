/* What threads wait for, alone: while nobody has to, with deadlines, and at the limits. Threads that
 * wait for each other are in threads.c. */

#include "check.h"

static void steps(void)
{
    uint32_t word = 5, expected = 4;

    begin("words change in one step");
    CHECK(riposte_word_load(&word) == 5);
    riposte_word_store(&word, 6);
    CHECK(!riposte_word_compare_exchange(&word, &expected, 7) && expected == 6 && word == 6);
    CHECK(riposte_word_compare_exchange(&word, &expected, 7) && word == 7);
    CHECK(riposte_word_swap(&word, 8) == 7 && word == 8);
    CHECK(riposte_word_add(&word, UINT32_MAX) == 8 && word == 7);
    CHECK(riposte_word_or(&word, 24) == 7 && word == 31);
    CHECK(riposte_word_and(&word, 17) == 31 && word == 17);
    end();
}

static void semaphores(void)
{
    static riposte_semaphore_t units = RIPOSTE_SEMAPHORE(1);
    static riposte_semaphore_t most = RIPOSTE_SEMAPHORE(RIPOSTE_SEMAPHORE_MAX_UNITS);

    begin("a semaphore has as many units as were given");
    CHECK(riposte_semaphore_units(&units) == 1);
    CHECK(riposte_semaphore_take(&units) == RIPOSTE_OK && riposte_semaphore_units(&units) == 0);
    CHECK(riposte_semaphore_try_take(&units) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_semaphore_take_until(&units, RIPOSTE_IMMEDIATE) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_semaphore_take_until(&units, soon()) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_semaphore_give(&units) == RIPOSTE_OK && units.word == 1);
    CHECK(riposte_semaphore_try_take(&units) == RIPOSTE_OK && units.word == 0);
    CHECK(riposte_semaphore_give(&most) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(most.word == RIPOSTE_SEMAPHORE_MAX_UNITS);
    end();
}

static void mutexes(void)
{
    static riposte_mutex_t mutex = RIPOSTE_MUTEX;
    static riposte_recursive_mutex_t again = RIPOSTE_RECURSIVE_MUTEX;

    begin("a mutex is held once, and given up by its holder alone");
    CHECK(riposte_mutex_unlock(&mutex) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_mutex_lock(&mutex) == RIPOSTE_OK);
    CHECK(mutex.word == riposte_thread_current().id);
    CHECK(riposte_mutex_lock(&mutex) == RIPOSTE_ERROR_DEADLOCK);
    CHECK(riposte_mutex_try_lock(&mutex) == RIPOSTE_ERROR_DEADLOCK);
    CHECK(riposte_mutex_lock_until(&mutex, soon()) == RIPOSTE_ERROR_DEADLOCK);
    CHECK(!riposte_mutex_owner_died(&mutex));
    CHECK(riposte_mutex_unlock(&mutex) == RIPOSTE_OK && mutex.word == 0);
    CHECK(riposte_mutex_try_lock(&mutex) == RIPOSTE_OK);
    CHECK(riposte_mutex_unlock(&mutex) == RIPOSTE_OK);
    end();

    begin("a recursive mutex is given up as often as it was taken");
    CHECK(riposte_recursive_mutex_unlock(&again) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_recursive_mutex_lock(&again) == RIPOSTE_OK);
    CHECK(riposte_recursive_mutex_try_lock(&again) == RIPOSTE_OK);
    CHECK(riposte_recursive_mutex_lock_until(&again, soon()) == RIPOSTE_OK && again.again == 2);
    CHECK(riposte_recursive_mutex_unlock(&again) == RIPOSTE_OK);
    CHECK(riposte_recursive_mutex_unlock(&again) == RIPOSTE_OK && again.lock.word != 0);
    CHECK(riposte_recursive_mutex_unlock(&again) == RIPOSTE_OK && again.lock.word == 0);
    CHECK(riposte_recursive_mutex_unlock(&again) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_recursive_mutex_lock(&again) == RIPOSTE_OK);
    again.again = UINT32_MAX;
    CHECK(riposte_recursive_mutex_lock(&again) == RIPOSTE_ERROR_WOULD_BLOCK);
    end();
}

static void conditions(void)
{
    static riposte_condvar_t condvar = RIPOSTE_CONDVAR;
    static riposte_mutex_t mutex = RIPOSTE_MUTEX;

    begin("a condition variable wants its mutex, and gives it back");
    CHECK(riposte_condvar_wait(&condvar, &mutex) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_mutex_lock(&mutex) == RIPOSTE_OK);
    CHECK(riposte_condvar_wait_until(&condvar, &mutex, soon()) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_condvar_wait_until(&condvar, &mutex, RIPOSTE_IMMEDIATE) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(mutex.word == riposte_thread_current().id);
    riposte_condvar_notify_one(&condvar);
    riposte_condvar_notify_all(&condvar);
    CHECK(condvar.event.signals == 0 && condvar.event.waiting == 0);
    CHECK(riposte_mutex_unlock(&mutex) == RIPOSTE_OK);
    end();
}

static void locks(void)
{
    static riposte_rwlock_t lock = RIPOSTE_RWLOCK;

    begin("a read-write lock is read by many or written by one");
    CHECK(riposte_rwlock_unlock_read(&lock) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_rwlock_unlock_write(&lock) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_rwlock_read(&lock) == RIPOSTE_OK);
    CHECK(riposte_rwlock_try_read(&lock) == RIPOSTE_OK);
    CHECK(riposte_rwlock_read_until(&lock, soon()) == RIPOSTE_OK && lock.readers == 6);
    CHECK(riposte_rwlock_try_write(&lock) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_rwlock_write_until(&lock, soon()) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_rwlock_unlock_read(&lock) == RIPOSTE_OK);
    CHECK(riposte_rwlock_unlock_read(&lock) == RIPOSTE_OK);
    CHECK(riposte_rwlock_unlock_read(&lock) == RIPOSTE_OK && lock.readers == 0);
    CHECK(riposte_rwlock_write(&lock) == RIPOSTE_OK);
    CHECK(riposte_rwlock_read(&lock) == RIPOSTE_ERROR_DEADLOCK);
    CHECK(riposte_rwlock_unlock_write(&lock) == RIPOSTE_OK);
    CHECK(riposte_rwlock_unlock_write(&lock) == RIPOSTE_ERROR_NOT_PERMITTED);
    CHECK(riposte_rwlock_try_write(&lock) == RIPOSTE_OK);
    CHECK(riposte_rwlock_unlock_write(&lock) == RIPOSTE_OK);
    end();
}

static riposte_once_t once = RIPOSTE_ONCE;

static void count(void *counter)
{
    ++*(int *)counter;
}

static void within(void *error)
{
    *(riposte_error_t *)error = riposte_once_call(&once, count, NULL);
}

static void meetings(void)
{
    static riposte_once_t other = RIPOSTE_ONCE, late = RIPOSTE_ONCE;
    static riposte_barrier_t barrier = RIPOSTE_BARRIER(1);
    riposte_error_t error = RIPOSTE_OK;
    int calls = 0;
    bool last = false;

    begin("once is once, and not within itself");
    CHECK(!riposte_once_is_done(&other));
    CHECK(riposte_once_call(&other, count, &calls) == RIPOSTE_OK && calls == 1);
    CHECK(riposte_once_is_done(&other));
    CHECK(riposte_once_call_until(&other, count, &calls, soon()) == RIPOSTE_OK && calls == 1);
    CHECK(riposte_once_call_until(&late, count, &calls, RIPOSTE_IMMEDIATE) == RIPOSTE_OK && calls == 2);
    CHECK(riposte_once_call_until(&late, count, &calls, RIPOSTE_IMMEDIATE) == RIPOSTE_OK && calls == 2);
    calls = 1;
    CHECK(riposte_once_call(&other, count, &calls) == RIPOSTE_OK && calls == 1);
    CHECK(riposte_once_call(&once, within, &error) == RIPOSTE_OK && error == RIPOSTE_ERROR_DEADLOCK);
    end();

    begin("a barrier lets nobody pass alone, unless it is for one");
    CHECK(riposte_barrier_wait(&barrier, &last) == RIPOSTE_OK && last);
    riposte_barrier_set(&barrier, 2);
    CHECK(riposte_barrier_wait_until(&barrier, soon(), &last) == RIPOSTE_ERROR_TIMED_OUT);
    CHECK(riposte_barrier_wait_until(&barrier, RIPOSTE_IMMEDIATE, NULL) == RIPOSTE_ERROR_WOULD_BLOCK);
    end();
}

static void flags(void)
{
    static riposte_event_flags_t events = RIPOSTE_EVENT_FLAGS(1);
    uint32_t found = 0;

    begin("event flags are waited for, any or all, and cleared if asked");
    CHECK(riposte_event_flags_wait(&events, 3, RIPOSTE_ANY, &found) == RIPOSTE_OK && found == 1);
    CHECK(riposte_event_flags_try_wait(&events, 3, RIPOSTE_ALL, &found) == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_event_flags_wait_until(&events, 3, RIPOSTE_ALL, soon(), NULL) == RIPOSTE_ERROR_TIMED_OUT);
    riposte_event_flags_set(&events, 6);
    CHECK(riposte_event_flags_get(&events) == 7);
    CHECK(riposte_event_flags_wait(&events, 3, RIPOSTE_ALL | RIPOSTE_CLEAR, &found) == RIPOSTE_OK);
    CHECK(found == 3 && events.flags == 4);
    CHECK(riposte_event_flags_clear(&events, 5) == 4 && events.flags == 0);
    CHECK(riposte_event_flags_wait_until(&events, 1, RIPOSTE_ANY, RIPOSTE_IMMEDIATE, NULL)
          == RIPOSTE_ERROR_WOULD_BLOCK);
    CHECK(riposte_event_flags_try_wait(&events, 0, RIPOSTE_ALL, NULL) == RIPOSTE_OK);
    end();
}

void objects(void)
{
    steps();
    semaphores();
    mutexes();
    conditions();
    locks();
    meetings();
    flags();
}
