#include "check.h"

#include <string.h>

static uint8_t buffer[4];
static io_queue_t queue;
static unsigned notified;
static bool was_locked;
static objects_fifo_t fifo;
static struct letter {
    void *link;
    int number;
} letters[2];
static msg_t places[2];

static void notify(io_queue_t *from)
{
    notified++;
    was_locked = chSysGetStatusAndLockX() != 0 && from == &queue;
    chSysRestoreStatusX(1);
}

static void gets(void *argument)
{
    const msg_t byte = chIQGet(&queue);
    (void)argument;
    note(byte == Q_RESET ? 'r' : (char)byte);
}

static void reads(void *argument)
{
    uint8_t bytes[3];
    (void)argument;
    note(chIQReadTimeout(&queue, bytes, 3, TIME_INFINITE) == 3 && memcmp(bytes, "xyz", 3) == 0 ? 'y' : 'n');
}

static msg_t put(uint8_t byte)
{
    msg_t result;
    chSysLock();
    result = chIQPutI(&queue, byte);
    chSysUnlock();
    return result;
}

static msg_t get(void)
{
    msg_t byte;
    chSysLock();
    byte = chOQGetI(&queue);
    chSysUnlock();
    return byte;
}

static void input(void)
{
    uint8_t bytes[8];
    thread_t *threads[2];

    begin("an input queue gives bytes in order, and says when it is full or empty");
    notified = 0;
    chIQObjectInit(&queue, buffer, sizeof buffer, notify, bytes);
    CHECK(chQSizeX(&queue) == 4 && chIQIsEmptyI(&queue) && chIQGetEmptyI(&queue) == 4 && chQGetLinkX(&queue) == bytes);
    chQSetLinkX(&queue, NULL);
    CHECK(chQGetLinkX(&queue) == NULL);
    for (int turn = 0; turn < 3; turn++) {
        CHECK(put('a') == Q_OK && put('b') == Q_OK && put(0xff) == Q_OK && chIQGetFullI(&queue) == 3);
        CHECK(chIQGetTimeout(&queue, TIME_IMMEDIATE) == 'a' && chIQGet(&queue) == 'b' && chIQGet(&queue) == 0xff);
    }
    CHECK(notified == 9 && was_locked);
    for (int turn = 0; turn < 4; turn++)
        CHECK(put((uint8_t)turn) == Q_OK);
    CHECK(chIQIsFullI(&queue) && put('x') == Q_FULL);
    CHECK(chIQReadTimeout(&queue, bytes, 8, TIME_IMMEDIATE) == 4 && memcmp(bytes, "\0\1\2\3", 4) == 0);
    CHECK(chIQGetTimeout(&queue, TIME_IMMEDIATE) == Q_TIMEOUT && chIQGetTimeout(&queue, TIME_MS2I(1)) == Q_TIMEOUT);
    end();

    begin("who waits at an input queue gets the byte that comes, or is told of a reset");
    threads[0] = start(0, NORMALPRIO + 1, gets, NULL);
    threads[1] = start(1, NORMALPRIO + 2, gets, NULL);
    put('a');
    CHECK(noted("a"));
    chSysLock();
    chIQResetI(&queue);
    chSysUnlock();
    CHECK(noted("r"));
    chThdWait(threads[0]);
    chThdWait(threads[1]);
    put('l');
    chSysLock();
    chIQResetI(&queue);
    chSysUnlock();
    CHECK(chIQIsEmptyI(&queue) && chIQGetTimeout(&queue, TIME_IMMEDIATE) == Q_TIMEOUT);
    threads[0] = start(0, NORMALPRIO + 1, reads, NULL);
    put('x');
    put('y');
    CHECK(noted(""));
    put('z');
    CHECK(noted("y"));
    chThdWait(threads[0]);
    end();
}

static void writes(void *argument)
{
    note(chOQWriteTimeout(&queue, (const uint8_t *)"abcdef", 6, TIME_INFINITE) == 6 ? 'w' : 'n');
    (void)argument;
}

static void output(void)
{
    thread_t *thread;

    begin("an output queue holds bytes until its driver gets them, and blocks who has no room");
    notified = 0;
    chOQObjectInit(&queue, buffer, sizeof buffer, notify, NULL);
    CHECK(chOQIsEmptyI(&queue) && chOQGetEmptyI(&queue) == 4 && get() == Q_EMPTY);
    CHECK(chOQPut(&queue, 0xfe) == Q_OK && chOQGetFullI(&queue) == 1 && get() == 0xfe && notified == 1);
    thread = start(0, NORMALPRIO + 1, writes, NULL);
    CHECK(chOQIsFullI(&queue) && noted(""));
    CHECK(get() == 'a' && get() == 'b' && noted("w"));
    chThdWait(thread);
    CHECK(get() == 'c' && get() == 'd' && get() == 'e' && get() == 'f' && get() == Q_EMPTY);
    CHECK(chOQWriteTimeout(&queue, (const uint8_t *)"abcdef", 6, TIME_MS2I(1)) == 4);
    CHECK(chOQPutTimeout(&queue, 'x', TIME_IMMEDIATE) == Q_TIMEOUT);
    thread = start(0, NORMALPRIO + 1, writes, NULL);
    chSysLock();
    chOQResetI(&queue);
    chSysUnlock();
    chThdWait(thread);
    CHECK(noted("n") && chOQIsEmptyI(&queue) && get() == Q_EMPTY);
    end();
}

static void receives(void *argument)
{
    void *object = NULL;
    (void)argument;
    chSysLock();
    note(chFifoReceiveObjectTimeoutS(&fifo, &object, TIME_INFINITE) == MSG_OK && object == &letters[0] ? 'f' : 'x');
    chSysUnlock();
}

static void fifos(void)
{
    struct letter *first, *second;
    void *got = NULL;
    thread_t *thread;

    begin("a FIFO passes its objects on in order, and each is somebody's or free");
    chFifoObjectInit(&fifo, sizeof(struct letter), 2, letters, places);
    first = chFifoTakeObjectTimeout(&fifo, TIME_IMMEDIATE);
    second = chFifoTakeObjectTimeout(&fifo, TIME_INFINITE);
    CHECK(first != NULL && second != NULL && first != second);
    CHECK(chFifoTakeObjectTimeout(&fifo, TIME_MS2I(1)) == NULL);
    CHECK(chFifoReceiveObjectTimeout(&fifo, &got, TIME_IMMEDIATE) == MSG_TIMEOUT && got == NULL);
    CHECK(chFifoReceiveObjectTimeout(&fifo, &got, TIME_MS2I(1)) == MSG_TIMEOUT && got == NULL);
    chFifoSendObject(&fifo, first);
    chFifoSendObject(&fifo, second);
    CHECK(chFifoReceiveObjectTimeout(&fifo, &got, TIME_IMMEDIATE) == MSG_OK && got == first);
    chFifoSendObjectAhead(&fifo, got);
    CHECK(chFifoReceiveObjectTimeout(&fifo, &got, TIME_IMMEDIATE) == MSG_OK && got == first);
    chSysLock();
    chFifoReturnObjectI(&fifo, got);
    CHECK(chFifoReceiveObjectI(&fifo, &got) == MSG_OK && got == second);
    CHECK(chFifoReceiveObjectTimeoutS(&fifo, &got, TIME_IMMEDIATE) == MSG_TIMEOUT);
    chFifoReturnObjectS(&fifo, got);
    CHECK(chFifoTakeObjectI(&fifo) == second && chFifoTakeObjectTimeoutS(&fifo, TIME_MS2I(1)) == first);
    CHECK(chFifoTakeObjectTimeoutS(&fifo, TIME_MS2I(1)) == NULL);
    chSysUnlock();
    thread = start(0, NORMALPRIO + 1, receives, NULL);
    CHECK(noted(""));
    chFifoSendObject(&fifo, &letters[0]);
    CHECK(noted("f"));
    chThdWait(thread);
    end();
}

static pipe_t conduit;

static void writes_into_the_pipe(void *argument)
{
    note(chPipeWriteTimeout(&conduit, (const uint8_t *)argument, 6, TIME_INFINITE) == 6 ? 'w' : 'n');
}

static void reads_from_the_pipe(void *argument)
{
    uint8_t bytes[6];
    (void)argument;
    if (chPipeReadTimeout(&conduit, bytes, 6, TIME_INFINITE) != 6)
        note('n');
    else
        for (int which = 0; which < 6; which++)
            note((char)bytes[which]);
}

static void pipes(void)
{
    uint8_t bytes[8];
    thread_t *threads[2];

    begin("a pipe passes bytes on in order, and says how many were passed in time");
    chPipeObjectInit(&conduit, buffer, sizeof buffer);
    CHECK(chPipeGetSize(&conduit) == 4 && chPipeGetUsedCount(&conduit) == 0 && chPipeGetFreeCount(&conduit) == 4);
    CHECK(chPipeReadTimeout(&conduit, bytes, 1, TIME_IMMEDIATE) == 0);
    CHECK(chPipeReadTimeout(&conduit, bytes, 1, TIME_MS2I(1)) == 0);
    CHECK(chPipeWriteTimeout(&conduit, bytes, 0, TIME_INFINITE) == 0);
    for (int turn = 0; turn < 3; turn++) {
        CHECK(chPipeWriteTimeout(&conduit, (const uint8_t *)"abc", 3, TIME_IMMEDIATE) == 3);
        CHECK(chPipeGetUsedCount(&conduit) == 3 && chPipeGetFreeCount(&conduit) == 1);
        CHECK(chPipeReadTimeout(&conduit, bytes, 8, TIME_IMMEDIATE) == 3 && memcmp(bytes, "abc", 3) == 0);
    }
    CHECK(chPipeWriteTimeout(&conduit, (const uint8_t *)"abcdef", 6, TIME_MS2I(1)) == 4);
    CHECK(chPipeReadTimeout(&conduit, bytes, 8, TIME_MS2I(1)) == 4 && memcmp(bytes, "abcd", 4) == 0);
    end();

    begin("what one thread writes into a pipe stays together, and so does what one reads");
    threads[0] = start(0, NORMALPRIO + 1, writes_into_the_pipe, "abcdef");
    threads[1] = start(1, NORMALPRIO + 2, writes_into_the_pipe, "ABCDEF");
    CHECK(chPipeWriteTimeout(&conduit, bytes, 1, TIME_IMMEDIATE) == 0);
    CHECK(chPipeWriteTimeout(&conduit, bytes, 1, TIME_MS2I(1)) == 0);
    CHECK(chPipeReadTimeout(&conduit, bytes, 8, TIME_INFINITE) == 8 && memcmp(bytes, "abcdefAB", 8) == 0);
    CHECK(chPipeReadTimeout(&conduit, bytes, 4, TIME_INFINITE) == 4 && memcmp(bytes, "CDEF", 4) == 0);
    chThdWait(threads[0]);
    chThdWait(threads[1]);
    CHECK(noted("ww"));
    threads[0] = start(0, NORMALPRIO + 1, reads_from_the_pipe, NULL);
    threads[1] = start(1, NORMALPRIO + 2, reads_from_the_pipe, NULL);
    CHECK(chPipeWriteTimeout(&conduit, (const uint8_t *)"uvwxyz", 6, TIME_INFINITE) == 6 && noted("uvwxyz"));
    CHECK(chPipeWriteTimeout(&conduit, (const uint8_t *)"UVWXYZ", 6, TIME_INFINITE) == 6 && noted("UVWXYZ"));
    chThdWait(threads[0]);
    chThdWait(threads[1]);
    /* Where there is room, which a less urgent writer has been woken for and not yet used. */
    threads[0] = start(0, NORMALPRIO - 1, writes_into_the_pipe, "abcdef");
    chThdSleepMilliseconds(1);
    CHECK(chPipeReadTimeout(&conduit, bytes, 1, TIME_IMMEDIATE) == 1 && chPipeGetFreeCount(&conduit) == 1);
    CHECK(chPipeWriteTimeout(&conduit, bytes, 1, TIME_IMMEDIATE) == 0);
    CHECK(chPipeReadTimeout(&conduit, bytes, 5, TIME_INFINITE) == 5 && memcmp(bytes, "bcdef", 5) == 0);
    chThdWait(threads[0]);
    CHECK(noted("w"));
    end();

    begin("a pipe that is reset is empty, lets all go on, and passes nothing until it is resumed");
    threads[0] = start(0, NORMALPRIO + 1, writes_into_the_pipe, "abcdef");
    chPipeReset(&conduit);
    CHECK(noted("n") && chPipeGetUsedCount(&conduit) == 0);
    chThdWait(threads[0]);
    CHECK(chPipeWriteTimeout(&conduit, bytes, 1, TIME_INFINITE) == 0);
    CHECK(chPipeReadTimeout(&conduit, bytes, 1, TIME_INFINITE) == 0);
    chPipeResume(&conduit);
    threads[0] = start(0, NORMALPRIO + 1, reads_from_the_pipe, NULL);
    chPipeReset(&conduit);
    CHECK(noted("n"));
    chThdWait(threads[0]);
    chPipeResume(&conduit);
    CHECK(chPipeWriteTimeout(&conduit, (const uint8_t *)"z", 1, TIME_IMMEDIATE) == 1);
    CHECK(chPipeReadTimeout(&conduit, bytes, 1, TIME_IMMEDIATE) == 1 && bytes[0] == 'z');
    end();
}

void queues(void)
{
    input();
    output();
    pipes();
    fifos();
}
