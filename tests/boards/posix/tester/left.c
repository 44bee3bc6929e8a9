/* The queue in a region, when others that have it ended at it or keep it. */

#include "check.h"

#include "letters.h"

#include <fcntl.h>
#include <riposte.h>
#include <signal.h>
#include <string.h>

static mqd_t queue;
/* The queue: after the lock and what says that it is made, the words of those who are told, and who wait; from 42 on what is
 * waited for, first room: the wake-ups, who waits, since when, and who was woken. */
static uint32_t *words;
static const struct timespec past = {0, 1};

static void *send_one(void *unused)
{
    CHECK(mq_send(queue, "room", 4, 0) == 0);
    return unused;
}

/* Of a queue in which nothing is. */
static void deaths(void)
{
    struct mq_attr attr = {0, 0, 0, 0};
    struct timespec soon;
    char message[16];
    pthread_t waiters[2];
    const volatile uint32_t *const waiting = words + 3;

    begin("mq_send, mq_receive: a thread that ended while it waited at a queue in a region makes the next call alone longer");
    order(DIE_WAITING_TO_RECEIVE);
    order(COUNT);
    CHECK(*waiting == 1 && mq_send(queue, "again", 5, 0) == 0 && *waiting == 0);
    for (int each = 0; each < 3; each++)
        CHECK(mq_send(queue, "again", 5, 0) == 0);
    order(DIE_WAITING_TO_SEND);
    order(COUNT);
    CHECK(*waiting == 1 && mq_receive(queue, message, sizeof message, NULL) == 5 && *waiting == 0);
    /* Who waits next is counted, and no more afterwards. */
    CHECK(mq_send(queue, "again", 5, 0) == 0);
    CHECK(FAILS(mq_timedsend(queue, "x", 1, 0, &past), ETIMEDOUT) && *waiting == 0);
    end();

    begin("mq_send: who waits for room has some when a process has ended in the middle of a call and left the queue empty");
    for (int each = 0; each < 2; each++)
        waiters[each] = start(MORE_URGENT, send_one, NULL);
    CHECK(*waiting == 2);
    order(DIE_RECEIVING);
    order(COUNT);
    /* Whatever call puts the queue in order. */
    CHECK(mq_notify(queue, NULL) == 0);
    CHECK(*waiting == 0 && mq_getattr(queue, &attr) == 0 && attr.mq_curmsgs == 2);
    for (int each = 0; each < 2; each++) {
        soon = in(CLOCK_REALTIME, 1000);
        CHECK(mq_timedreceive(queue, message, sizeof message, NULL, &soon) == 4 && memcmp(message, "room", 4) == 0);
    }
    for (int each = 0; each < 2; each++)
        finish(waiters[each]);
    end();
}

/* A message, and whoever died amid a call that sends another one. */
static void leave_half_a_message(void)
{
    CHECK(mq_send(queue, "lost", 4, 0) == 0);
    order(DIE_IN_QUEUE);
    order(COUNT);
}

/* Of a queue in which nothing is. */
static void put_in_order(void)
{
    const struct sigevent nothing = {.sigev_notify = SIGEV_NONE};
    char message[16];

    begin("mq_open: of a queue that a process left in the middle of a call, whoever opens it finds it empty");
    leave_half_a_message();
    CHECK(mq_close(mq_open("/letters", O_RDWR)) == 0);
    CHECK(FAILS(mq_timedreceive(queue, message, sizeof message, NULL, &past), ETIMEDOUT));
    end();

    begin("mq_open [EEXIST]: of a queue that a process left in the middle of a call, which the next call puts in order");
    leave_half_a_message();
    CHECK(FAILS(mq_open("/letters", O_CREAT | O_EXCL | O_RDWR, 0600, NULL), EEXIST));
    CHECK(FAILS(mq_timedreceive(queue, message, sizeof message, NULL, &past), ETIMEDOUT));
    end();

    begin("mq_notify: of a queue in order again, who was woken for what is no longer there, or half counted, counts no more");
    CHECK(mq_send(queue, "lost", 4, 0) == 0);
    /* Somebody was woken, and somebody has counted who waits, and died before it said so. */
    words[49] = words[3] = 1;
    order(DIE_IN_QUEUE);
    order(COUNT);
    CHECK(mq_notify(queue, NULL) == 0 && words[3] == 0);
    CHECK(mq_send(queue, "x", 1, 0) == 0 && mq_notify(queue, &nothing) == 0);
    /* It does not find the queue empty. */
    CHECK(mq_send(queue, "y", 1, 0) == 0 && FAILS(mq_notify(queue, &nothing), EBUSY) && mq_notify(queue, NULL) == 0);
    CHECK(mq_receive(queue, message, sizeof message, NULL) == 1 && mq_receive(queue, message, sizeof message, NULL) == 1);
    end();
}

/* The other process gives back what it keeps. */
static void give_back(void)
{
    CHECK(sem_post(&common->request) == 0 && sem_wait(&common->answer) == 0);
}

/* Keeps nobody who waits for the other process, on the old code neither: after a while it is to give back. */
static void *give_back_late(void *is_over)
{
    const struct timespec late = in(CLOCK_REALTIME, 200);
    if (sem_timedwait(is_over, &late) == 0)
        return NULL;
    give_back();
    return is_over;
}

/* Another process has the lock and does not give it back. */
static void kept(void)
{
    const mqd_t other = mq_open("/letters", O_RDWR | O_NONBLOCK);
    const struct sigevent nothing = {.sigev_notify = SIGEV_NONE};
    struct timespec soon, now;
    sem_t is_over;
    pthread_t keeper;
    char message[16];

    begin("mq_timedsend, mq_timedreceive [ETIMEDOUT] [EAGAIN]: of a queue in a region that another process keeps");
    CHECK(other >= 0);
    order(KEEP_LETTERS);
    soon = in(CLOCK_REALTIME, 20);
    CHECK(FAILS(mq_timedreceive(queue, message, sizeof message, NULL, &soon), ETIMEDOUT));
    /* Not before its time. */
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    CHECK(now.tv_sec > soon.tv_sec || (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec));
    CHECK(FAILS(mq_timedsend(queue, "x", 1, 0, &soon), ETIMEDOUT));
    CHECK(FAILS(mq_receive(other, message, sizeof message, NULL), EAGAIN) && FAILS(mq_send(other, "x", 1, 0), EAGAIN));
    give_back();
    CHECK(mq_send(other, "x", 1, 0) == 0 && mq_receive(queue, message, sizeof message, NULL) == 1);
    end();

    begin("mq_timedreceive: a message that is there is received, whatever the time, if another process keeps the queue for a copy");
    order(SEND_AND_KEEP);
    /* It is less urgent, and goes on when the caller waits. */
    CHECK(sem_post(&common->request) == 0);
    CHECK(mq_timedreceive(queue, message, sizeof message, NULL, &past) == 1);
    CHECK(sem_wait(&common->answer) == 0);
    end();

    begin("mq_open, mq_notify [ETIMEDOUT] [EAGAIN]: of a queue in a region that another process keeps");
    CHECK(sem_init(&is_over, 0, 0) == 0);
    order(KEEP_LETTERS);
    keeper = start(MORE_URGENT, give_back_late, &is_over);
    CHECK(FAILS(mq_open("/letters", O_RDWR), ETIMEDOUT) && FAILS(mq_open("/letters", O_RDWR | O_NONBLOCK), EAGAIN));
    CHECK(FAILS(mq_notify(queue, &nothing), ETIMEDOUT) && FAILS(mq_notify(other, NULL), EAGAIN));
    CHECK(sem_post(&is_over) == 0 && finish(keeper) == NULL);
    give_back();
    CHECK(mq_notify(queue, &nothing) == 0 && mq_notify(queue, NULL) == 0 && mq_close(other) == 0);
    end();
}

static void *receive_soon(void *unused)
{
    const struct timespec soon = in(CLOCK_REALTIME, 20);
    char message[16];
    CHECK(FAILS(mq_timedreceive(queue, message, sizeof message, NULL, &soon), ETIMEDOUT));
    return unused;
}

static void *receive_one(void *unused)
{
    const struct timespec late = in(CLOCK_REALTIME, 1000);
    char message[16];
    CHECK(mq_timedreceive(queue, message, sizeof message, NULL, &late) == 1);
    return unused;
}

/* Two threads wait, both less urgent than the other process, which sends a message and then keeps the queue. */
static void handed_on(void)
{
    pthread_t first, second;
    struct timespec soon;
    char message[16];

    begin("mq_timedreceive [ETIMEDOUT]: who was woken for a message while another process keeps the queue leaves it to who waits on");
    first = start(7, receive_soon, NULL);
    second = start(6, receive_one, NULL);
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    CHECK(words[3] == 2);
    order(SEND_AND_KEEP);
    finish(first);
    CHECK(sem_post(&common->request) == 0 && sem_wait(&common->answer) == 0);
    finish(second);
    CHECK(mq_send(queue, "x", 1, 0) == 0 && mq_receive(queue, message, sizeof message, NULL) == 1 && words[3] == 0);
    end();

    begin("mq_timedreceive: a thread that waited is counted no more, after however many that were woken");
    words[46] = words[48] + INT32_MAX;
    second = start(MORE_URGENT, receive_one, NULL);
    CHECK(mq_send(queue, "x", 1, 0) == 0);
    finish(second);
    soon = in(CLOCK_REALTIME, 1);
    CHECK(FAILS(mq_timedreceive(queue, message, sizeof message, NULL, &soon), ETIMEDOUT) && words[3] == 0);
    end();
}

void letters_left(mqd_t letters)
{
    void *memory;
    queue = letters;
    CHECK(riposte_region("letters", &memory, NULL, NULL) == RIPOSTE_OK);
    words = memory;
    deaths();
    put_in_order();
    kept();
    handed_on();
}
