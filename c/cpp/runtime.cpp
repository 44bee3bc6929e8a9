/* What the compiler calls of a C++ program by itself. */

#include <pthread.h>
#include <stdlib.h>

#include <riposte.h>

extern "C" {

extern void *__dso_handle;
void *__dso_handle = nullptr;

/* A function of an abstract class was called while its object was made or destroyed. */
void __cxa_pure_virtual();
void __cxa_pure_virtual()
{
    riposte_panic("a pure virtual function was called");
}

void __cxa_deleted_virtual();
void __cxa_deleted_virtual()
{
    riposte_panic("a deleted virtual function was called");
}

/* The object that guards a static of a function: its first byte says that it is made, which the compiler looks at itself.
 * The compiler gives it 32 bits on Arm, and 64 elsewhere; only the first word is used. */

/* Who makes one keeps all others waiting that make any: none is made twice. One may need another, so that the same thread
 * may come again. Who can't wait for the maker, since that waits for it in the end, has no static to go on with. */
static riposte_recursive_mutex_t making;

int __cxa_guard_acquire(uint32_t *guard);
int __cxa_guard_acquire(uint32_t *guard)
{
    if (riposte_word_load(guard))
        return 0;
    if (riposte_recursive_mutex_lock(&making) != RIPOSTE_OK)
        riposte_panic("a static: whoever makes it waits for this thread");
    if (!riposte_word_load(guard))
        return 1;
    riposte_recursive_mutex_unlock(&making);
    return 0;
}

void __cxa_guard_release(uint32_t *guard);
void __cxa_guard_release(uint32_t *guard)
{
    riposte_word_store(guard, 1);
    riposte_recursive_mutex_unlock(&making);
}

void __cxa_guard_abort(uint32_t *guard);
void __cxa_guard_abort(uint32_t *guard)
{
    (void)guard;
    riposte_recursive_mutex_unlock(&making);
}

/* Destructors of what each thread has of its own: a list, the last one first, which a key's destructor goes through when the
 * thread ends. */
struct destructor {
    void (*function)(void *);
    void *object;
    destructor *next;
};

static pthread_key_t own;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void destroy(void *list)
{
    destructor *next = static_cast<destructor *>(list);
    while (next) {
        destructor *const it = next;
        next = it->next;
        it->function(it->object);
        free(it);
    }
}

static void make_key()
{
    if (pthread_key_create(&own, destroy))
        riposte_panic("thread_local: no key is left");
}

int __cxa_thread_atexit(void (*function)(void *), void *object, void *dso);
int __cxa_thread_atexit(void (*function)(void *), void *object, void *dso)
{
    (void)dso;
    pthread_once(&once, make_key);
    destructor *const it = static_cast<destructor *>(malloc(sizeof *it));
    if (!it)
        riposte_panic("thread_local: no memory for a destructor: raise `heap` in program.toml");
    *it = {function, object, static_cast<destructor *>(pthread_getspecific(own))};
    if (pthread_setspecific(own, it))
        riposte_panic("thread_local: no key is left");
    return 0;
}
}
