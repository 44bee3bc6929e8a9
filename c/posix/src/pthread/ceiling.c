/* PTHREAD_PRIO_PROTECT: while a thread holds such mutexes it runs at least at the highest of their ceilings. */

#include "mutex.h"

/* What the priority of a thread with a ceiling follows from. Any thread of the process may change it, with the lock, and
 * tells the kernel of it before it gives that back: so the kernel has what was set last. */
struct level {
    /* The thread, as long as it has a ceiling; else 0, or one that has ended in its place. */
    uint32_t thread;
    /* The priority that it was last given by anybody, and the highest ceiling. */
    uint32_t base, ceiling;
};

/* The mutexes with a ceiling that the thread holds or waits for, and which ceilings they had then: here, since others may
 * write where they lie. */
#define MOST 8
struct held {
    const pthread_mutex_t *mutex;
    uint32_t ceiling;
};
static __thread struct held held[MOST];
static __thread struct level own;
static riposte_mutex_t lock = RIPOSTE_MUTEX;

/* Whose address is how many bytes further the next thread's storage is. */
extern const char __thread_storage_stride[];

/* With the lock no handler runs, which might want it, or wait for somebody who does. Returns what was masked. */
static uint64_t take(void)
{
    const uint64_t masked = posix_hold_signals();
    riposte_mutex_lock(&lock);
    return masked;
}

static void give(uint64_t masked)
{
    riposte_mutex_unlock(&lock);
    posix_release_signals(masked);
}

/* The level of a thread of the process that the kernel knows; NULL if it has no ceiling. With the lock. */
static struct level *level_of(uint32_t thread)
{
    const int32_t further = (int32_t)(thread & RIPOSTE_THREAD_INDEX_MASK)
        - (int32_t)(riposte_private_own_id() & RIPOSTE_THREAD_INDEX_MASK);
    const uint32_t place = (uint32_t)(uintptr_t)&own + (uint32_t)further * (uint32_t)(uintptr_t)__thread_storage_stride;
    struct level *level = (struct level *)(uintptr_t)place;
    return level->thread == thread ? level : NULL;
}

/* Gives a thread another level, unless the kernel refuses it that priority. With the lock. */
static riposte_error_t set(struct level *level, uint32_t thread, uint32_t base, uint32_t ceiling)
{
    const uint32_t priority = base > ceiling ? base : ceiling;
    const riposte_error_t error = riposte_thread_set_priority((riposte_thread_t){thread}, priority, NULL);
    if (error == RIPOSTE_OK)
        *level = (struct level){ceiling ? thread : 0, base, ceiling};
    return error;
}

/* The highest ceiling of the caller's mutexes; 0 if none has one. */
static uint32_t highest(void)
{
    uint32_t ceiling = 0;
    const struct held *each;
    for (each = held; each < held + MOST; each++)
        if (each->mutex && each->ceiling > ceiling)
            ceiling = each->ceiling;
    return ceiling;
}

/* Where the caller has a mutex, or a place for one; NULL if nowhere. */
static struct held *find(const pthread_mutex_t *mutex)
{
    struct held *each = held;
    while (each < held + MOST && each->mutex != mutex)
        each++;
    return each < held + MOST ? each : NULL;
}

/* It lies where others may write. */
static uint32_t ceiling_of(const pthread_mutex_t *mutex)
{
    return *(const volatile uint8_t *)&mutex->__ceiling;
}

/* Has the caller at the highest of its ceilings, unless its own priority is above this one. With the lock. */
static riposte_error_t rise(uint32_t ceiling)
{
    const uint32_t thread = riposte_private_own_id();
    uint32_t base = own.base;
    riposte_error_t error = RIPOSTE_OK;
    if (own.thread != thread)
        error = riposte_thread_schedule((riposte_thread_t){thread}, &base, NULL);
    if (error != RIPOSTE_OK)
        return error;
    return base > ceiling ? RIPOSTE_ERROR_NOT_PERMITTED : set(&own, thread, base, highest());
}

/* Has the caller at the ceiling of a mutex, which it notes where it has `before`. The note and the priority change with the
 * lock, both or neither: a handler finds what agrees, and the priority that it leaves is right for whoever it interrupted. */
static int note(const pthread_mutex_t *before, const pthread_mutex_t *mutex)
{
    const uint32_t ceiling = ceiling_of(mutex);
    const uint64_t masked = take();
    struct held *const place = find(before);
    int error = EAGAIN;
    if (place) {
        const struct held was = *place;
        *place = (struct held){mutex, ceiling};
        error = rise(ceiling) == RIPOSTE_OK ? 0 : EINVAL;
        if (error)
            *place = was;
    }
    give(masked);
    return error;
}

int posix_ceiling_enter(const pthread_mutex_t *mutex)
{
    /* In a place of its own: a handler that has the same mutex meanwhile takes its note away, and leaves one. */
    return note(NULL, mutex);
}

void posix_ceiling_leave(const pthread_mutex_t *mutex)
{
    const uint32_t thread = riposte_private_own_id();
    const uint64_t masked = take();
    struct held *const place = find(mutex);
    if (place)
        place->mutex = NULL;
    if (own.thread == thread)
        set(&own, thread, own.base, highest());
    give(masked);
}

int posix_ceiling_follow(const pthread_mutex_t *mutex)
{
    const struct held *const place = find(mutex);
    int error;
    if (place && place->ceiling == ceiling_of(mutex))
        return 0;
    error = note(mutex, mutex);
    if (error)
        posix_ceiling_leave(mutex);
    return error;
}

riposte_error_t posix_ceiling_set_priority(uint32_t thread, uint32_t priority)
{
    riposte_error_t error;
    struct level *level;
    const uint64_t masked = take();
    error = riposte_thread_schedule((riposte_thread_t){thread}, NULL, NULL);
    level = error == RIPOSTE_OK ? level_of(thread) : NULL;
    if (level)
        error = set(level, thread, priority, level->ceiling);
    else if (error == RIPOSTE_OK)
        error = riposte_thread_set_priority((riposte_thread_t){thread}, priority, NULL);
    give(masked);
    return error;
}

riposte_error_t posix_ceiling_schedule(uint32_t thread, uint32_t *priority, uint32_t *policy)
{
    riposte_error_t error;
    const struct level *level;
    const uint64_t masked = take();
    error = riposte_thread_schedule((riposte_thread_t){thread}, priority, policy);
    level = error == RIPOSTE_OK ? level_of(thread) : NULL;
    if (level)
        *priority = level->base;
    give(masked);
    return error;
}

void posix_ceiling_inherit(uint32_t *priority, uint32_t *policy)
{
    const uint32_t thread = riposte_private_own_id();
    /* Nobody else gives it a ceiling, or takes that away. */
    if (own.thread == thread)
        posix_ceiling_schedule(thread, priority, policy);
}

/* Here, so that a program has ceilings if it may ask for them. */
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol)
{
    if (protocol < PTHREAD_PRIO_NONE || protocol > PTHREAD_PRIO_PROTECT)
        return ENOTSUP;
    attr->__protocol = (uint8_t)protocol;
    return 0;
}
