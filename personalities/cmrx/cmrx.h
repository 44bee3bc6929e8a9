/* Calls of CMRX over Riposte: docs/src/personalities/cmrx.md says what is supported, and what is not.
 *
 * Names, arguments and meanings are those of CMRX's public headers. A process of CMRX is a process here,
 * a thread a thread; notifications, futexes and queues work within a process, and calls go from process to
 * process. GCC's forms of C are needed (-std=gnu11), as CMRX needs them. */

#ifndef CMRX_H
#define CMRX_H

#include <riposte.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Errors, as CMRX numbers them. */
enum {
    E_OK = 0,
    E_OUT_OF_RANGE = 1,
    E_OUT_OF_STACKS = 2,
    E_TASK_RUNNING = 3,
    E_INVALID_ADDRESS = 4,
    E_MISALIGNED = 5,
    E_WRONG_SIZE = 6,
    E_BUSY = 7,
    E_DEADLK = 8,
    E_NOTAVAIL = 9,
    E_INVALID = 10,
    E_IN_TOO_DEEP = 11,
    E_OUT_OF_NOTIFICATIONS = 12,
    E_TIMEOUT = 14
};

/* --- Threads and time --------------------------------------------------------------------------- */

/* The kernel's level that CMRX's priority 0, the most urgent, is; a number more is a level less. The kernel has 32
 * levels unless app.toml says otherwise: for CMRX's 256, `priorities = 256` there, and -DCMRX_PRIORITY_0=255. */
#ifndef CMRX_PRIORITY_0
#define CMRX_PRIORITY_0 31
#endif

typedef int Thread_t;

/** The number of a process: its place in the manifest, from 0 on (riposte_process_index). */
typedef int Process_t;

/* The level of a priority; 0, which none has, if it is beyond the last. */
static inline uint32_t cmrx_level(uint8_t priority)
{
    return priority < CMRX_PRIORITY_0 ? (uint32_t)CMRX_PRIORITY_0 - priority : 0;
}

/** Tells which thread is calling.
 *
 * @return Its number, for thread_join.
 * @blocks Never.
 * @from Any thread. */
static inline int get_tid(void)
{
    return (int)riposte_private_own_id();
}

/** Lets the next thread of the same priority run.
 *
 * @return E_OK.
 * @blocks Until this thread's turn comes again.
 * @from Any thread. */
static inline int sched_yield(void)
{
    riposte_yield();
    return E_OK;
}

/** Starts a thread of this process: one of its spare ones (`threads_spare` of app.toml).
 *
 * @param entrypoint What it does; it ends when this returns.
 * @param data What the function is called with.
 * @param priority Its priority: 0 is the most urgent.
 * @return Its number; or, negative, E_OUT_OF_STACKS if all spare threads are taken, E_INVALID if there is no such
 * priority or the process may not have it (`priority_limit`), E_INVALID_ADDRESS if the function is none of this program.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread. */
static inline int thread_create(int (*entrypoint)(void *), void *data, uint8_t priority)
{
    const riposte_thread_settings_t settings = {cmrx_level(priority), RIPOSTE_POLICY_FIFO, 0};
    riposte_thread_t thread = {0};
    uint32_t (*body)(void *);
    /* A number is returned in the same place, with a sign or without. */
    memcpy(&body, &entrypoint, sizeof body);
    switch (riposte_thread_spawn(body, data, &settings, &thread)) {
    case RIPOSTE_OK:
        return (int)thread.id;
    case RIPOSTE_ERROR_EXHAUSTED:
        return -E_OUT_OF_STACKS;
    case RIPOSTE_ERROR_BAD_ADDRESS:
        return -E_INVALID_ADDRESS;
    default:
        return -E_INVALID;
    }
}

/** Waits until a thread has ended; its place is free then.
 *
 * @param thread Its number.
 * @return E_OK; E_DEADLK if the thread waits for the caller in the end, or is the caller; E_INVALID if it is no such
 * thread, or was joined before.
 * @blocks Until the thread has ended.
 * @from Any thread of the process. */
static inline int thread_join(int thread)
{
    const riposte_thread_t joined = {(uint32_t)thread};
    riposte_error_t error;
    do
        error = riposte_thread_join_until(joined, RIPOSTE_FOREVER, NULL);
    while (error == RIPOSTE_ERROR_INTERRUPTED);
    return error == RIPOSTE_OK ? E_OK : error == RIPOSTE_ERROR_DEADLOCK ? E_DEADLK : E_INVALID;
}

/** Ends the calling thread.
 *
 * @param status Of the main thread, the process's exit status.
 * @blocks It does not return.
 * @from Any thread. */
__attribute__((noreturn)) static inline int thread_exit(int status)
{
    riposte_thread_exit((uint32_t)status);
}

/** Gives the calling thread another priority.
 *
 * @param priority The priority: 0 is the most urgent.
 * @return E_OK; E_INVALID if there is no such priority, or the process may not have it.
 * @blocks Never; a more urgent thread runs at once.
 * @from Any thread. */
static inline int setpriority(uint8_t priority)
{
    const riposte_error_t error =
        riposte_thread_set_priority(riposte_thread_current(), cmrx_level(priority), NULL);
    return error == RIPOSTE_OK ? E_OK : E_INVALID;
}

/** Sleeps.
 *
 * @param microseconds How long at least.
 * @return E_OK.
 * @blocks For the time.
 * @from Any thread. */
static inline int usleep(unsigned microseconds)
{
    const uint64_t moment = riposte_clock() + microseconds * UINT64_C(1000);
    /* Whatever ends a sleep early. */
    while (riposte_clock() < moment)
        riposte_sleep_until(moment);
    return E_OK;
}

/** Tells the time.
 *
 * @return Microseconds since the kernel began, which come to 0 again after 2^32 of them, 71 minutes: what has passed
 * between two looks is their difference, as a uint32_t.
 * @blocks Never.
 * @from Any thread. */
static inline uint32_t getmicrotime(void)
{
    return (uint32_t)(riposte_clock() / 1000);
}

/** Tells how fast the processor is clocked.
 *
 * @return 0: it is unknown. Nothing is timed by it here, and a process is not told.
 * @blocks Never.
 * @from Any thread. */
static inline long get_cpu_freq(void)
{
    return 0;
}

/* --- Notifications ------------------------------------------------------------------------------ */

/* Objects of a process that were ever notified or waited for, at most: a power of two, the same in all
 * sources of a program. */
#ifndef CMRX_OBJECTS
#define CMRX_OBJECTS 32
#endif

/* An object, and the notifications of it that nobody has waited for yet. */
struct cmrx_object {
    uint32_t address;
    riposte_semaphore_t pending;
};

/* Where objects are found by their address; 0 is a free place. None is ever given back. */
__attribute__((weak)) struct cmrx_object cmrx_objects[CMRX_OBJECTS];

/* The object's place, taken if it has none; NULL if there is none left. */
static inline struct cmrx_object *cmrx_find(const void *object)
{
    const uint32_t address = (uint32_t)(uintptr_t)object;
    const uint32_t first = address * UINT32_C(0x9E3779B1) >> 16;
    uint32_t step;
    for (step = 0; step < CMRX_OBJECTS; step++) {
        struct cmrx_object *const place = &cmrx_objects[(first + step) % CMRX_OBJECTS];
        uint32_t found = riposte_word_load(&place->address);
        if (RIPOSTE_PRIVATE_LIKELY(found == address))
            return place;
        if (found == 0
            && (riposte_word_compare_exchange(&place->address, &found, address) || found == address))
            return place;
    }
    return NULL;
}

/** Notifies the most urgent thread that waits for an object; if none waits, the next that does is notified
 * at once. Notifications are counted.
 *
 * @param object Any address but NULL; nothing is read there.
 * @return E_OK; E_INVALID for NULL; E_OUT_OF_NOTIFICATIONS if the process has too many objects
 * (CMRX_OBJECTS).
 * @blocks Never; a more urgent thread that waits runs at once.
 * @from Any thread. */
static inline int notify_object(const void *object)
{
    struct cmrx_object *place;
    if (!object)
        return E_INVALID;
    place = cmrx_find(object);
    if (!place || riposte_semaphore_give(&place->pending) != RIPOSTE_OK)
        return E_OUT_OF_NOTIFICATIONS;
    return E_OK;
}

/** Waits until an object is notified. Who waits is served in order of priority.
 *
 * @param object Any address but NULL; nothing is read there.
 * @param timeout How long, in microseconds; 0 is for ever.
 * @return E_OK; E_TIMEOUT; E_INVALID for NULL; E_OUT_OF_NOTIFICATIONS if the process has too many objects.
 * @blocks Until the notification, or the timeout.
 * @from Any thread. */
static inline int wait_for_object(const void *object, uint32_t timeout)
{
    const riposte_deadline_t deadline =
        timeout == 0 ? RIPOSTE_FOREVER : riposte_clock() + timeout * UINT64_C(1000);
    struct cmrx_object *place;
    riposte_error_t error;
    if (!object)
        return E_INVALID;
    place = cmrx_find(object);
    if (!place)
        return E_OUT_OF_NOTIFICATIONS;
    do
        error = timeout == 0 ? riposte_semaphore_take(&place->pending)
                             : riposte_semaphore_take_until(&place->pending, deadline);
    while (error == RIPOSTE_ERROR_INTERRUPTED);
    return error == RIPOSTE_OK ? E_OK : error == RIPOSTE_ERROR_TIMED_OUT ? E_TIMEOUT : E_INVALID;
}

/* --- Futexes ------------------------------------------------------------------------------------ */

#define FUTEX_SUCCESS 0
#define FUTEX_FAILURE 1

/** A fast mutex. Its holder has at least the priority of who waits. */
typedef riposte_mutex_t futex_t;

/** A free futex. */
#define FUTEX_STATIC_INIT RIPOSTE_MUTEX

/** Makes a futex free.
 *
 * @param futex The futex, which nobody uses.
 * @return FUTEX_SUCCESS.
 * @blocks Never.
 * @from Any thread. */
static inline int futex_init(futex_t *futex)
{
    const futex_t free = FUTEX_STATIC_INIT;
    *futex = free;
    return FUTEX_SUCCESS;
}

/** Ends the use of a futex.
 *
 * @param futex The futex.
 * @return FUTEX_SUCCESS; FUTEX_FAILURE if somebody holds it.
 * @blocks Never.
 * @from Any thread. */
static inline int futex_destroy(futex_t *futex)
{
    /* Its word is not 0 where a thread has ended with it, whoever has had it since. */
    if (riposte_mutex_try_lock(futex) != RIPOSTE_OK)
        return FUTEX_FAILURE;
    riposte_mutex_unlock(futex);
    return FUTEX_SUCCESS;
}

/** Takes a futex; no system call if it is free.
 *
 * @param futex The futex.
 * @return FUTEX_SUCCESS; FUTEX_FAILURE if its holder waits for the caller in the end, or is the caller.
 * @blocks Until it is free.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int futex_lock(futex_t *futex)
{
    return riposte_mutex_lock(futex) == RIPOSTE_OK ? FUTEX_SUCCESS : FUTEX_FAILURE;
}

/** Takes a futex if it is free.
 *
 * @param futex The futex.
 * @return FUTEX_SUCCESS; FUTEX_FAILURE if somebody holds it.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE int futex_trylock(futex_t *futex)
{
    return riposte_mutex_try_lock(futex) == RIPOSTE_OK ? FUTEX_SUCCESS : FUTEX_FAILURE;
}

/** Gives a futex up: the most urgent thread that waits gets it.
 *
 * @param futex The futex.
 * @return FUTEX_SUCCESS; FUTEX_FAILURE if the caller does not hold it.
 * @blocks Never.
 * @from The thread that holds it. */
RIPOSTE_PRIVATE_INLINE int futex_unlock(futex_t *futex)
{
    return riposte_mutex_unlock(futex) == RIPOSTE_OK ? FUTEX_SUCCESS : FUTEX_FAILURE;
}

/** What CMRX's kernel locks: here it is a futex. In a region, also between processes. */
typedef futex_t mutex_t;

/** As futex_init. */
static inline int mutex_init(mutex_t *mutex)
{
    return futex_init(mutex);
}

/** As futex_destroy. */
static inline int mutex_destroy(mutex_t *mutex)
{
    return futex_destroy(mutex);
}

/** As futex_lock. */
RIPOSTE_PRIVATE_INLINE int mutex_lock(mutex_t *mutex)
{
    return futex_lock(mutex);
}

/** As futex_trylock. */
RIPOSTE_PRIVATE_INLINE int mutex_trylock(mutex_t *mutex)
{
    return futex_trylock(mutex);
}

/** As futex_unlock. */
RIPOSTE_PRIVATE_INLINE int mutex_unlock(mutex_t *mutex)
{
    return futex_unlock(mutex);
}

/* --- Queues ------------------------------------------------------------------------------------- */

/** Bytes of a BasicQueue. */
#define QUEUE_LENGTH 256

/* Once in a program, and not at each call. */
#define CMRX_OUTLINE __attribute__((noinline, unused)) static

/** A queue; the bytes of its items lie behind it. Any number of threads may send and receive. It stays: who sends uses it
 * until that returns, though its item may have been received before. */
struct Queue {
    riposte_queue_t queue;
    struct riposte_private_queue_state state;
    /* Bytes behind it; 0 in a BasicQueue. */
    size_t capacity;
};

/** A queue of QUEUE_LENGTH bytes. */
struct BasicQueue {
    union {
        struct Queue q;
        unsigned char buffer[sizeof(struct Queue) + QUEUE_LENGTH];
    };
};

/** Defines a queue `name.q` of so many bytes. */
#define STATIC_QUEUE(name, size)                                                                     \
    struct {                                                                                         \
        union {                                                                                      \
            struct Queue q;                                                                          \
            unsigned char buffer[sizeof(struct Queue) + (size)];                                     \
        };                                                                                           \
    } name = {.q = {.capacity = (size)}}

/** Empties a queue, and says what it is for.
 *
 * @param queue The queue, which nobody uses.
 * @param depth How many items it is to hold.
 * @param item_size Bytes of an item.
 * @return Whether it has room for them; if not, nothing was changed.
 * @blocks Never.
 * @from Any thread. */
static inline bool queue_init(struct Queue *queue, uint8_t depth, uint8_t item_size)
{
    const size_t capacity = queue->capacity ? queue->capacity : QUEUE_LENGTH;
    if (depth == 0 || item_size == 0 || (size_t)depth * item_size > capacity)
        return false;
    memset(&queue->state, 0, sizeof queue->state);
    queue->queue.state = &queue->state;
    queue->queue.items = queue + 1;
    queue->queue.size = item_size;
    queue->queue.length = depth;
    return true;
}

/** Sends an item, and wakes the most urgent thread that waits for one.
 *
 * @param queue The queue.
 * @param data The item, which is copied.
 * @return Whether there was room for it.
 * @blocks Never for room; as long as another thread copies.
 * @from Any thread. */
CMRX_OUTLINE bool queue_send(struct Queue *queue, const void *data)
{
    return riposte_queue_try_send(&queue->queue, data) == RIPOSTE_OK;
}

/** Receives the oldest item, and waits for one.
 *
 * @param queue The queue.
 * @param data Where it is copied to.
 * @return Whether there was one: there is, unless this is no queue.
 * @blocks Until there is one.
 * @from Any thread. */
CMRX_OUTLINE bool queue_receive(struct Queue *queue, void *data)
{
    riposte_error_t error;
    do
        error = riposte_queue_receive(&queue->queue, data);
    while (error == RIPOSTE_ERROR_INTERRUPTED);
    return error == RIPOSTE_OK;
}

/** Tells whether a queue is empty.
 *
 * @param queue The queue.
 * @return Whether it is.
 * @blocks Never.
 * @from Any thread. */
static inline bool queue_empty(struct Queue *queue)
{
    return riposte_queue_length(&queue->queue) == 0;
}

/** Tells whether a queue is full.
 *
 * @param queue The queue.
 * @return Whether it is.
 * @blocks Never.
 * @from Any thread. */
static inline bool queue_full(struct Queue *queue)
{
    return riposte_queue_length(&queue->queue) >= queue->queue.length;
}

/* --- Remote procedure calls ---------------------------------------------------------------------- */

/** The first parameter of every method: the instance, whose type only its server knows. */
#define INSTANCE(name) void *name

/** What a table of methods is. */
#define VTABLE const

/** Finds the service behind a connection of the manifest. CMRX takes the address of the server's instance
 * instead.
 *
 * @param name The connection's name in app.toml.
 * @return What rpc_call takes as the instance; NULL if the manifest gives this process no such connection,
 * or the server is dead. It is no address: nothing can be read there.
 * @blocks Never.
 * @from Any thread. */
static inline void *rpc_service(const char *name)
{
    riposte_connection_t connection;
    if (riposte_connect(name, &connection) != RIPOSTE_OK)
        return NULL;
    return (void *)(uintptr_t)connection.handle;
}

/* Calls a method by its number: a message of five words. */
static inline int cmrx_call(const void *service, const uint32_t words[5])
{
    const riposte_connection_t connection = {(uint32_t)(uintptr_t)service};
    riposte_reply_t reply;
    if (riposte_send_words(connection, words, 5, &reply) != RIPOSTE_OK)
        return E_NOTAVAIL;
    return (int)(reply.status ? reply.status : reply.words[0]);
}

/** Calls a method of a service in another process, with up to four numbers, and waits for it. The server
 * meanwhile has at least the caller's priority.
 *
 * rpc_call(service, method, ...): the service is a pointer to a structure with a member `vtable`, which
 * points to a structure of methods; the method is one of its members.
 *
 * It is what the method returns; E_NOTAVAIL if there is no such service, or it died, or a signal was handled
 * meanwhile: the service may then have done it. Where its channel has `notify = ["unblock"]` in app.toml, it has
 * not: a call that it has received ends with its answer. E_INVALID if the service does not have the method. */
#define rpc_call(service, method, ...)                                                               \
    cmrx_call((service),                                                                             \
              (const uint32_t[5]){offsetof(__typeof__(*(service)->vtable), method) / sizeof(void (*)(void)), \
                                  ##__VA_ARGS__})

/* A method, as it is called: what it does not take, it does not see. */
typedef int cmrx_method(void *instance, uint32_t, uint32_t, uint32_t, uint32_t);

/* Answers calls; see rpc_serve. */
static inline riposte_error_t cmrx_serve(const char *name, void *instance, const void *vtable,
                                         size_t methods)
{
    riposte_channel_t channel;
    riposte_message_t message;
    riposte_error_t error = riposte_channel(name, &channel);
    memset(&message, 0, sizeof message);
    if (error != RIPOSTE_OK)
        return error;
    error = riposte_receive(channel, NULL, 0, &message);
    /* Who called and waits no longer is no reason to stop, nor is a signal that was handled. */
    while (error == RIPOSTE_OK || error == RIPOSTE_ERROR_NO_SUCH_CLIENT || error == RIPOSTE_ERROR_INTERRUPTED) {
        cmrx_method *method = NULL;
        uint32_t result;
        if (error != RIPOSTE_OK || message.notice) {
            error = riposte_receive(channel, NULL, 0, &message);
            continue;
        }
        if (message.length == sizeof message.words && !message.memory && message.words[0] < methods)
            memcpy(&method, (const char *)vtable + message.words[0] * sizeof method, sizeof method);
        if (!method) {
            /* What was moved here would have its window for ever. */
            if (message.memory == RIPOSTE_INFO_MOVED)
                riposte_release((void *)(uintptr_t)message.words[0]);
            error = riposte_reply_error_and_receive(channel, message.token, E_INVALID, NULL, 0, &message);
            continue;
        }
        result = (uint32_t)method(instance, message.words[1], message.words[2], message.words[3],
                                  message.words[4]);
        error = riposte_reply_words_and_receive(channel, message.token, &result, 1, &message);
    }
    return error;
}

/** Answers the calls that come through a channel, one after the other, with the methods of an instance. In
 * CMRX the caller's thread runs the method; here a thread of the server does.
 *
 * rpc_serve(name, instance): the channel's name in app.toml, and a pointer to a structure with a member
 * `vtable`. It returns only if there is no such channel: the error. */
#define rpc_serve(name, instance)                                                                    \
    cmrx_serve((name), (instance), (instance)->vtable,                                               \
               sizeof *(instance)->vtable / sizeof(void (*)(void)))

#ifdef __cplusplus
}
#endif

#endif
