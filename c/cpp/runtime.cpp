/* What the compiler calls of a C++ program by itself. */

#include <atomic>

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

/* The object that guards a static of a function: its first word says that it is made, which the compiler may look at
 * itself. Another word is the lock of whoever makes it, so that nobody waits there but for this very static, and lends the
 * maker its priority. Elsewhere than on Arm the compiler gives the object 64 bits, of which that is the second half. On Arm
 * these are 32: there the linker script has the guards of a program lie together, and a word for each behind them. */
#ifdef __ARM_EABI__
extern uint32_t __static_guards[], __static_guards_end[];

static riposte_mutex_t *lock_of(uint32_t *guard)
{
    return reinterpret_cast<riposte_mutex_t *>(guard + (__static_guards_end - __static_guards));
}
#else
static riposte_mutex_t *lock_of(uint32_t *guard)
{
    return reinterpret_cast<riposte_mutex_t *>(guard + 1);
}
#endif

/* Of c/posix/src/cancel, in programs that cancel threads. */
void posix_cancel_hold() __attribute__((weak));
void posix_cancel_release() __attribute__((weak));

/* Of c/posix/src/pthread, in programs with threads that wait for locks until a moment: whether a circle with that one is to be
 * tried again, some time later, by when this returns. */
bool posix_circle_may_open(uint32_t thread, riposte_deadline_t deadline) __attribute__((weak));

/* Takes the lock of whoever makes a static; in a circle that ends, when it has. */
static bool take(riposte_mutex_t *lock)
{
    riposte_error_t error;
    do
        error = riposte_mutex_lock(lock);
    while (error == RIPOSTE_ERROR_DEADLOCK && !riposte_private_mutex_is_own(lock) && posix_circle_may_open
           && posix_circle_may_open(riposte_word_load(&lock->word) & RIPOSTE_LOCK_OWNER_MASK, RIPOSTE_FOREVER));
    return error == RIPOSTE_OK;
}

/* The maker can be cancelled from here on. With the lock the main thread would keep it: its end is that of the process. */
static void give_up(uint32_t *guard)
{
    riposte_mutex_unlock(lock_of(guard));
    if (posix_cancel_release)
        posix_cancel_release();
}

/* Whoever gets 1 makes the static, and holds its lock until then. Who can't wait for the maker, since that is itself, or waits
 * for it in the end, has no static to go on with. */
int __cxa_guard_acquire(uint32_t *guard);
int __cxa_guard_acquire(uint32_t *guard)
{
    if (riposte_word_load(guard))
        return 0;
    riposte_mutex_t *const lock = lock_of(guard);
    if (posix_cancel_hold)
        posix_cancel_hold();
    if (!take(lock))
        riposte_panic(riposte_private_mutex_is_own(lock) ? "a static: its own constructor comes to it again"
                                                         : "a static: whoever makes it waits for this thread");
    if (!riposte_word_load(guard))
        return 1;
    give_up(guard);
    return 0;
}

void __cxa_guard_release(uint32_t *guard);
void __cxa_guard_release(uint32_t *guard)
{
    riposte_word_store(guard, 1);
    give_up(guard);
}

void __cxa_guard_abort(uint32_t *guard);
void __cxa_guard_abort(uint32_t *guard)
{
    give_up(guard);
}

/* What is to run at an end: of lists, the last one first. */
struct destructor {
    void (*function)(void *);
    void *object;
    destructor *next;
};

/* Those of statics, and what atexit was told, which exit runs in one order. The C library's own table has 32 places, and the
 * compiler does not look whether there was one: so many are here, as C promises, and more in the heap. None is ever used
 * again, so that whoever takes the first one needs no lock. */
static destructor usual[32];
static std::atomic<uint32_t> used;
static std::atomic<destructor *> at_exit;

static bool add(void (*function)(void *), void *object)
{
    const uint32_t place = used++;
    destructor *const it = place < sizeof usual / sizeof *usual ? &usual[place] : static_cast<destructor *>(malloc(sizeof *it));
    if (!it)
        return false;
    *it = {function, object, at_exit};
    while (!at_exit.compare_exchange_weak(it->next, it))
        ;
    return true;
}

int __cxa_atexit(void (*function)(void *), void *object, void *dso);
int __cxa_atexit(void (*function)(void *), void *object, void *dso)
{
    (void)dso;
    if (!add(function, object))
        riposte_panic("a static: no memory for its destructor: raise `heap` in program.toml");
    return 0;
}

#ifdef __ARM_EABI__
int __aeabi_atexit(void *object, void (*function)(void *), void *dso);
int __aeabi_atexit(void *object, void (*function)(void *), void *dso)
{
    return __cxa_atexit(function, object, dso);
}
#endif

static void call(void *function)
{
    reinterpret_cast<void (*)()>(function)();
}

int atexit(void (*function)())
{
    return add(call, reinterpret_cast<void *>(function)) ? 0 : -1;
}

/* The C library's exit calls it first. */
void __call_exitprocs(int status, void *unused);
void __call_exitprocs(int, void *)
{
    destructor *it = at_exit;
    while (it) {
        if (at_exit.compare_exchange_weak(it, it->next)) {
            it->function(it->object);
            it = at_exit;
        }
    }
}

/* Destructors of what each thread has of its own, which a key's destructor goes through when the thread ends. */
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
