/* What a program looks at and sets up itself: members of objects, objects as parts of others, and what it asks for. */

#include "check.h"

#include <string.h>

/* A device as drivers have it: its objects are parts of it, and begin as they are written. */
static msg_t device_letters[2];
static uint8_t device_bytes[4];
static uint8_t line_bytes[2][4];
static struct device {
    semaphore_t done;
    binary_semaphore_t free;
    mutex_t lock;
    condition_variable_t changed;
    threads_queue_t waiting;
    event_source_t heard;
    mailbox_t letters;
    memory_pool_t frames;
    guarded_memory_pool_t spare_frames;
    pipe_t bytes;
    input_queue_t input;
    output_queue_t output;
} device = {
    _SEMAPHORE_DATA(device.done, 1),
    _BSEMAPHORE_DATA(device.free, false),
    _MUTEX_DATA(device.lock),
    _CONDVAR_DATA(device.changed),
    _THREADS_QUEUE_DATA(device.waiting),
    _EVENTSOURCE_DATA(device.heard),
    _MAILBOX_DATA(device.letters, device_letters, 2),
    _MEMORYPOOL_DATA(device.frames, sizeof(void *), PORT_NATURAL_ALIGN, NULL),
    _GUARDEDMEMORYPOOL_DATA(device.spare_frames, sizeof(void *), PORT_NATURAL_ALIGN),
    _PIPE_DATA(device.bytes, device_bytes, sizeof device_bytes),
    _INPUTQUEUE_DATA(device.input, line_bytes[0], sizeof line_bytes[0], NULL, NULL),
    _OUTPUTQUEUE_DATA(device.output, line_bytes[1], sizeof line_bytes[1], NULL, NULL),
};
static _THREADS_QUEUE_DECL(others);

static void parts(void)
{
    uint8_t bytes[2];
    msg_t message = 0;
    void *frame;

    begin("objects that are parts of another begin as they are written");
    CHECK(chSemGetCounterI(&device.done) == 1 && chSemWait(&device.done) == MSG_OK);
    CHECK(!chBSemGetStateI(&device.free) && chBSemWait(&device.free) == MSG_OK && chBSemGetStateI(&device.free));
    CHECK(chMtxTryLock(&device.lock));
    CHECK(chCondWaitTimeout(&device.changed, TIME_MS2I(1)) == MSG_TIMEOUT && chMtxTryLock(&device.lock));
    chMtxUnlock(&device.lock);
    CHECK(chThdQueueIsEmptyI(&device.waiting) && chThdQueueIsEmptyI(&others) && !chEvtIsListeningI(&device.heard));
    CHECK(chMBPostTimeout(&device.letters, 7, TIME_IMMEDIATE) == MSG_OK && chMBGetFreeCountI(&device.letters) == 1);
    CHECK(chMBFetchTimeout(&device.letters, &message, TIME_IMMEDIATE) == MSG_OK && message == 7);
    chPoolFree(&device.frames, &frame);
    CHECK(chPoolAlloc(&device.frames) == &frame && chPoolAlloc(&device.frames) == NULL);
    CHECK(chGuardedPoolAllocTimeout(&device.spare_frames, TIME_IMMEDIATE) == NULL);
    CHECK(chPipeWriteTimeout(&device.bytes, (const uint8_t *)"ab", 2, TIME_IMMEDIATE) == 2);
    CHECK(chPipeReadTimeout(&device.bytes, bytes, 2, TIME_IMMEDIATE) == 2 && memcmp(bytes, "ab", 2) == 0);
    CHECK(chIQIsEmptyI(&device.input) && chQSizeX(&device.input) == 4);
    CHECK(chOQIsEmptyI(&device.output) && chOQGetEmptyI(&device.output) == 4);
    end();
}

static void gives_one(void *argument)
{
    chSemSignal((semaphore_t *)argument);
}

static void counters(void)
{
    semaphore_t semaphore;
    binary_semaphore_t binary;
    thread_t *thread;

    begin("a semaphore's members tell its units, and that nobody waits, also once somebody has");
    chSemObjectInit(&semaphore, 2);
    CHECK(semaphore.cnt == 2 && queue_isempty(&semaphore.queue));
    chSemReset(&semaphore, 0);
    CHECK(chSemWaitTimeout(&semaphore, TIME_MS2I(1)) == MSG_TIMEOUT);
    CHECK(semaphore.cnt == 0 && queue_isempty(&semaphore.queue));
    thread = start(0, NORMALPRIO - 1, gives_one, &semaphore);
    CHECK(chSemWait(&semaphore) == MSG_OK);
    CHECK(semaphore.cnt == 0 && queue_isempty(&semaphore.queue));
    chThdWait(thread);
    chSemSignal(&semaphore);
    CHECK(semaphore.cnt == 1 && queue_isempty(&semaphore.queue));
    chBSemObjectInit(&binary, false);
    CHECK(chSemGetCounterI(&binary.sem) == 1 && binary.sem.cnt == 1);
    end();
}

static void locks_it(void *argument)
{
    chMtxLock((mutex_t *)argument);
    chMtxUnlock((mutex_t *)argument);
}

static void owners(void)
{
    mutex_t mutex;
    thread_t *thread;

    begin("a mutex's members tell whether somebody owns it, and whether somebody waits");
    chMtxObjectInit(&mutex);
    CHECK(mutex.owner == NULL && queue_isempty(&mutex.queue));
    chMtxLock(&mutex);
    CHECK(mutex.owner != NULL && queue_isempty(&mutex.queue));
    thread = start(0, NORMALPRIO + 1, locks_it, &mutex);
    CHECK(mutex.owner != NULL && queue_notempty(&mutex.queue));
    chMtxUnlock(&mutex);
    CHECK(mutex.owner == NULL && queue_isempty(&mutex.queue));
    chThdWait(thread);
    end();
}

static void places(void)
{
    pipe_t pipe;
    uint8_t buffer[4];
    uint8_t bytes[4];

    begin("a pipe's members tell where the next bytes are written and read");
    chPipeObjectInit(&pipe, buffer, sizeof buffer);
    CHECK(pipe.buffer == buffer && pipe.top == buffer + 4 && pipe.wrptr == buffer && pipe.rdptr == buffer);
    CHECK(chPipeWriteTimeout(&pipe, (const uint8_t *)"abcd", 4, TIME_IMMEDIATE) == 4);
    CHECK(pipe.wrptr == buffer && pipe.rdptr == buffer && pipe.cnt == 4);
    CHECK(chPipeReadTimeout(&pipe, bytes, 3, TIME_IMMEDIATE) == 3 && pipe.rdptr == buffer + 3 && pipe.cnt == 1);
    CHECK(chPipeWriteTimeout(&pipe, (const uint8_t *)"ef", 2, TIME_IMMEDIATE) == 2 && pipe.wrptr == buffer + 2);
    CHECK(chPipeReadTimeout(&pipe, bytes, 4, TIME_IMMEDIATE) == 3 && memcmp(bytes, "def", 3) == 0);
    CHECK(pipe.wrptr == buffer + 2 && pipe.rdptr == buffer + 2 && pipe.cnt == 0);
    end();
}

static ALIGNED_VAR(PORT_WORKING_AREA_ALIGN) uint8_t room[2 * MEM_ALIGN_NEXT(THD_WORKING_AREA_SIZE(128), PORT_WORKING_AREA_ALIGN)];
static void *ROMCONST rooms[] = {room, room + sizeof room / 2};

static void notes(void *argument)
{
    note(*(const char *)argument);
}

static NOINLINE ucnt_t measured(time_measurement_t *measurement)
{
    return measurement->n;
}

static void asked(void)
{
    thread_descriptor_t descriptor = {.name = "asked", .prio = NORMALPRIO + 1, .funcp = notes, .arg = "d"};
    time_measurement_t measurement;
    struct PACKED_VAR {
        uint8_t kind;
        uint32_t value;
    } packet;

    begin("a program finds what it asks of the release, the compiler and the port");
#if defined(_CHIBIOS_) && defined(_CHIBIOS_RT_) && defined(_CHIBIOS_OSLIB_) && PORT_SUPPORTS_RT == TRUE
    CHECK(CH_VERSION_YEAR == 19 && CH_OSLIB_MAJOR == 1 && CH_OSLIB_MINOR == 1 && strcmp(CH_OSLIB_VERSION, "1.1.2") == 0);
#else
    CHECK(false);
#endif
    CHECK(!CH_CFG_FACTORY_OBJECTS_REGISTRY && !CH_CFG_FACTORY_GENERIC_BUFFERS && !CH_CFG_FACTORY_SEMAPHORES
          && !CH_CFG_FACTORY_MAILBOXES && !CH_CFG_FACTORY_OBJ_FIFOS && !CH_CFG_FACTORY_PIPES);
    CHECK(sizeof packet == 5);
    chTMObjectInit(&measurement);
    CHECK(measured(&measurement) == 0);
    CHECK(MS2RTC(1000000000, 2) == 2000000 && US2RTC(72000000, 10) == 720 && RTC2MS(72000000, 72001) == 2);
    CHECK(RTC2S(1000000000, 1) == 1 && RTC2US(1000000000, 4294967295) == 4294968 && S2RTC(32768, 2) == 65536);
    descriptor.wbase = (stkalign_t *)rooms[1];
    descriptor.wend = (stkalign_t *)(void *)((uint8_t *)rooms[1] + sizeof room / 2);
    chThdWait(chThdCreateStatic(rooms[0], sizeof room / 2, NORMALPRIO + 1, notes, "s"));
    chThdWait(chThdCreate(&descriptor));
    CHECK(noted("sd"));
    end();
}

void members(void)
{
    parts();
    counters();
    owners();
    places();
    asked();
}
