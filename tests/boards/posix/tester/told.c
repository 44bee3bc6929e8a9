/* Being told of messages at a queue that two processes have in a region. */

#include "check.h"

#include "informed.h"
#include "letters.h"

#include <fcntl.h>
#include <riposte.h>
#include <string.h>

/* All spare threads but that of the timers; and the highest priority that the manifest lets this process have. */
enum { SPARE = 3, LIMIT = 14 };

static struct sigevent none = {.sigev_notify = SIGEV_NONE};
static struct sigevent signal_of = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 4711};

static bool sends(void)
{
    return mq_send(queue, "y", 1, 0) == 0;
}

static void drain(void)
{
    const struct timespec past = {0, 0};
    char message[16];
    while (mq_timedreceive(queue, message, sizeof message, NULL, &past) >= 0)
        ;
}

/* How an order ended: 0, or why not. */
static unsigned ordered(enum order what)
{
    order(what);
    return common->done;
}

/* One that calls a function, in a thread of this priority. */
static struct sigevent call_at(pthread_attr_t *attr, int priority)
{
    const struct sched_param param = {priority};
    struct sigevent call = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = note, .sigev_value.sival_int = 55};
    CHECK(pthread_attr_init(attr) == 0 && pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED) == 0);
    CHECK(pthread_attr_setschedparam(attr, &param) == 0);
    call.sigev_notify_attributes = attr;
    return call;
}

static void asking(void)
{
    struct sigevent wrong_way = {.sigev_notify = 99};
    mqd_t other;

    begin("mq_notify [EBUSY] [EINVAL]: of a queue in a region one process is told, and only it may think better of it");
    CHECK(FAILS(mq_notify(queue, &wrong_way), EINVAL) && mq_notify(queue, NULL) == 0);
    CHECK(mq_notify(queue, &none) == 0 && FAILS(mq_notify(queue, &none), EBUSY));
    CHECK(ordered(ASK) == EBUSY && ordered(ASK_NO_MORE) == 0);
    CHECK(FAILS(mq_notify(queue, &none), EBUSY) && mq_notify(queue, NULL) == 0);
    CHECK(ordered(ASK) == 0 && FAILS(mq_notify(queue, &signal_of), EBUSY) && mq_notify(queue, NULL) == 0);
    CHECK(FAILS(mq_notify(queue, &none), EBUSY) && ordered(ASK) == EBUSY && ordered(ASK_NO_MORE) == 0);
    CHECK(mq_notify(queue, &none) == 0 && mq_notify(queue, NULL) == 0);
    end();

    begin("mq_notify: SIGEV_NONE, of a queue in a region, is over with the first message");
    CHECK(mq_notify(queue, &none) == 0 && sends() && ordered(ASK) == 0 && ordered(ASK_NO_MORE) == 0);
    drain();
    end();

    begin("mq_close: who was to be told by that descriptor of a queue in a region is not, and others may be");
    other = mq_open("/letters", O_RDWR);
    CHECK(other >= 0 && mq_notify(other, &signal_of) == 0 && ordered(ASK) == EBUSY);
    CHECK(mq_close(other) == 0 && ordered(ASK) == 0 && ordered(ASK_NO_MORE) == 0);
    CHECK(sends() && handled == 0);
    drain();
    end();

    begin("mq_notify [EAGAIN]: of a queue in a region it takes a spare thread, which is free again when nobody is to be told");
    for (int each = 0; each < 20; each++)
        CHECK(mq_notify(queue, &none) == 0 && mq_notify(queue, NULL) == 0);
    CHECK(ordered(ASK) == 0 && ordered(ASK_NO_MORE) == 0 && ordered(ASK) == 0 && ordered(ASK_NO_MORE) == 0);
    end();
}

static void by_signal(void)
{
    begin("mq_notify, pthread_create: of a process above its priority_limit, with ceilings linked, a thread inherits that");
    CHECK(ordered(ASK) == 0 && ordered(ASK_NO_MORE) == 0);
    end();

    begin("mq_notify: SIGEV_SIGNAL, of a message of another process that finds the queue empty, and once");
    CHECK(mq_notify(queue, &signal_of) == 0 && ordered(SEND) == 0 && handled == 1 && received == 1);
    CHECK(information.si_code == SI_MESGQ && information.si_value.sival_int == 4711);
    CHECK(ordered(SEND) == 0 && handled == 1);
    CHECK(mq_notify(queue, &signal_of) == 0 && ordered(SEND) == 0 && handled == 1);
    drain();
    CHECK(sends() && handled == 2 && received == 2);
    signal_of.sigev_signo = SIGRTMIN;
    CHECK(mq_notify(queue, &signal_of) == 0 && ordered(SEND) == 0 && handled == 3 && received == 3);
    CHECK(information.si_code == SI_MESGQ && information.si_value.sival_int == 4711);
    signal_of.sigev_signo = SIGUSR1;
    end();
}

/* As urgent as the thread that sends the signal, which does not come before it. */
static void *asks_again(void *unused)
{
    (void)unused;
    CHECK(sends() && mq_notify(queue, &signal_of) == 0);
    return NULL;
}

static void by_function(void)
{
    pthread_attr_t attr;
    struct sigevent call = call_at(&attr, LESS_URGENT);

    begin("mq_notify: SIGEV_THREAD, of a queue in a region; another one may be told before the function was called");
    CHECK(sem_init(&called, 0, 0) == 0 && mq_notify(queue, &call) == 0);
    CHECK(sends() && sem_trywait(&called) == -1 && ordered(ASK) == 0);
    CHECK(sem_wait(&called) == 0 && value_of_call == 55 && sem_trywait(&called) == -1);
    drain();
    common->told = 0;
    CHECK(sends() && ordered(ASK_NO_MORE) == 0 && common->told == 77);
    drain();
    end();

    begin("mq_notify: SIGEV_THREAD and SIGEV_SIGNAL, asked for again before the function was called and the signal sent");
    CHECK(mq_notify(queue, &call) == 0 && sends() && mq_notify(queue, &call) == 0);
    drain();
    CHECK(sends() && sem_wait(&called) == 0 && sem_wait(&called) == 0);
    drain();
    handled = received = 0;
    /* All threads are to have ended. */
    CHECK(nanosleep(&(struct timespec){0, 1000000}, NULL) == 0 && mq_notify(queue, &signal_of) == 0);
    finish(start(14, asks_again, NULL));
    CHECK(handled == 1 && received == 1 && information.si_code == SI_MESGQ && information.si_value.sival_int == 4711);
    CHECK(sends() && handled == 2 && received == 2);
    end();
    CHECK(pthread_attr_destroy(&attr) == 0);

    begin("mq_notify: SIGEV_THREAD, of a queue in a region, calls nothing if the process thinks better of it");
    call = call_at(&attr, MORE_URGENT);
    CHECK(mq_notify(queue, &call) == 0 && mq_notify(queue, NULL) == 0 && sem_trywait(&called) == -1);
    CHECK(sends() && sem_trywait(&called) == -1);
    drain();
    end();
    CHECK(pthread_attr_destroy(&attr) == 0 && sem_destroy(&called) == 0);
}

static void *waits(void *unused)
{
    sigset_t all;
    (void)unused;
    CHECK(sigfillset(&all) == 0 && pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    CHECK(sem_wait(&called) == 0);
    return NULL;
}

/* Where nobody comes before the caller, and one thread is spare. */
static void with_one_thread(void)
{
    struct sigevent other = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 4712};
    pthread_t threads[SPARE - 1];

    CHECK(sem_init(&called, 0, 0) == 0);
    CHECK(nanosleep(&(struct timespec){0, 1000000}, NULL) == 0);
    for (size_t each = 0; each < SPARE - 1; each++)
        threads[each] = start(MORE_URGENT, waits, NULL);
    CHECK(pthread_setschedprio(pthread_self(), LIMIT) == 0);

    begin("mq_notify: of a queue in a region, asked for again before the thread has seen that it was over");
    handled = received = 0;
    for (int round = 0; round < 3; round++)
        CHECK(mq_notify(queue, &signal_of) == 0 && mq_notify(queue, NULL) == 0 && mq_notify(queue, &none) == 0
              && mq_notify(queue, NULL) == 0);
    CHECK(mq_notify(queue, &signal_of) == 0 && handled == 0 && sends());
    CHECK(FAILS(nanosleep(&(struct timespec){0, 1000000}, NULL), EINTR) && handled == 1 && received == 1);
    end();

    begin("mq_notify: of a queue in a region, asked for again before the thread has told; each signal with its value");
    handled = received = 0;
    CHECK(mq_notify(queue, &signal_of) == 0 && sends() && handled == 0);
    CHECK(mq_notify(queue, &other) == 0 && handled == 1 && received == 1);
    CHECK(information.si_code == SI_MESGQ && information.si_value.sival_int == 4711);
    CHECK(sends() && handled == 1 && mq_notify(queue, &none) == 0 && handled == 2 && received == 2);
    CHECK(information.si_code == SI_MESGQ && information.si_value.sival_int == 4712);
    CHECK(mq_notify(queue, NULL) == 0);
    end();

    CHECK(pthread_setschedprio(pthread_self(), OWN_PRIORITY) == 0);
    for (size_t each = 0; each < SPARE - 1; each++)
        CHECK(sem_post(&called) == 0);
    for (size_t each = 0; each < SPARE - 1; each++)
        finish(threads[each]);
    CHECK(sem_destroy(&called) == 0);
}

static void precedence(void)
{
    begin("mq_notify: not of a message for which a thread of another process waits");
    handled = received = 0;
    CHECK(mq_notify(queue, &signal_of) == 0);
    order(RECEIVE);
    CHECK(nanosleep(&(struct timespec){0, 1000000}, NULL) == 0 && sends() && handled == 0);
    CHECK(sem_wait(&common->answer) == 0 && common->done == 0 && handled == 0);
    CHECK(sends() && handled == 1 && received == 1);
    end();

    begin("mq_notify: of a message behind one for which a thread of another process was woken, and which it has not taken yet");
    handled = received = 0;
    CHECK(mq_notify(queue, &none) == 0 && mq_notify(queue, NULL) == 0 && mq_notify(queue, &signal_of) == 0);
    order(RECEIVE);
    CHECK(nanosleep(&(struct timespec){0, 1000000}, NULL) == 0);
    CHECK(sends() && handled == 0 && sends() && handled == 1 && received == 1);
    CHECK(sem_wait(&common->answer) == 0 && common->done == 0);
    /* Who is back was woken for none of these. */
    CHECK(sends() && mq_notify(queue, &signal_of) == 0 && sends() && handled == 1 && mq_notify(queue, NULL) == 0);
    drain();
    end();
}

static void deaths(void)
{
    begin("mq_notify: of a queue in a region, whoever has ended is to be told no more");
    handled = received = 0;
    CHECK(ordered(ASK) == 0 && FAILS(mq_notify(queue, &none), EBUSY));
    order(DIE);
    order(COUNT);
    CHECK(mq_notify(queue, &signal_of) == 0 && ordered(SEND) == 0 && handled == 1 && received == 1);
    CHECK(ordered(ASK) == 0);
    order(DIE);
    order(COUNT);
    CHECK(sends() && mq_notify(queue, &signal_of) == 0 && mq_notify(queue, NULL) == 0);
    drain();
    end();
}

static void half_told(void)
{
    void *memory;

    begin("mq_notify: of a queue in a region, a thread that was woken and has died counts until the queue is empty");
    handled = received = 0;
    CHECK(riposte_region("letters", &memory, NULL, NULL) == RIPOSTE_OK);
    /* As it leaves the queue: it waits for a message, and was woken for one. */
    ((uint32_t *)memory)[3]++;
    ((uint32_t *)memory)[47]++;
    ((uint32_t *)memory)[49]++;
    CHECK(mq_notify(queue, &none) == 0 && sends() && mq_notify(queue, &signal_of) == 0 && sends() && handled == 0);
    drain();
    CHECK(sends() && handled == 1 && received == 1);
    end();

    begin("mq_notify: of a process that ends in the middle of telling, whoever asked hears when the queue is in order again");
    handled = received = 0;
    CHECK(riposte_region("letters", &memory, NULL, NULL) == RIPOSTE_OK && mq_notify(queue, &signal_of) == 0);
    /* As that process leaves it: nobody is told, and nobody was woken. */
    ((uint32_t *)memory)[2] = 0;
    order(DIE_IN_QUEUE);
    order(COUNT);
    CHECK(handled == 0);
    drain();
    CHECK(handled == 1 && received == 0 && mq_notify(queue, &none) == 0 && mq_notify(queue, NULL) == 0);
    end();
}

static void rubbish(void)
{
    pthread_t threads[SPARE];
    void *memory;
    uint32_t *words;

    begin("mq_notify [EBADMSG]: whatever another process leaves in the region, and no thread is lost");
    CHECK(riposte_region("letters", &memory, NULL, NULL) == RIPOSTE_OK && sem_init(&called, 0, 0) == 0);
    words = memory;
    for (uint32_t with = 0; with < 4; with++) {
        const uint32_t own = (uint32_t)pthread_self(), values[] = {0, UINT32_MAX, own, 0x12345};
        uint32_t kept[64];
        CHECK(mq_notify(queue, &none) == 0);
        memcpy(kept, words, sizeof kept);
        /* All but the lock, and what says that it is made. */
        for (size_t at = 2; at < 64; at++)
            words[at] = values[with];
        errno = 0;
        CHECK(mq_notify(queue, &none) == 0 || errno == EBUSY || errno == EBADMSG);
        CHECK(mq_notify(queue, NULL) == 0);
        /* Nobody is to be told. */
        memcpy(words + 3, kept + 3, sizeof kept - 12);
        words[2] = 0;
    }
    CHECK(nanosleep(&(struct timespec){0, 1000000}, NULL) == 0);
    for (size_t each = 0; each < SPARE; each++)
        threads[each] = start(MORE_URGENT, waits, NULL);
    for (size_t each = 0; each < SPARE; each++)
        CHECK(sem_post(&called) == 0);
    for (size_t each = 0; each < SPARE; each++)
        finish(threads[each]);
    CHECK(mq_notify(queue, &signal_of) == 0 && mq_notify(queue, NULL) == 0 && sem_destroy(&called) == 0);
    end();
}

void letters_told(mqd_t letters)
{
    const struct sigaction action = {.sa_sigaction = inform, .sa_flags = SA_SIGINFO | SA_RESTART};
    queue = letters;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGRTMIN, &action, NULL) == 0);
    asking();
    by_signal();
    by_function();
    with_one_thread();
    precedence();
    deaths();
    half_told();
    rubbish();
}
