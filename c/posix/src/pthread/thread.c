/* Threads: spare ones of the process. */

#include "thread.h"

#include "../cancel/cancel.h"
#include "../signal/signals.h"
#include "circle.h"
#include "mutex.h"

#include <stdlib.h>

/* How many threads live that pthread_create has started; and whether the main thread waits for their end. */
static uint32_t living;
static uint32_t main_waits;
/* Whether the calling thread is one of them: those of the manifest and of riposte_thread_spawn may end here, too. */
static _Thread_local bool is_counted;

static __attribute__((noreturn)) void end(void *value, bool counts);

static __attribute__((noreturn)) void begin(void *argument, uint32_t index, uint32_t id, void *(*start)(void *))
{
    riposte_private_thread_begin(index, id);
    is_counted = true;
    if (posix_inherit_mask)
        argument = posix_inherit_mask(argument);
    end(start(argument), true);
}

static __attribute__((noreturn)) void begin_own(void *argument, uint32_t index, uint32_t id, void *(*body)(void *))
{
    riposte_private_thread_begin(index, id);
    body(argument);
    riposte_thread_exit(0);
}

static inline void set_up(riposte_thread_settings_t *how, const pthread_attr_t *attr)
{
    *how = (riposte_thread_settings_t){0, RIPOSTE_POLICY_SAME, 0};
    if (attr) {
        how->stack = attr->__stack;
        if (attr->__explicit) {
            how->priority = attr->__priority;
            how->policy = posix_policy_to_kernel(attr->__policy);
        }
    }
    if (posix_ceiling_inherit && how->policy == RIPOSTE_POLICY_SAME)
        posix_ceiling_inherit(&how->priority, &how->policy);
}

static COLD int create_failed(riposte_error_t error)
{
    if (error == RIPOSTE_ERROR_NOT_PERMITTED)
        return EPERM;
    /* No thread is spare, or none has such a stack; of the rest the attributes allow nothing wrong. */
    return error == RIPOSTE_ERROR_BAD_ADDRESS ? EINVAL : EAGAIN;
}

/* One of the threads that the process's end waits for has ended, or not begun. */
static inline void one_less(void)
{
    if (riposte_word_add(&living, UINT32_MAX) == 1 && riposte_word_load(&main_waits)) {
        uint32_t woken;
        riposte_word_wake(&living, 1, &woken);
    }
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*start)(void *),
                   void *restrict argument)
{
    riposte_thread_settings_t how;
    riposte_thread_t made;
    riposte_error_t error;
    /* The thread may have ended before this goes on, and the attributes with it, or what its id was written to. */
    const bool is_detached = attr && attr->__detached;
    riposte_word_add(&living, 1);
    set_up(&how, attr);
    error = (posix_create_masked ? posix_create_masked : riposte_private_thread_create)(
        (uintptr_t)begin, (uintptr_t)start, argument, &how, &made);
    if (!LIKELY(error == RIPOSTE_OK)) {
        one_less();
        return create_failed(error);
    }
    *thread = made.id;
    if (is_detached)
        riposte_thread_detach(made);
    return 0;
}

int posix_thread_start(const pthread_attr_t *attr, void *(*body)(void *), void *argument, uint32_t *id)
{
    riposte_thread_settings_t how;
    riposte_thread_t thread;
    riposte_error_t error;
    set_up(&how, attr);
    error = riposte_private_thread_create((uintptr_t)begin_own, (uintptr_t)body, argument, &how, &thread);
    if (error != RIPOSTE_OK)
        return create_failed(error);
    *id = thread.id;
    riposte_thread_detach(thread);
    return 0;
}

void posix_thread_call(void (*function)(union sigval), union sigval value)
{
    /* Both or neither, at either end: a handler may end the thread. */
    uint64_t masked = posix_hold_signals();
    riposte_word_add(&living, 1);
    is_counted = true;
    posix_release_signals(masked);
    function(value);
    if (posix_at_thread_end)
        posix_at_thread_end();
    masked = posix_hold_signals();
    is_counted = false;
    one_less();
    posix_release_signals(masked);
}

/* The process ends with its last thread: its main thread has nothing more to do. */
static COLD __attribute__((noreturn)) void end_main(void)
{
    uint32_t left;
    riposte_word_store(&main_waits, 1);
    while ((left = riposte_word_load(&living)) != 0)
        riposte_word_wait(&living, left);
    exit(0);
}

static void end(void *value, bool counts)
{
    uint32_t refused;
    if (posix_cancel_no_more)
        posix_cancel_no_more();
    if (posix_circle_end)
        posix_circle_end();
    if (posix_clean_up)
        posix_clean_up();
    if (posix_at_thread_end)
        posix_at_thread_end();
    if (riposte_private_own_index() == 0)
        end_main();
    if (counts) {
        if (posix_signals_defer) {
            /* For good: behind its count no handler may end the thread once more. */
            posix_signals_defer();
            /* Nor does one count that comes before the first instruction of whoever has this storage next. */
            is_counted = false;
        }
        one_less();
    }
    riposte_private_trap_about(RIPOSTE_NUMBER_THREAD_EXIT, (uint32_t)(uintptr_t)value, &refused);
    /* Says why it has not ended. */
    riposte_thread_exit((uint32_t)(uintptr_t)value);
}

void pthread_exit(void *value)
{
    end(value, is_counted);
}

/* Waits for a thread's end, whose value it stores. */
static inline riposte_error_t join(pthread_t thread, uint32_t *value)
{
    uint32_t error, info;
    /* The call takes the thread as others take a word's address. */
    info = riposte_private_trap_at_word(RIPOSTE_NUMBER_THREAD_JOIN, (const uint32_t *)(uintptr_t)thread, 0, &error, value);
    return LIKELY((info & RIPOSTE_INFO_ERROR) == 0) ? RIPOSTE_OK : (riposte_error_t)error;
}

COLD bool posix_joins_again(pthread_t thread, riposte_error_t error)
{
    if (error == RIPOSTE_ERROR_DEADLOCK)
        return !pthread_equal(thread, pthread_self()) && posix_is_to_try_again(thread, RIPOSTE_FOREVER);
    return error == RIPOSTE_ERROR_INTERRUPTED;
}

COLD int posix_join_failed(riposte_error_t error)
{
    switch (error) {
    case RIPOSTE_ERROR_DEADLOCK:
        return EDEADLK;
    case RIPOSTE_ERROR_BAD_HANDLE:
        return ESRCH;
    default:
        return EINVAL;
    }
}

static inline int joined(uint32_t result, void **value)
{
    if (value)
        *value = (void *)(uintptr_t)result;
    return 0;
}

/* A join from the beginning, behind one that has failed: so the quick way needs no more registers than its arguments. */
static COLD int join_anew(pthread_t thread, void **value)
{
    uint32_t result;
    riposte_error_t error;
    while ((error = join(thread, &result)) != RIPOSTE_OK)
        if (!posix_joins_again(thread, error))
            return posix_join_failed(error);
    return joined(result, value);
}

int pthread_join(pthread_t thread, void **value)
{
    uint32_t result;
    riposte_error_t error;
    do
        error = join(thread, &result);
    while (!LIKELY(error != RIPOSTE_ERROR_INTERRUPTED));
    if (!LIKELY(error == RIPOSTE_OK))
        return join_anew(thread, value);
    return joined(result, value);
}

int pthread_detach(pthread_t thread)
{
    switch (riposte_thread_detach((riposte_thread_t){thread})) {
    case RIPOSTE_OK:
        return 0;
    case RIPOSTE_ERROR_BAD_HANDLE:
        return ESRCH;
    default:
        return EINVAL;
    }
}

pthread_t pthread_self(void)
{
    return riposte_private_own_id();
}

int pthread_equal(pthread_t one, pthread_t other)
{
    return one == other;
}
