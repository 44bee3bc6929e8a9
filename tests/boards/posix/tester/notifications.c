/* Being told of messages. */

#include "check.h"
#include "informed.h"

#include <fcntl.h>
#include <unistd.h>

static const struct mq_attr small = {0, 3, 8, 0};

static void *receive(void *unused)
{
    char message[8];
    (void)unused;
    CHECK(mq_receive(queue, message, sizeof message, NULL) == 1);
    return NULL;
}

static void *receive_until(void *until)
{
    char message[8];
    return (void *)(intptr_t)(mq_timedreceive(queue, message, sizeof message, NULL, until) < 0 ? errno : 0);
}

static void drain(void)
{
    const struct timespec past = {0, 0};
    char message[8];
    while (mq_timedreceive(queue, message, sizeof message, NULL, &past) >= 0)
        ;
}

/* What is asked for by a descriptor before it was heard of what was told by it. */
static void asked_again(void)
{
    const struct sigaction action = {.sa_sigaction = inform, .sa_flags = SA_SIGINFO};
    struct sigevent first = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 1};
    struct sigevent second = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2, .sigev_value.sival_int = 2};
    siginfo_t info;
    sigset_t set;

    begin("mq_notify: asked for again, a signal that nobody has taken yet stays that of a message, with its value");
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0 && sigemptyset(&set) == 0);
    CHECK(sigaddset(&set, SIGUSR1) == 0 && sigaddset(&set, SIGUSR2) == 0 && sigaddset(&set, SIGRTMIN) == 0);
    CHECK(sigaddset(&set, SIGRTMIN + 1) == 0 && sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    for (int round = 0; round < 3; round++) {
        CHECK(mq_notify(queue, &first) == 0 && mq_send(queue, "1", 1, 0) == 0);
        drain();
        CHECK(mq_notify(queue, &second) == 0 && mq_send(queue, "1", 1, 0) == 0);
        drain();
        CHECK(mq_notify(queue, &second) == 0);
        CHECK(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_code == SI_MESGQ && info.si_value.sival_int == 1);
        CHECK(sigwaitinfo(&set, &info) == SIGUSR2 && info.si_code == SI_MESGQ && info.si_value.sival_int == 2);
        CHECK(mq_notify(queue, NULL) == 0);
    }
    end();

    begin("mq_notify: asked for again, a signal comes for which there is no room yet");
    first.sigev_signo = SIGRTMIN;
    for (int each = 0; each < 4; each++)
        CHECK(sigqueue(getpid(), SIGRTMIN + 1, first.sigev_value) == 0);
    CHECK(mq_notify(queue, &first) == 0 && mq_send(queue, "1", 1, 0) == 0);
    drain();
    CHECK(mq_notify(queue, &second) == 0 && mq_notify(queue, NULL) == 0);
    CHECK(sigwaitinfo(&set, &info) == SIGRTMIN + 1 && info.si_code == SI_QUEUE);
    CHECK(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_code == SI_MESGQ && info.si_value.sival_int == 1);
    for (int each = 1; each < 4; each++)
        CHECK(sigwaitinfo(&set, &info) == SIGRTMIN + 1 && info.si_code == SI_QUEUE);
    CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0 && signal(SIGUSR2, SIG_DFL) != SIG_ERR);
    end();
}

void notifications(void)
{
    struct sigaction action = {.sa_sigaction = inform, .sa_flags = SA_SIGINFO};
    struct sigevent none = {.sigev_notify = SIGEV_NONE}, wrong_way = {.sigev_notify = 99};
    struct sigevent signal_of = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 4711};
    struct sigevent call = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = note, .sigev_value.sival_int = 55};
    struct timespec until, now;
    pthread_t thread;
    mqd_t other;

    queue = mq_open("/told", O_CREAT | O_RDWR, 0600, &small);
    other = mq_open("/told", O_RDWR);
    CHECK(queue >= 0 && other >= 0 && sem_init(&called, 0, 0) == 0);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);

    begin("mq_notify [EBADF] [EINVAL] [EBUSY]: one at a time asks to be told, and may think better of it");
    CHECK(FAILS(mq_notify(99, &none), EBADF));
    CHECK(FAILS(mq_notify(queue, &wrong_way), EINVAL));
    CHECK(mq_notify(queue, NULL) == 0);
    CHECK(mq_notify(queue, &none) == 0);
    CHECK(FAILS(mq_notify(other, &signal_of), EBUSY));
    CHECK(mq_notify(queue, NULL) == 0 && mq_notify(other, &signal_of) == 0);
    CHECK(mq_notify(other, NULL) == 0);
    CHECK(mq_send(queue, "1", 1, 0) == 0 && handled == 0);
    drain();
    end();

    begin("mq_notify: SIGEV_NONE is over with the first message");
    CHECK(mq_notify(queue, &none) == 0 && mq_send(queue, "1", 1, 0) == 0);
    CHECK(mq_notify(queue, &signal_of) == 0 && mq_notify(queue, NULL) == 0);
    drain();
    end();

    begin("mq_notify: SIGEV_SIGNAL tells once of a message that finds the queue empty; the handler may take it");
    CHECK(mq_send(queue, "1", 1, 0) == 0 && mq_notify(queue, &signal_of) == 0);
    CHECK(mq_send(queue, "2", 1, 0) == 0 && handled == 0);
    drain();
    CHECK(mq_send(other, "3", 1, 0) == 0);
    CHECK(handled == 1 && received == 1);
    CHECK(information.si_code == SI_MESGQ && information.si_value.sival_int == 4711);
    CHECK(mq_send(queue, "4", 1, 0) == 0 && handled == 1);
    drain();
    end();

    begin("mq_notify: not of a message for which a thread waits");
    CHECK(mq_notify(queue, &signal_of) == 0);
    thread = start(MORE_URGENT, receive, NULL);
    CHECK(mq_send(queue, "1", 1, 0) == 0);
    finish(thread);
    CHECK(handled == 1);
    CHECK(mq_send(queue, "2", 1, 0) == 0 && handled == 2);
    end();

    begin("mq_notify: of a message behind one that a thread was promised, and has not taken yet");
    handled = received = 0;
    CHECK(mq_notify(queue, &signal_of) == 0);
    thread = start(LESS_URGENT, receive, NULL);
    CHECK(nanosleep(&(struct timespec){0, 1000000}, NULL) == 0);
    CHECK(mq_send(queue, "1", 1, 0) == 0 && handled == 0);
    CHECK(mq_send(queue, "2", 1, 0) == 0);
    /* Either thread handles the signal. */
    finish(thread);
    CHECK(handled == 1 && received == 1);
    end();

    begin("mq_notify: of a message for which a thread has waited in vain that has not gone on yet");
    handled = received = 0;
    CHECK(mq_notify(queue, &signal_of) == 0);
    thread = start(LESS_URGENT, receive_until, (void *)&until);
    until = in(CLOCK_REALTIME, 3);
    CHECK(nanosleep(&(struct timespec){0, 1000000}, NULL) == 0);
    do
        CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    while (now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec <= until.tv_nsec));
    CHECK(mq_send(queue, "1", 1, 0) == 0 && finish(thread) == (void *)ETIMEDOUT);
    CHECK(handled == 1 && received == 1);
    handled = 2;
    end();

    begin("mq_notify: SIGEV_THREAD calls a function in a thread");
    CHECK(mq_notify(queue, &call) == 0 && mq_send(queue, "1", 1, 0) == 0);
    CHECK(sem_wait(&called) == 0 && value_of_call == 55);
    drain();
    end();

    begin("mq_notify: SIGEV_THREAD calls a function that calls pthread_exit; no memory is lost with its thread");
    call.sigev_notify_function = note_and_leave;
    for (int round = 0; round < 200 && !wrong; round++) {
        CHECK(mq_notify(queue, &call) == 0 && mq_send(queue, "1", 1, 0) == 0 && sem_wait(&called) == 0);
        CHECK(nanosleep(&(struct timespec){0, 100000}, NULL) == 0);
        drain();
    }
    call.sigev_notify_function = note;
    end();

    begin("mq_notify, mq_close: who closes the descriptor is told no more, and others may be");
    CHECK(mq_notify(other, &call) == 0 && mq_close(other) == 0);
    CHECK(mq_notify(queue, &signal_of) == 0);
    CHECK(mq_send(queue, "1", 1, 0) == 0 && handled == 3);
    CHECK(sem_trywait(&called) == -1 && errno == EAGAIN);
    for (int round = 0; round < 20; round++)
        CHECK(mq_notify(queue, &call) == 0 && mq_notify(queue, NULL) == 0
              && nanosleep(&(struct timespec){0, 1000000}, NULL) == 0);
    end();

    asked_again();
    CHECK(mq_close(queue) == 0 && mq_unlink("/told") == 0);
}
