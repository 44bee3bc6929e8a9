#include "check.h"

#include <string.h>

static CH_HEAP_AREA(area, 4 * (sizeof(thread_t) + 8));
static memory_heap_t heap;
static memory_pool_t pool;
static thread_t places[2];
static semaphore_t go_on;

static void mark(void *argument)
{
    note(*(const char *)argument);
    chThdExit(*(const char *)argument);
}

static void waits(void *argument)
{
    chSemWait(&go_on);
    mark(argument);
}

/* It ends with nobody who refers to it. */
static void forgets_itself(void *argument)
{
    chThdRelease(chThdGetSelfX());
    note(*(const char *)argument);
}

/* How many threads are in the registry. */
static int registered(void)
{
    int count = 0;
    for (thread_t *thread = chRegFirstThread(); thread != NULL; thread = chRegNextThread(thread))
        count++;
    return count;
}

static size_t left(void)
{
    size_t total;
    chHeapStatus(&heap, &total, NULL);
    return total;
}

static void from_a_heap(void)
{
    const int before = registered();
    thread_t *thread, *found;
    size_t whole;

    begin("a thread from a heap gives its memory back once it has ended and nobody refers to it");
    chHeapObjectInit(&heap, area, sizeof area);
    whole = left();
    chSemObjectInit(&go_on, 0);
    thread = chThdCreateFromHeap(&heap, THD_WORKING_AREA_SIZE(256), "worker", NORMALPRIO + 1, waits, "a");
    CHECK(thread != NULL && left() < whole && registered() == before + 1);
    CHECK(strcmp(chRegGetThreadNameX(thread), "worker") == 0);
    found = chRegFindThreadByName("worker");
    CHECK(found == thread && chRegFindThreadByName("nobody") == NULL);
    chSemSignal(&go_on);
    CHECK(noted("a") && chThdTerminatedX(thread) && registered() == before + 1);
    CHECK(chThdWait(thread) == 'a' && left() < whole);
    chThdRelease(found);
    CHECK(left() == whole && registered() == before);
    CHECK(chRegFindThreadByPointer(thread) == NULL && chRegFindThreadByName("worker") == NULL);
    end();

    begin("a thread that nobody refers to when it ends gives its memory and its place back itself");
    for (int turn = 0; turn < 20; turn++) {
        thread = chThdCreateFromHeap(&heap, THD_WORKING_AREA_SIZE(256), NULL, NORMALPRIO - 1, waits, "a");
        CHECK(thread != NULL);
        chThdRelease(thread);
        CHECK(registered() == before + 1);
        chSemSignal(&go_on);
        chThdSleepMilliseconds(1);
        CHECK(noted("a") && left() == whole && registered() == before);
        CHECK(chThdCreateFromHeap(&heap, THD_WORKING_AREA_SIZE(256), NULL, NORMALPRIO + 1, forgets_itself, "f"));
        CHECK(noted("f") && left() == whole && registered() == before);
    }
    end();

    begin("a thread that cannot be started leaves nothing of a heap or a pool");
    CHECK(chThdCreateFromHeap(&heap, sizeof area, NULL, NORMALPRIO, waits, "a") == NULL);
    CHECK(chThdCreateFromHeap(&heap, sizeof(thread_t), NULL, NORMALPRIO + 8, waits, "a") == NULL);
    CHECK(left() == whole && registered() == before);
    chPoolObjectInit(&pool, sizeof(thread_t), NULL);
    CHECK(chThdCreateFromMemoryPool(&pool, NULL, NORMALPRIO, waits, "a") == NULL);
    chPoolAdd(&pool, &places[0]);
    CHECK(chThdCreateFromMemoryPool(&pool, NULL, NORMALPRIO + 8, waits, "a") == NULL);
    CHECK(registered() == before && chPoolAlloc(&pool) == &places[0]);
    end();
}

static void from_a_pool(void)
{
    thread_t *threads[2];

    begin("a thread from a pool is one of its objects until nobody refers to it");
    chPoolObjectInit(&pool, sizeof(thread_t), NULL);
    chPoolLoadArray(&pool, places, 2);
    for (int which = 0; which < 2; which++) {
        threads[which] = chThdCreateFromMemoryPool(&pool, "pooled", NORMALPRIO + 1, waits, "p");
        CHECK(threads[which] == &places[0] || threads[which] == &places[1]);
    }
    CHECK(chThdCreateFromMemoryPool(&pool, "pooled", NORMALPRIO + 1, waits, "p") == NULL);
    chSemSignal(&go_on);
    chSemSignal(&go_on);
    CHECK(chThdWait(threads[0]) == 'p' && chPoolAlloc(&pool) == threads[0] && chPoolAlloc(&pool) == NULL);
    CHECK(chThdAddRef(threads[1]) == threads[1] && chThdWait(threads[1]) == 'p' && chPoolAlloc(&pool) == NULL);
    /* Who has a reference can ask again. */
    CHECK(chThdTerminatedX(threads[1]) && chThdAddRef(threads[1]) == threads[1] && chThdWait(threads[1]) == 'p');
    chThdRelease(threads[1]);
    CHECK(chPoolAlloc(&pool) == threads[1]);
    CHECK(noted("pp"));
    end();
}

static thread_t *awaited;

static void waits_for_the_other(void *argument)
{
    (void)argument;
    note(chThdWait(awaited) == 'e' ? 'w' : 'x');
}

static void together(void)
{
    thread_t *threads[2];

    begin("several threads can wait for one, each with a reference of its own");
    awaited = start(0, NORMALPRIO + 1, waits, "e");
    chThdAddRef(awaited);
    chThdAddRef(awaited);
    threads[0] = start(1, NORMALPRIO + 1, waits_for_the_other, NULL);
    threads[1] = start(2, NORMALPRIO + 2, waits_for_the_other, NULL);
    chSemSignal(&go_on);
    CHECK(chThdWait(awaited) == 'e');
    chThdWait(threads[0]);
    chThdWait(threads[1]);
    CHECK(noted("eww") && chRegFindThreadByPointer(awaited) == NULL);
    end();

    begin("all who wait for a thread go on when it ends, whoever came first and cannot run");
    awaited = start(0, NORMALPRIO + 1, waits, "e");
    chThdAddRef(awaited);
    chThdAddRef(awaited);
    threads[0] = start(1, NORMALPRIO - 1, waits_for_the_other, NULL);
    chThdSleepMilliseconds(1);
    threads[1] = start(2, NORMALPRIO + 2, waits_for_the_other, NULL);
    chSemSignal(&go_on);
    CHECK(noted("ew") && chThdTerminatedX(threads[1]) && !chThdTerminatedX(threads[0]));
    CHECK(chThdWait(awaited) == 'e');
    chThdWait(threads[0]);
    chThdWait(threads[1]);
    CHECK(noted("w") && chRegFindThreadByPointer(awaited) == NULL);
    end();
}

static THD_WORKING_AREA(place, 256);
static int found;

/* Looks for a thread at each of many ticks, whatever its creator is at just then. */
static void looks_for_it(void *argument)
{
    (void)argument;
    for (int tick = 0; tick < 100; tick++) {
        thread_t *thread;
        chThdSleep(1);
        thread = chRegFindThreadByWorkingArea(place);
        if (thread != NULL) {
            found++;
            chThdRelease(thread);
        }
        for (thread = chRegFirstThread(); thread != NULL; thread = chRegNextThread(thread))
            found += thread == place;
    }
}

static void described(void)
{
    const thread_descriptor_t descriptor =
        THD_DESCRIPTOR("described", THD_WORKING_AREA_BASE(place), THD_WORKING_AREA_END(place),
                       NORMALPRIO + 1, mark, "d");
    const thread_descriptor_t too_urgent =
        THD_DESCRIPTOR("described", THD_WORKING_AREA_BASE(place), THD_WORKING_AREA_END(place),
                       NORMALPRIO + 8, mark, "d");
    thread_t *thread;

    begin("a thread that is made suspended begins when it is started");
    thread = chThdCreateSuspended(&descriptor);
    CHECK(thread == place && chThdGetWorkingAreaX(thread) == place && noted(""));
    CHECK(chRegFindThreadByWorkingArea(place) == thread && !chThdTerminatedX(thread));
    chThdRelease(thread);
    note('.');
    CHECK(chThdStart(thread) == thread && noted(".d") && chThdWait(thread) == 'd');
    CHECK(chThdCreate(&descriptor) == place && noted("d") && chThdWait(place) == 'd');
    CHECK(chThdCreateSuspended(&too_urgent) == NULL && chRegFindThreadByWorkingArea(place) == NULL);
    end();

    begin("a thread that is made within the system's lock begins by itself");
    chSysLock();
    CHECK(chThdCreateI(&descriptor) == place);
    chSysUnlock();
    CHECK(noted("d") && chThdWait(place) == 'd');
    end();

    begin("a thread that cannot be started is found by nobody meanwhile");
    thread = start(0, NORMALPRIO + 1, looks_for_it, NULL);
    while (!chThdTerminatedX(thread))
        CHECK(chThdCreateSuspended(&too_urgent) == NULL);
    chThdWait(thread);
    CHECK(found == 0);
    end();
}

void dynamic(void)
{
    thread_t *first = chRegFirstThread();

    begin("the registry begins with the main thread, and tells the others in the order in which they came");
    CHECK(first == chThdGetSelfX() && strcmp(chRegGetThreadNameX(first), "main") == 0);
    chThdRelease(first);
    chRegSetThreadName("tester");
    CHECK(chRegFindThreadByName("tester") == first);
    chRegSetThreadNameX(first, "main");
    chThdRelease(first);
    end();

    from_a_heap();
    from_a_pool();
    together();
    described();
}
