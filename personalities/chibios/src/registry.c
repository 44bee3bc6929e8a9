/* The registry: a list of the threads, the oldest first, and how many refer to each. */

#include <ch.h>

#include <string.h>

#include "registered.h"

static riposte_mutex_t lock = RIPOSTE_MUTEX;
static thread_t *oldest, *newest;

void ch_registry_add(thread_t *thread)
{
    ch_lock(&lock);
    thread->older = newest;
    thread->newer = NULL;
    if (newest == NULL)
        oldest = thread;
    else
        newest->newer = thread;
    newest = thread;
    ch_unlock(&lock);
}

void ch_registry_check_free(const void *area)
{
    const thread_t *thread;
    ch_lock(&lock);
    for (thread = oldest; thread != NULL; thread = thread->newer)
        chDbgAssert(thread != area, "ch.h: a working area whose thread nobody has waited for");
    ch_unlock(&lock);
}

/* The lock is held. */
static void take_out(thread_t *thread)
{
    if (thread->older == NULL)
        oldest = thread->newer;
    else
        thread->older->newer = thread->newer;
    if (thread->newer == NULL)
        newest = thread->older;
    else
        thread->newer->older = thread->older;
}

void ch_registry_remove(thread_t *thread)
{
    ch_lock(&lock);
    take_out(thread);
    ch_unlock(&lock);
}

bool ch_registry_end(thread_t *thread)
{
    bool is_unknown;
    ch_lock(&lock);
    riposte_word_store(&thread->ended, 1);
    is_unknown = thread->references == 0;
    if (is_unknown)
        take_out(thread);
    ch_unlock(&lock);
    return is_unknown;
}

/* The lock is held. */
static void refer(thread_t *thread)
{
    chDbgAssert(thread->references != UINT32_MAX, "ch.h: too many references to a thread");
    thread->references++;
}

void ch_registry_refer(thread_t *thread)
{
    ch_lock(&lock);
    refer(thread);
    ch_unlock(&lock);
}

bool ch_registry_release(thread_t *thread)
{
    bool is_over;
    ch_lock(&lock);
    chDbgAssert(thread->references != 0, "chThdRelease: nobody refers to this thread");
    thread->references--;
    is_over = thread->references == 0 && thread->ended != 0;
    if (is_over)
        take_out(thread);
    ch_unlock(&lock);
    return is_over;
}

bool ch_registry_is_in_order(void)
{
    const thread_t *thread;
    const thread_t *before = NULL;
    bool is = true;
    ch_lock(&lock);
    for (thread = oldest; thread != NULL && is; before = thread, thread = thread->newer)
        is = thread->older == before;
    is = is && before == newest;
    ch_unlock(&lock);
    return is;
}

/* The first of these threads that was started. One without an id may be taken out again, and its memory be used for
 * something else, whoever refers to it. */
static thread_t *started(thread_t *thread)
{
    while (thread != NULL && thread->id == 0)
        thread = thread->newer;
    return thread;
}

thread_t *chRegFirstThread(void)
{
    thread_t *first;
    ch_lock(&lock);
    first = started(oldest);
    if (first != NULL)
        refer(first);
    ch_unlock(&lock);
    return first;
}

thread_t *chRegNextThread(thread_t *thread)
{
    thread_t *next;
    ch_lock(&lock);
    next = started(thread->newer);
    if (next != NULL)
        refer(next);
    ch_unlock(&lock);
    chThdRelease(thread);
    return next;
}

/* Goes through the threads until one is wanted. */
static thread_t *find(bool (*is_wanted)(const thread_t *thread, const void *what), const void *what)
{
    thread_t *thread;
    ch_lock(&lock);
    for (thread = started(oldest); thread != NULL; thread = started(thread->newer)) {
        if (is_wanted(thread, what)) {
            refer(thread);
            break;
        }
    }
    ch_unlock(&lock);
    return thread;
}

static bool is_named(const thread_t *thread, const void *name)
{
    return thread->name != NULL && strcmp(thread->name, (const char *)name) == 0;
}

static bool is_same(const thread_t *thread, const void *other)
{
    return thread == other;
}

thread_t *chRegFindThreadByName(const char *name)
{
    return find(is_named, name);
}

thread_t *chRegFindThreadByPointer(thread_t *thread)
{
    return find(is_same, thread);
}

thread_t *chRegFindThreadByWorkingArea(stkalign_t *area)
{
    return find(is_same, area);
}
