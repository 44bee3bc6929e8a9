/* Cases of bench/core and bench/core/sync, as C has them: they are to cost what they cost from Rust. */

#include <measure.h>

/* Yields of the peer beyond the measured ones. */
#define SPARE 2

struct item {
    uint32_t words[8];
};

static riposte_semaphore_t ping = RIPOSTE_SEMAPHORE(0), pong = RIPOSTE_SEMAPHORE(0);
static riposte_mutex_t mutex = RIPOSTE_MUTEX;
RIPOSTE_QUEUE(numbers, uint32_t, 4);
RIPOSTE_QUEUE(items, struct item, 4);

RIPOSTE_THREAD(pong)
{
    for (;;) {
        riposte_semaphore_take(&ping);
        riposte_semaphore_give(&pong);
    }
}

static riposte_connection_t server_of(const char *name)
{
    riposte_connection_t server;
    if (riposte_connect(name, &server) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no such connection");
    return server;
}

__attribute__((cold, noinline, noreturn)) static void failed(void)
{
    riposte_panic("send");
}

static void check(const char *name, bool right)
{
    if (!right)
        printf("@fail %s: what came back is wrong\n", name);
}

/* Copies so many of five words, each of which is a register. */
#define TAKE_OVER(to, from, count)                                                                   \
    ((count) > 0 ? ((to)[0] = (from)[0]) : 0, (count) > 1 ? ((to)[1] = (from)[1]) : 0,               \
     (count) > 2 ? ((to)[2] = (from)[2]) : 0, (count) > 3 ? ((to)[3] = (from)[3]) : 0,               \
     (count) > 4 ? ((to)[4] = (from)[4]) : 0)

/* Words there and back: each time those that came back before. */
RIPOSTE_PRIVATE_INLINE void words(struct meter meter, uint32_t iterations, const char *name, const char *server_name,
                                  const size_t count)
{
    const struct measure_case it = {name, true, (uint32_t)count * 4};
    const riposte_connection_t server = server_of(server_name);
    uint32_t sent[5] = {0, 1, 22, 333, 4444};
    riposte_reply_t reply;
    struct figures figures;
    MEASURE(meter, iterations, figures, {
        if (!RIPOSTE_PRIVATE_LIKELY(riposte_send_words(server, sent, count, &reply) == RIPOSTE_OK))
            failed();
        TAKE_OVER(sent, reply.words, count);
    });
    check(name, count == 0 || sent[0] == iterations + MEASURE_SAMPLES + 1);
    measure_report(it, &figures);
}

/* Bytes there and back: each time those that came back before. */
RIPOSTE_PRIVATE_INLINE void bytes(struct meter meter, uint32_t iterations, const char *name, const size_t length)
{
    static uint8_t request[480], answer[480];
    const struct measure_case it = {name, true, (uint32_t)length};
    const riposte_connection_t server = server_of("bytes");
    riposte_reply_t reply;
    struct figures figures;
    MEASURE(meter, iterations, figures, {
        if (!RIPOSTE_PRIVATE_LIKELY(riposte_send(server, request, length, answer, length, &reply) == RIPOSTE_OK))
            failed();
    });
    check(name, answer[0] == 1 && reply.length == length && reply.offered == length);
    measure_report(it, &figures);
}

RIPOSTE_PRIVATE_INLINE void null_call(struct meter meter, uint32_t iterations)
{
    const struct measure_case it = {"null-call-c", true, 0};
    struct figures figures;
    MEASURE(meter, iterations, figures, riposte_null_call());
    measure_report(it, &figures);
}

RIPOSTE_PRIVATE_INLINE void yield(struct meter meter, uint32_t iterations)
{
    const struct measure_case it = {"yield-c", true, 0};
    const uint32_t times = iterations + MEASURE_SAMPLES + 1 + SPARE;
    struct figures figures;
    /* From now on the peer yields, too, so that each turn is two yields. */
    if (riposte_send_words(server_of("yielder"), &times, 1, NULL) != RIPOSTE_OK)
        failed();
    MEASURE(meter, iterations, figures, riposte_yield());
    for (int spare = 0; spare < 2 * SPARE; spare++)
        riposte_yield();
    figures.operations = 2;
    figures.min_ticks /= 2;
    figures.max_ticks /= 2;
    measure_report(it, &figures);
}

RIPOSTE_PRIVATE_INLINE void pingpong(struct meter meter, uint32_t iterations)
{
    const struct measure_case it = {"sem-pingpong-c", false, 0};
    struct figures figures;
    MEASURE(meter, iterations, figures, {
        riposte_semaphore_give(&ping);
        riposte_semaphore_take(&pong);
    });
    measure_report(it, &figures);
}

RIPOSTE_PRIVATE_INLINE void semaphore(struct meter meter, uint32_t iterations, riposte_semaphore_t *units)
{
    const struct measure_case it = {"sem-uncontended-c", false, 0};
    struct figures figures;
    MEASURE(meter, iterations, figures, {
        riposte_semaphore_give(units);
        riposte_semaphore_take(units);
    });
    measure_report(it, &figures);
}

RIPOSTE_PRIVATE_INLINE void lock(struct meter meter, uint32_t iterations, riposte_mutex_t *mutex)
{
    const struct measure_case it = {"mutex-uncontended-c", false, 0};
    struct figures figures;
    MEASURE(meter, iterations, figures, {
        riposte_mutex_lock(mutex);
        riposte_mutex_unlock(mutex);
    });
    measure_report(it, &figures);
}

RIPOSTE_PRIVATE_INLINE void word(struct meter meter, uint32_t iterations)
{
    const struct measure_case it = {"queue-self-word-c", false, 4};
    uint32_t count = 0;
    struct figures figures;
    MEASURE(meter, iterations, figures, {
        riposte_queue_send(&numbers, &count);
        /* Only if each comes back, there are as many in the end as turns. */
        if (riposte_queue_receive(&numbers, &count) == RIPOSTE_OK)
            count++;
    });
    check(it.name, count == iterations + MEASURE_SAMPLES + 1);
    measure_report(it, &figures);
}

RIPOSTE_PRIVATE_INLINE void item(struct meter meter, uint32_t iterations)
{
    const struct measure_case it = {"queue-self-32B-c", false, 32};
    struct item item = {{1, 2, 3, 4, 5, 6, 7, 8}};
    struct figures figures;
    MEASURE(meter, iterations, figures, {
        riposte_queue_send(&items, &item);
        riposte_queue_receive(&items, &item);
    });
    check(it.name, item.words[7] == 8 && riposte_queue_length(&items) == 0);
    measure_report(it, &figures);
}

MEASURE_ALONE(words_0, words, , "rt-0w-c", "words-0", 0)
MEASURE_ALONE(words_1, words, , "rt-1w-c", "words-1", 1)
MEASURE_ALONE(words_5, words, , "rt-5w-c", "words-5", 5)
MEASURE_ALONE(bytes_32, bytes, , "rt-32B-c", 32)
MEASURE_ALONE(bytes_480, bytes, , "rt-480B-c", 480)
MEASURE_ALONE(null_calls, null_call)
MEASURE_ALONE(yields, yield)
MEASURE_ALONE(pingpongs, pingpong)
MEASURE_ALONE(semaphores, semaphore, , &pong)
MEASURE_ALONE(mutexes, lock, , &mutex)
MEASURE_ALONE(queue_of_words, word)
MEASURE_ALONE(queue_of_items, item)

int main(void)
{
    const struct meter meter = measure_start();
    uint32_t iterations = 0;
    if (riposte_setting("iterations", &iterations) != RIPOSTE_OK)
        riposte_panic("app.toml sets no iterations");
    words_0(meter, iterations);
    words_1(meter, iterations);
    words_5(meter, iterations);
    bytes_32(meter, iterations);
    bytes_480(meter, iterations);
    null_calls(meter, iterations);
    yields(meter, iterations);
    pingpongs(meter, iterations);
    semaphores(meter, iterations);
    mutexes(meter, iterations);
    queue_of_words(meter, iterations);
    queue_of_items(meter, iterations);
    puts("@done");
    return (int)riposte_shutdown(0);
}
