/* Timers, and the alarm. */

#include "check.h"

#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#define MILLISECOND 1000000L

static volatile sig_atomic_t handled;
static volatile siginfo_t information;
static volatile int overruns;
static timer_t timer;
static sem_t called, may_end;
static volatile int calls, value_of_call;

static void inform(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    information = *info;
    if (handled++ == 0)
        overruns = timer_getoverrun(timer);
}

static void act(int number)
{
    struct sigaction action = {.sa_sigaction = inform, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(number, &action, NULL) == 0);
    handled = 0;
}

static struct itimerspec time_of(long first, long again)
{
    return (struct itimerspec){{0, again}, {0, first}};
}

static long long nanoseconds(const struct timespec *time)
{
    return time->tv_sec * 1000000000LL + time->tv_nsec;
}

static long long left(timer_t it)
{
    struct itimerspec value;
    CHECK(timer_gettime(it, &value) == 0);
    return nanoseconds(&value.it_value);
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return nanoseconds(&time);
}

static void set(timer_t it, long first, long again)
{
    const struct itimerspec value = time_of(first, again);
    CHECK(timer_settime(it, 0, &value, NULL) == 0);
}

static void pass(long milliseconds)
{
    const struct timespec until = in(CLOCK_MONOTONIC, milliseconds);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

static struct sigevent by_signal(int number, int value)
{
    return (struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number, .sigev_value.sival_int = value};
}

static sigset_t block(int number)
{
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, number);
    CHECK(sigprocmask(SIG_BLOCK, &set, &before) == 0);
    return before;
}

static void unnotified(void)
{
    struct sigevent none = {.sigev_notify = SIGEV_NONE}, wrong_way = {.sigev_notify = 99}, wrong_number = by_signal(0, 0);
    struct sigevent no_function = {.sigev_notify = SIGEV_THREAD};
    struct itimerspec value, before;
    timer_t other;

    begin("timer_create [EINVAL]: no such clock, no such notification, no such signal");
    CHECK(FAILS(timer_create((clockid_t)99, &none, &timer), EINVAL));
    CHECK(FAILS(timer_create(CLOCK_MONOTONIC, &wrong_way, &timer), EINVAL));
    CHECK(FAILS(timer_create(CLOCK_MONOTONIC, &wrong_number, &timer), EINVAL));
    CHECK(FAILS(timer_create(CLOCK_MONOTONIC, &no_function, &timer), EINVAL));
    wrong_number.sigev_signo = SIGRTMAX + 1;
    CHECK(FAILS(timer_create(CLOCK_MONOTONIC, &wrong_number, &timer), EINVAL));
    end();

    begin("timer_gettime, timer_settime: SIGEV_NONE counts down, once or again and again, and says what it was set to");
    CHECK(timer_create(CLOCK_MONOTONIC, &none, &timer) == 0);
    CHECK(left(timer) == 0);
    set(timer, 500 * MILLISECOND, 0);
    CHECK(left(timer) > 0 && left(timer) <= 500 * MILLISECOND);
    value = time_of(MILLISECOND, 20 * MILLISECOND);
    CHECK(timer_settime(timer, 0, &value, &before) == 0);
    CHECK(nanoseconds(&before.it_value) > 0 && nanoseconds(&before.it_interval) == 0);
    pass(2);
    CHECK(timer_gettime(timer, &value) == 0);
    CHECK(nanoseconds(&value.it_interval) == 20 * MILLISECOND && nanoseconds(&value.it_value) > 0
          && nanoseconds(&value.it_value) <= 20 * MILLISECOND);
    set(timer, MILLISECOND, 0);
    pass(2);
    CHECK(left(timer) == 0);
    set(timer, 500 * MILLISECOND, 0);
    set(timer, 0, 0);
    CHECK(left(timer) == 0 && timer_getoverrun(timer) == 0);
    end();

    begin("timer_settime [EINVAL]: a time that is none, or a timer that is none, changes nothing");
    set(timer, 500 * MILLISECOND, 0);
    value = time_of(1000000000, 0);
    CHECK(FAILS(timer_settime(timer, 0, &value, NULL), EINVAL));
    value = time_of(-1, 0);
    CHECK(FAILS(timer_settime(timer, 0, &value, NULL), EINVAL));
    value = time_of(MILLISECOND, 1000000000);
    CHECK(FAILS(timer_settime(timer, 0, &value, NULL), EINVAL));
    CHECK(left(timer) > 0);
    /* What it is set to nothing with, nobody looks at. */
    value = time_of(0, 1000000000);
    CHECK(timer_settime(timer, 0, &value, NULL) == 0 && left(timer) == 0);
    value = time_of(MILLISECOND, 0);
    CHECK(FAILS(timer_settime((timer_t)0, 0, &value, NULL), EINVAL));
    end();

    begin("timer_delete [EINVAL]: its name is no other timer's afterwards");
    CHECK(timer_delete(timer) == 0);
    CHECK(FAILS(timer_delete(timer), EINVAL) && FAILS(timer_gettime(timer, &value), EINVAL));
    CHECK(FAILS(timer_getoverrun(timer), EINVAL));
    CHECK(timer_create(CLOCK_REALTIME, &none, &other) == 0 && other != timer);
    value = time_of(MILLISECOND, 0);
    CHECK(FAILS(timer_settime(timer, 0, &value, NULL), EINVAL));
    CHECK(timer_delete(other) == 0);
    end();
}

static void *ends_when_it_may(void *unused)
{
    while (sem_wait(&may_end) != 0)
        ;
    return unused;
}

static void signalled(void)
{
    struct sigevent how = by_signal(SIGRTMIN + 1, 0x12345678);
    struct itimerspec value;
    struct timespec day;
    siginfo_t info;
    sigset_t set_of_it, before;
    long long since;

    begin("timer_create: SIGEV_SIGNAL interrupts a thread that computes, with the value, and says that it is a timer");
    act(SIGRTMIN + 1);
    CHECK(timer_create(CLOCK_MONOTONIC, &how, &timer) == 0);
    since = now();
    set(timer, MILLISECOND, 0);
    while (!handled && now() - since < 1000 * MILLISECOND)
        ;
    CHECK(handled == 1 && now() - since >= MILLISECOND);
    CHECK(information.si_signo == SIGRTMIN + 1 && information.si_code == SI_TIMER);
    CHECK(information.si_value.sival_int == 0x12345678 && left(timer) == 0);
    pass(2);
    CHECK(handled == 1);
    end();

    begin("timer_settime: again and again, until it is set to nothing");
    set(timer, MILLISECOND, MILLISECOND);
    handled = 0;
    while (handled < 3)
        pass(1);
    set(timer, 0, 0);
    handled = 0;
    pass(3);
    CHECK(handled == 0);
    end();

    begin("timer_settime: TIMER_ABSTIME, whose moment may have passed, by both clocks");
    value = time_of(0, 0);
    value.it_value = in(CLOCK_MONOTONIC, 1);
    CHECK(timer_settime(timer, TIMER_ABSTIME, &value, NULL) == 0);
    pass(3);
    CHECK(handled == 1);
    value = time_of(1, 0);
    CHECK(timer_settime(timer, TIMER_ABSTIME, &value, NULL) == 0);
    CHECK(handled == 2);
    /* Before the clock began, once and again and again. */
    value = time_of(0, 0);
    value.it_value.tv_sec = -5000;
    CHECK(timer_settime(timer, TIMER_ABSTIME, &value, NULL) == 0);
    CHECK(handled == 3 && left(timer) == 0);
    CHECK(FAILS(timer_settime(timer, 0, &value, NULL), EINVAL));
    value.it_interval.tv_sec = 100;
    handled = 0;
    CHECK(timer_settime(timer, TIMER_ABSTIME, &value, NULL) == 0 && handled == 1 && overruns >= 50);
    CHECK(left(timer) > 0);
    set(timer, 0, 0);
    end();

    begin("timer_getoverrun: as many periods as passed until the signal was taken, which waits once");
    before = block(SIGRTMIN + 1);
    set(timer, MILLISECOND, MILLISECOND);
    pass(10);
    handled = 0;
    CHECK(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
    set(timer, 0, 0);
    CHECK(handled >= 1 && overruns >= 8);
    sigemptyset(&set_of_it);
    sigaddset(&set_of_it, SIGRTMIN + 1);
    before = block(SIGRTMIN + 1);
    since = now();
    set(timer, MILLISECOND, MILLISECOND);
    pass(10);
    CHECK(sigwaitinfo(&set_of_it, &info) == SIGRTMIN + 1 && info.si_code == SI_TIMER);
    CHECK(timer_getoverrun(timer) >= 8 && timer_getoverrun(timer) <= (now() - since) / MILLISECOND);
    set(timer, 0, 0);
    handled = 0;
    CHECK(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
    end();

    begin("timer_getoverrun: a period of a nanosecond has DELAYTIMER_MAX at most, and waits for whoever takes the signal");
    before = block(SIGRTMIN + 1);
    set(timer, 1, 1);
    pass(1);
    CHECK(sigwaitinfo(&set_of_it, &info) == SIGRTMIN + 1);
    CHECK(timer_getoverrun(timer) >= 900000);
    set(timer, 0, 0);
    end();

    begin("timer_settime: who is interrupted goes on, however short the period is, whose overruns are counted");
    {
        long long until;
        long counted = 0, rounds = 0;
        CHECK(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
        handled = 0;
        set(timer, 1, 2);
        until = now() + 5 * MILLISECOND;
        while (now() < until)
            rounds++;
        counted = handled;
        set(timer, 0, 0);
        CHECK(rounds > 5 && counted > 2 && counted <= 26);
        pass(1);
        /* The same where the signal is ignored. */
        signal(SIGRTMIN + 1, SIG_IGN);
        set(timer, 1, 2);
        pass(2);
        CHECK(timer_getoverrun(timer) > 1000);
        set(timer, 0, 0);
        act(SIGRTMIN + 1);
        before = block(SIGRTMIN + 1);
    }
    end();

    begin("timer_getoverrun: of a timer that is set anew while its signal waits, what is due since, and no other signal comes");
    set(timer, MILLISECOND, 0);
    pass(3);
    set(timer, MILLISECOND, 0);
    pass(3);
    CHECK(left(timer) == 0);
    CHECK(sigwaitinfo(&set_of_it, &info) == SIGRTMIN + 1 && timer_getoverrun(timer) == 1);
    pass(2);
    CHECK(FAILS(sigtimedwait(&set_of_it, NULL, &(struct timespec){0, 0}), EAGAIN));
    set(timer, MILLISECOND, 0);
    pass(3);
    since = now();
    set(timer, MILLISECOND, MILLISECOND);
    pass(5);
    CHECK(sigwaitinfo(&set_of_it, &info) == SIGRTMIN + 1);
    CHECK(timer_getoverrun(timer) >= 4 && timer_getoverrun(timer) <= (now() - since) / MILLISECOND);
    CHECK(sigwaitinfo(&set_of_it, &info) == SIGRTMIN + 1);
    set(timer, 0, 0);
    end();

    begin("timer_settime: a signal for which there was no room comes when there is");
    for (int each = 0; each < 5; each++) {
        const struct timespec none = {0, 0};
        while (sigtimedwait(&set_of_it, NULL, &none) > 0)
            ;
    }
    for (int each = 0; each < 4; each++)
        CHECK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){each}) == 0);
    CHECK(FAILS(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){4}), EAGAIN));
    set(timer, MILLISECOND, 0);
    pass(2);
    for (int each = 0; each < 4; each++)
        CHECK(sigwaitinfo(&set_of_it, &info) == SIGRTMIN + 1 && info.si_value.sival_int == each
              && info.si_code == SI_QUEUE);
    CHECK(sigwaitinfo(&set_of_it, &info) == SIGRTMIN + 1 && info.si_value.sival_int == 0x12345678
          && info.si_code == SI_TIMER);
    CHECK(timer_delete(timer) == 0);
    CHECK(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
    end();

    begin("timer_settime: a signal for which there was no room comes when a thread has ended for which others waited");
    CHECK(sem_init(&may_end, 0, 0) == 0 && timer_create(CLOCK_MONOTONIC, &how, &timer) == 0);
    before = block(SIGRTMIN + 1);
    block(SIGRTMIN);
    {
        const pthread_t full = start(LESS_URGENT, ends_when_it_may, NULL);
        const struct timespec second = {1, 0};
        for (int each = 0; each < 4; each++)
            CHECK(pthread_kill(full, SIGRTMIN) == 0);
        CHECK(pthread_kill(full, SIGRTMIN) == EAGAIN);
        set(timer, MILLISECOND, 0);
        pass(2);
        CHECK(sem_post(&may_end) == 0 && finish(full) == NULL);
        CHECK(sigtimedwait(&set_of_it, &info, &second) == SIGRTMIN + 1 && info.si_code == SI_TIMER);
    }
    CHECK(timer_delete(timer) == 0 && sem_destroy(&may_end) == 0);
    CHECK(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
    end();

    begin("timer_create: without a sigevent it is SIGALRM with the timer's name, by a time of day that is set meanwhile");
    act(SIGALRM);
    CHECK(timer_create(CLOCK_REALTIME, NULL, &timer) == 0);
    value = time_of(0, 0);
    value.it_value = in(CLOCK_REALTIME, 0);
    value.it_value.tv_sec += 1000;
    day = value.it_value;
    CHECK(timer_settime(timer, TIMER_ABSTIME, &value, NULL) == 0);
    pass(2);
    CHECK(handled == 0 && left(timer) > 900 * 1000000000LL);
    CHECK(clock_settime(CLOCK_REALTIME, &day) == 0);
    pass(2);
    CHECK(handled == 1 && information.si_value.sival_int == (int)timer && information.si_code == SI_TIMER);
    CHECK(timer_delete(timer) == 0);
    end();

    begin("timer_delete: one that runs is never due");
    CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0);
    set(timer, MILLISECOND, MILLISECOND);
    CHECK(timer_delete(timer) == 0);
    handled = 0;
    pass(3);
    CHECK(handled == 0);
    end();

    begin("alarm: SIGALRM once, and what was left of the one before");
    CHECK(alarm(100) == 0);
    CHECK(alarm(50) == 100);
    CHECK(alarm(0) == 50 && alarm(0) == 0);
#ifdef __arm__
    /* All of a second: too long for a core that is simulated and does not show that it sleeps. */
    since = now();
    CHECK(alarm(1) == 0);
    CHECK(pause() == -1 && errno == EINTR && handled == 1);
    CHECK(now() - since >= 1000 * MILLISECOND && alarm(0) == 0);
#endif
    end();
}

static void note(union sigval value)
{
    calls++;
    value_of_call = value.sival_int;
    sem_post(&called);
}

/* Ends its thread. */
static void note_and_leave(union sigval value)
{
    note(value);
    pthread_exit(NULL);
}

/* Ends it late. */
static void dawdle_and_leave(union sigval value)
{
    note(value);
    sem_wait(&may_end);
    pthread_exit(NULL);
}

/* Ends late. */
static void dawdle(union sigval value)
{
    calls++;
    value_of_call = value.sival_int;
    sem_post(&called);
    sem_wait(&may_end);
}

static void called_back(void)
{
    struct sigevent how = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = note, .sigev_value.sival_int = 77};
    timer_t many[16];
    int count = 0;

    begin("timer_create: SIGEV_THREAD calls a function in a thread, once or again and again");
    CHECK(sem_init(&called, 0, 0) == 0 && sem_init(&may_end, 0, 0) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &how, &timer) == 0);
    set(timer, MILLISECOND, 0);
    CHECK(sem_wait(&called) == 0 && calls == 1 && value_of_call == 77);
    set(timer, MILLISECOND, MILLISECOND);
    for (int each = 0; each < 3; each++)
        CHECK(sem_wait(&called) == 0);
    CHECK(timer_delete(timer) == 0);
    end();

    begin("timer_getoverrun, timer_delete: of a function that ends late, and while it runs");
    how.sigev_notify_function = dawdle;
    CHECK(sem_destroy(&called) == 0 && sem_init(&called, 0, 0) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &how, &timer) == 0);
    set(timer, MILLISECOND, MILLISECOND);
    CHECK(sem_wait(&called) == 0);
    pass(5);
    CHECK(sem_post(&may_end) == 0 && sem_wait(&called) == 0);
    CHECK(timer_getoverrun(timer) >= 3);
    calls = 0;
    CHECK(timer_delete(timer) == 0);
    CHECK(sem_post(&may_end) == 0);
    pass(3);
    CHECK(calls == 0);
    end();

    begin("timer_create, timer_delete: SIGEV_THREAD calls a function that calls pthread_exit; no memory is lost with its thread");
    CHECK(sem_destroy(&called) == 0 && sem_init(&called, 0, 0) == 0);
    for (int round = 0; round < 100 && !wrong; round++) {
        how.sigev_notify_function = round % 2 ? note_and_leave : dawdle_and_leave;
        CHECK(timer_create(CLOCK_MONOTONIC, &how, &timer) == 0);
        if (!wrong)
            set(timer, 1, 0);
        CHECK(!wrong && sem_wait(&called) == 0 && nanosleep(&(struct timespec){0, 100000}, NULL) == 0);
        CHECK(timer_delete(timer) == 0);
        if (round % 2 == 0)
            CHECK(sem_post(&may_end) == 0 && nanosleep(&(struct timespec){0, 100000}, NULL) == 0);
    }
    how.sigev_notify_function = dawdle;
    end();

    begin("timer_create [EAGAIN]: no thread is spare; those of deleted timers are");
    while (count < 16 && timer_create(CLOCK_MONOTONIC, &how, &many[count]) == 0)
        count++;
    CHECK(count > 0 && count < 16 && errno == EAGAIN);
    for (int round = 0; round < 20; round++) {
        CHECK(timer_delete(many[0]) == 0);
        pass(1);
        CHECK(timer_create(CLOCK_MONOTONIC, &how, &many[0]) == 0);
    }
    while (count > 0)
        CHECK(timer_delete(many[--count]) == 0);
    pass(1);
    end();
}

void timers(void)
{
    unnotified();
    called_back();
    signalled();
}
