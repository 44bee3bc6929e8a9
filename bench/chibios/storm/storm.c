#include "storm.h"

#define SOURCES 2
#define LETTERS 4
/* How long nothing may happen before something counts as lost. */
#define PATIENCE TIME_MS2I(100)
/* Each round's interrupts come in three quarters of the time of the one before. */
#define FASTER(distance) ((distance) * 3 / 4)
#define SEED 2463534242u

static const char *const names[SOURCES] = {"software", "spare"};

static struct storm *storm;
static riposte_interrupt_t lines[SOURCES];
/* Counts of interrupts, each written by one thread: raised, handled, and come to their end. */
static volatile uint32_t raised[SOURCES], handled[SOURCES], taken[SOURCES];
static volatile uint32_t overruns, beats;
static volatile bool is_raising;

static semaphore_t go, posted;
static msg_t buffer[LETTERS];
static mailbox_t letters;
static mutex_t mutex;
static condition_variable_t progress;
static virtual_timer_t beat;
static thread_t areas[6][1];
static thread_t *sender, *server;

static void goes_wrong(const char *what)
{
    if (storm->wrong == NULL)
        storm->wrong = what;
}

/* A number that looks random, the same in every run: xorshift by Marsaglia. */
static uint32_t next_random(void)
{
    static uint32_t state = SEED;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* Raises interrupts, in rounds. It is more urgent than the handlers: a device does not wait. */
static THD_FUNCTION(device, unused)
{
    (void)unused;
    for (;;) {
        uint64_t when;
        chSemWait(&go);
        when = riposte_clock();
        for (uint32_t count = 0; count < storm->interrupts; count++) {
            const uint32_t source = next_random() >> 31;
            when += storm->distance / 2 + (storm->distance * (next_random() & 1023) >> 10);
            while (riposte_clock() < when)
                riposte_sleep_until(when);
            if (handled[source] != raised[source]) {
                overruns++;
                continue;
            }
            raised[source]++;
            riposte_interrupt_pend(lines[source]);
        }
        is_raising = false;
        chCondBroadcast(&progress);
    }
}

/* Handles the first source: each interrupt is a letter, and a unit of a semaphore. */
static THD_FUNCTION(posts, unused)
{
    (void)unused;
    while (riposte_interrupt_wait(lines[0], NULL) == RIPOSTE_OK) {
        chMBPostTimeout(&letters, (msg_t)handled[0], TIME_INFINITE);
        chSemSignal(&posted);
        handled[0]++;
    }
}

/* Handles the second source: each interrupt is an event. */
static THD_FUNCTION(signals, unused)
{
    (void)unused;
    while (riposte_interrupt_wait(lines[1], NULL) == RIPOSTE_OK) {
        handled[1]++;
        chEvtSignal(sender, EVENT_MASK(0));
    }
}

/* An interrupt has come to its end. */
static void take(uint32_t source)
{
    chMtxLock(&mutex);
    taken[source]++;
    chCondSignal(&progress);
    chMtxUnlock(&mutex);
}

static THD_FUNCTION(fetches, unused)
{
    (void)unused;
    for (;;) {
        msg_t letter = -1;
        chSemWait(&posted);
        if (chMBFetchTimeout(&letters, &letter, TIME_IMMEDIATE) != MSG_OK)
            goes_wrong("a letter is lost");
        if (letter != (msg_t)taken[0])
            goes_wrong("letters are out of order");
        take(0);
    }
}

static THD_FUNCTION(sends, unused)
{
    (void)unused;
    for (;;) {
        chEvtWaitAny(EVENT_MASK(0));
        while (taken[1] != handled[1]) {
            const msg_t message = (msg_t)taken[1];
            if (chMsgSend(server, message) != ~message)
                goes_wrong("an answer is somebody else's");
            take(1);
        }
    }
}

static THD_FUNCTION(serves, unused)
{
    (void)unused;
    for (msg_t expected = 0;; expected++) {
        thread_t *client = chMsgWait();
        const msg_t message = chMsgGet(client);
        if (message != expected)
            goes_wrong("messages are lost or out of order");
        chMsgRelease(client, ~message);
    }
}

static void beats_on(void *unused)
{
    (void)unused;
    beats++;
}

static thread_t *start(unsigned place, tprio_t priority, tfunc_t function)
{
    thread_t *thread = chThdCreateStatic(areas[place], sizeof areas[place], priority, function, NULL);
    chDbgAssert(thread != NULL, "storm: too few spare threads, or too low a priority_limit");
    return thread;
}

static void prepare(void)
{
    for (unsigned source = 0; source < SOURCES; source++) {
        riposte_channel_t channel;
        if (riposte_channel(names[source], &channel) != RIPOSTE_OK
            || riposte_interrupt_attach(names[source], channel, 1, &lines[source]) != RIPOSTE_OK)
            chSysHalt("storm: app.toml gives this process no such interrupt");
    }
    chSemObjectInit(&go, 0);
    chSemObjectInit(&posted, 0);
    chMBObjectInit(&letters, buffer, LETTERS);
    chMtxObjectInit(&mutex);
    chCondObjectInit(&progress);
    chVTObjectInit(&beat);
    server = start(0, NORMALPRIO + 2, serves);
    sender = start(1, NORMALPRIO + 1, sends);
    start(2, NORMALPRIO + 3, fetches);
    start(3, NORMALPRIO + 4, signals);
    start(4, NORMALPRIO + 5, posts);
    start(5, NORMALPRIO + 6, device);
    chVTSetContinuous(&beat, TIME_US2I(500), beats_on, NULL);
}

/* Whether all that was raised has come to its end. */
static bool is_over(void)
{
    return !is_raising && taken[0] == raised[0] && taken[1] == raised[1];
}

static void round_of_it(void)
{
    const uint32_t before = raised[0] + raised[1];
    const uint32_t start = storm->counter();
    overruns = 0;
    is_raising = true;
    chSemSignal(&go);
    chMtxLock(&mutex);
    while (!is_over()) {
        if (chCondWaitTimeout(&progress, PATIENCE) != MSG_TIMEOUT)
            continue;
        chMtxLock(&mutex);
        if (!is_over()) {
            goes_wrong("an interrupt is lost");
            break;
        }
    }
    chMtxUnlock(&mutex);
    storm->total += raised[0] + raised[1] - before;
    storm->is_saturated = overruns != 0;
    if (!storm->is_saturated) {
        storm->sustained = raised[0] + raised[1] - before;
        storm->counted = storm->counter() - start;
    }
}

void storm_run(struct storm *asked)
{
    systime_t since;
    storm = asked;
    prepare();
    since = chVTGetSystemTimeX();
    for (uint32_t round = 0; round < storm->rounds && storm->wrong == NULL; round++) {
        round_of_it();
        if (storm->is_saturated)
            break;
        storm->distance = FASTER(storm->distance);
    }
    if (chVTTimeElapsedSinceX(since) > TIME_MS2I(2) && beats == 0)
        goes_wrong("the virtual timer is silent");
    chVTReset(&beat);
    for (unsigned source = 0; source < SOURCES; source++)
        riposte_interrupt_detach(lines[source]);
}
