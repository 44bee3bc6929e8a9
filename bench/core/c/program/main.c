/* The cases of bench/core/sync within one process, as C has them: they are to cost what they cost from
 * Rust. */

#include <measure.h>

static riposte_semaphore_t ping = RIPOSTE_SEMAPHORE(0), pong = RIPOSTE_SEMAPHORE(0);
static riposte_mutex_t mutex = RIPOSTE_MUTEX;

RIPOSTE_THREAD(pong)
{
    for (;;) {
        riposte_semaphore_take(&ping);
        riposte_semaphore_give(&pong);
    }
}

RIPOSTE_INLINE void sem_pingpong(void)
{
    riposte_semaphore_give(&ping);
    riposte_semaphore_take(&pong);
}

RIPOSTE_INLINE void sem_uncontended(void)
{
    riposte_semaphore_give(&pong);
    riposte_semaphore_take(&pong);
}

RIPOSTE_INLINE void mutex_uncontended(void)
{
    riposte_mutex_lock(&mutex);
    riposte_mutex_unlock(&mutex);
}

RIPOSTE_INLINE void nothing(void)
{
}

/* What turns of a loop of `operation` take. */
RIPOSTE_INLINE uint32_t turns(struct meter meter, uint32_t iterations, void (*operation)(void))
{
    const uint32_t before = measure_left(meter);
    for (uint32_t turn = 0; turn < iterations; turn++) {
        operation();
        __asm__ volatile("" ::: "memory");
    }
    return before - measure_left(meter);
}

RIPOSTE_INLINE void measure(struct meter meter, const char *name, uint32_t iterations,
                            void (*operation)(void))
{
    const struct measure_case it = {name, false, 0};
    const uint32_t reading = measure_reading(meter);
    struct figures figures;
    operation();
    figures = measure_figures(iterations, 0);
    for (int sample = 0; sample < 16; sample++) {
        const uint32_t before = measure_left(meter);
        operation();
        measure_take(&figures, before - measure_left(meter), reading);
    }
    measure_begin(meter);
    figures.ticks = turns(meter, iterations, operation);
    measure_end(meter);
    figures.loop_ticks = turns(meter, iterations, nothing);
    measure_report(it, &figures);
}

RIPOSTE_INLINE void all(struct meter meter, uint32_t iterations)
{
    measure(meter, "sem-pingpong-c", iterations, sem_pingpong);
    measure(meter, "sem-uncontended-c", iterations, sem_uncontended);
    measure(meter, "mutex-uncontended-c", iterations, mutex_uncontended);
}

int main(void)
{
    const struct meter meter = measure_start();
    uint32_t iterations = 0;
    if (riposte_setting("iterations", &iterations) != RIPOSTE_OK)
        riposte_panic("app.toml sets no iterations");
    MEASURE_WITH_COUNTER(meter, all, iterations);
    puts("@done");
    return (int)riposte_shutdown(0);
}
