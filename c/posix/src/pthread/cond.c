/* Condition variables: a word that counts signals, at which threads wait. */

#include "../cancel/cancel.h"
#include "cond.h"
#include "mutex.h"
#include "users.h"

/* In the word that counts who waits: how many, and how often that began anew. */
#define COUNT UINT32_C(0xFFFF)

static inline struct riposte_private_event *event_of(const pthread_cond_t *cond)
{
    return (struct riposte_private_event *)(uintptr_t)cond;
}

static inline bool is_awaited(const pthread_cond_t *cond)
{
    return riposte_private_event_is_awaited(event_of(cond));
}

/* Wakes so many, and lets nobody fall asleep who was on the way; how many were woken. */
static COLD uint32_t wake_in(pthread_cond_t *cond, uint32_t most)
{
    uint32_t woken = 0;
    riposte_word_add(&cond->__signals, 1);
    riposte_futex_wake(&cond->__signals, most, &woken);
    return woken;
}

/* The signals are counted only while somebody waits: who does has counted itself before. Who waits for one that processes
 * share may have died: where nobody is found, the count begins anew. That of a process's own is of those who may touch it
 * yet, for whom pthread_cond_destroy waits. */
static COLD void wake(pthread_cond_t *cond, uint32_t most)
{
    if (cond->__shared)
        riposte_private_event_wake(event_of(cond), most);
    else
        wake_in(cond, most);
}

int pthread_cond_signal(pthread_cond_t *cond)
{
    if (is_awaited(cond))
        wake(cond, 1);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
    if (is_awaited(cond))
        wake(cond, UINT32_MAX);
    return 0;
}

/* Whether a wait that ended so has a signal for the caller, who passes it on if it is to be cancelled. */
static bool takes_turn(pthread_cond_t *cond, riposte_error_t waited)
{
    if (waited != RIPOSTE_OK && waited != RIPOSTE_ERROR_WOULD_BLOCK)
        return false;
    if (!posix_cancel_is_due || !posix_cancel_is_due())
        return true;
    pthread_cond_signal(cond);
    return false;
}

/* Who was counted as that was in the word waits no more. */
static void leave(pthread_cond_t *cond, uint32_t before)
{
    uint32_t waiting = riposte_word_load(&cond->__waiting);
    if (!cond->__shared) {
        posix_users_leave(&cond->__waiting, &cond->__left);
        return;
    }
    while ((waiting & ~COUNT) == (before & ~COUNT) && (waiting & COUNT)
           && !riposte_word_compare_exchange(&cond->__waiting, &waiting, waiting - 1))
        ;
}

static int wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, riposte_deadline_t deadline, bool *has_turn)
{
    const uint32_t again = mutex->__again;
    uint32_t seen, before;
    riposte_error_t waited = RIPOSTE_OK;
    int error;

    if (!LIKELY(again == 0)) {
        if (!posix_mutex_is_own(mutex))
            return EPERM;
        mutex->__again = 0;
    }
    /* In this order: if the count begins anew behind the second, the signals change behind the first. */
    seen = riposte_word_load(&cond->__signals);
    before = riposte_word_add(&cond->__waiting, 1);
    error = pthread_mutex_unlock(mutex);
    if (!error) {
        waited = riposte_futex_wait_until(&cond->__signals, seen, deadline);
        *has_turn = takes_turn(cond, waited);
    }
    leave(cond, before);
    if (error)
        return error;
    error = pthread_mutex_lock(mutex);
    if (error == 0 || error == EOWNERDEAD)
        mutex->__again = again;
    if (error)
        return error;
    /* A signal in between, or one that was handled, is a wake-up: who waits looks whether it is its own. */
    return waited == RIPOSTE_ERROR_TIMED_OUT ? ETIMEDOUT : 0;
}

int posix_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until, bool *has_turn)
{
    riposte_deadline_t deadline = RIPOSTE_FOREVER;
    *has_turn = false;
    if (until && !posix_deadline(cond->__clock ? cond->__clock : CLOCK_REALTIME, until, &deadline))
        return EINVAL;
    return wait_until(cond, mutex, deadline, has_turn);
}

int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
    bool has_turn;
    return posix_cond_wait(cond, mutex, NULL, &has_turn);
}

int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until)
{
    bool has_turn;
    return posix_cond_wait(cond, mutex, until, &has_turn);
}

int pthread_cond_init(pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attr)
{
    static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    *cond = fresh;
    if (attr) {
        cond->__clock = (uint8_t)attr->__clock;
        cond->__shared = attr->__shared;
    }
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *cond)
{
    if (!is_awaited(cond))
        return 0;
    /* Who was let go does not wait in the kernel, and who would begin to, does not either now. Those that are woken here
     * nobody has let go: they look, and wait on. */
    if (wake_in(cond, UINT32_MAX))
        return EBUSY;
    if (cond->__shared) {
        /* Who is still counted may have died: it is so no more, or comes back before the next try. */
        wake(cond, UINT32_MAX);
        return EBUSY;
    }
    posix_users_await(&cond->__waiting, &cond->__left);
    return 0;
}

int pthread_condattr_init(pthread_condattr_t *attr)
{
    static const pthread_condattr_t fresh = {CLOCK_REALTIME, 0};
    *attr = fresh;
    return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *restrict attr, clockid_t *restrict clock)
{
    *clock = attr->__clock;
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    attr->__clock = clock;
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_condattr_getpshared(const pthread_condattr_t *restrict attr, int *restrict shared)
{
    *shared = attr->__shared;
    return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    /* One that lies in memory that processes share is theirs either way. */
    attr->__shared = (uint8_t)shared;
    return 0;
}
