/* What a benchmark program in C measures with: as bench/measure for those in Rust, with the same counters,
 * the same marks, and the same line in which a case's figures reach the host.
 *
 * Everything is in ticks of the counter; the host, which knows how long an instruction takes, turns them
 * into instructions. The counter of a meter is to be a constant where something is measured, so that no
 * instruction chooses it there: hence MEASURE_WITH_COUNTER. */

#ifndef MEASURE_H
#define MEASURE_H

#include <stdio.h>

#include <riposte.h>

/* What a board counts with: the CMSDK APB timer, which counts down (Arm DDI 0479, chapter 4.1), the
 * cycles of a simulated board (sim/README.md), or the processor's instructions. */
enum measure_counter { MEASURE_TIMER, MEASURE_CYCLES, MEASURE_INSTRUCTIONS };

/* What is measured with. */
struct meter {
    enum measure_counter counter;
    /* The registers of `timer1`. */
    volatile uint32_t *device;
};

/* What is measured. */
struct measure_case {
    /* Its name, which never changes once published. */
    const char *name;
    /* Whether it goes across two isolated processes. */
    bool is_protected;
    /* Bytes of a message, in one direction. */
    uint32_t bytes;
};

/* What was measured, in ticks. */
struct figures {
    /* Turns of the measured loop, and what it and the same loop without the operation took. */
    uint32_t iterations, ticks, loop_ticks;
    /* The shortest and the longest operation, without what reading the counter takes. */
    uint32_t min_ticks, max_ticks;
    /* How many operations each turn of the loop is. */
    uint32_t operations;
};

/* Starts the board's counter; the manifest must give the process the device `timer1`. */
static inline struct meter measure_start(void)
{
    struct meter meter = {MEASURE_INSTRUCTIONS, NULL};
    riposte_peripheral_t timer;
    uint32_t count;
    if (riposte_peripheral("timer1", &timer) != RIPOSTE_OK)
        riposte_panic("app.toml gives this process no timer1");
    meter.device = (volatile uint32_t *)timer.address;
    if (strcmp(timer.kind, "cmsdk-timer") == 0) {
        meter.counter = MEASURE_TIMER;
        meter.device[2] = UINT32_MAX;
        meter.device[1] = UINT32_MAX;
        meter.device[0] = 1;
    } else if (strcmp(timer.kind, "sim-meter") == 0) {
        meter.counter = MEASURE_CYCLES;
    } else if (!riposte_instructions(&count)) {
        riposte_panic("nothing to measure with");
    }
    return meter;
}

/* Ticks left until the counter wraps. The compiler moves no access of memory across it. */
RIPOSTE_PRIVATE_INLINE uint32_t measure_left(struct meter meter)
{
    uint32_t count = 0;
    __asm__ volatile("" ::: "memory");
    if (meter.counter == MEASURE_TIMER)
        count = ~meter.device[1];
    else if (meter.counter == MEASURE_CYCLES)
        count = meter.device[0];
    else
        riposte_instructions(&count);
    __asm__ volatile("" ::: "memory");
    return ~count;
}

/* Ticks that reading the counter takes by itself. */
RIPOSTE_PRIVATE_INLINE uint32_t measure_reading(struct meter meter)
{
    const uint32_t before = measure_left(meter);
    return before - measure_left(meter);
}

/* The marks of bench/measure between which the host counts exceptions: stores that change nothing, and
 * that the emulator logs. */
RIPOSTE_PRIVATE_INLINE void measure_begin(struct meter meter)
{
    meter.device[(meter.counter == MEASURE_INSTRUCTIONS ? 0x18 : 0x800) / 4] = 0;
}

RIPOSTE_PRIVATE_INLINE void measure_end(struct meter meter)
{
    meter.device[(meter.counter == MEASURE_INSTRUCTIONS ? 0x20 : 0x804) / 4] = 0;
}

/* Nothing measured yet, in `iterations` turns of which each reads the counter. */
RIPOSTE_PRIVATE_INLINE struct figures measure_figures(uint32_t iterations, uint32_t reading)
{
    const struct figures none = {iterations, 0, reading * iterations, UINT32_MAX, 0, 1};
    return none;
}

/* Takes note of an operation of `ticks`, of which reading the counter took `reading`. */
RIPOSTE_PRIVATE_INLINE void measure_take(struct figures *figures, uint32_t ticks, uint32_t reading)
{
    const uint32_t net = ticks > reading ? ticks - reading : 0;
    figures->ticks += ticks;
    if (net < figures->min_ticks)
        figures->min_ticks = net;
    if (net > figures->max_ticks)
        figures->max_ticks = net;
}

/* Prints the line; fails if nothing was measured. */
static inline void measure_report(struct measure_case it, const struct figures *figures)
{
    if (figures->iterations == 0 || figures->ticks <= figures->loop_ticks || figures->min_ticks == 0) {
        printf("@fail %s: measured nothing\n", it.name);
        return;
    }
    printf("@result {\"case\":\"%s\",\"protected\":%s,\"bytes\":%lu,\"iterations\":%lu,\"operations\":%lu,"
           "\"ticks\":%lu,\"loop_ticks\":%lu,\"min_ticks\":%lu,\"max_ticks\":%lu}\n",
           it.name, it.is_protected ? "true" : "false", (unsigned long)it.bytes,
           (unsigned long)figures->iterations, (unsigned long)figures->operations,
           (unsigned long)figures->ticks,
           (unsigned long)figures->loop_ticks, (unsigned long)figures->min_ticks,
           (unsigned long)figures->max_ticks);
}

/* Calls `function(meter, ...)`, an inline function, with a meter whose counter is a constant. */
#define MEASURE_WITH_COUNTER(meter, function, ...)                                                   \
    do {                                                                                             \
        struct meter with_counter_ = (meter);                                                        \
        switch (with_counter_.counter) {                                                             \
        case MEASURE_TIMER:                                                                          \
            with_counter_.counter = MEASURE_TIMER;                                                   \
            function(with_counter_, __VA_ARGS__);                                                    \
            break;                                                                                   \
        case MEASURE_CYCLES:                                                                         \
            with_counter_.counter = MEASURE_CYCLES;                                                  \
            function(with_counter_, __VA_ARGS__);                                                    \
            break;                                                                                   \
        default:                                                                                     \
            with_counter_.counter = MEASURE_INSTRUCTIONS;                                            \
            function(with_counter_, __VA_ARGS__);                                                    \
            break;                                                                                   \
        }                                                                                            \
    } while (0)

/* Operations that are timed one by one, besides those of the loop and one before all. */
#define MEASURE_SAMPLES 16

/* Measures `operation`, which may use the caller's variables: in registers, as a closure of Rust has them. */
#define MEASURE(meter, iterations, figures, operation)                                               \
    do {                                                                                             \
        const uint32_t reading_ = measure_reading(meter);                                            \
        uint32_t before_;                                                                            \
        (figures) = measure_figures((iterations), 0);                                                \
        operation;                                                                                   \
        for (int sample_ = 0; sample_ < MEASURE_SAMPLES; sample_++) {                                \
            before_ = measure_left(meter);                                                           \
            operation;                                                                               \
            measure_take(&(figures), before_ - measure_left(meter), reading_);                       \
        }                                                                                            \
        measure_begin(meter);                                                                        \
        before_ = measure_left(meter);                                                               \
        for (uint32_t left_ = (iterations); left_ > 0; left_--) {                                    \
            operation;                                                                               \
            __asm__ volatile("" ::: "memory");                                                       \
        }                                                                                            \
        (figures).ticks = before_ - measure_left(meter);                                             \
        measure_end(meter);                                                                          \
        before_ = measure_left(meter);                                                               \
        for (uint32_t left_ = (iterations); left_ > 0; left_--)                                      \
            __asm__ volatile("" ::: "memory");                                                       \
        (figures).loop_ticks = before_ - measure_left(meter);                                        \
    } while (0)

/* The measured loops stand alone, so that the registers are theirs. */
#define MEASURE_ALONE(name, function, ...)                                                           \
    __attribute__((noinline)) static void name(struct meter meter, uint32_t iterations)              \
    {                                                                                                \
        MEASURE_WITH_COUNTER(meter, function, iterations __VA_ARGS__);                               \
    }

#endif
