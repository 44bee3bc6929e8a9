/* Signals. */

#include "check.h"

#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <riposte.h>

#define SIGNAL(number) (UINT64_C(1) << (number))

static volatile sig_atomic_t handled, last, depth, deepest;
static volatile siginfo_t information;
static volatile sigset_t during;
static pthread_t volatile who;
static sem_t never;

static void count(int number)
{
    sigset_t now;
    handled++;
    last = number;
    who = pthread_self();
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    during = now;
}

static volatile sigset_t masked_before;

static void inform(int number, siginfo_t *info, void *context)
{
    const ucontext_t *const interrupted = context;
    handled++;
    last = number;
    information = *info;
    masked_before = interrupted->uc_sigmask;
    CHECK(!interrupted->uc_link && interrupted->uc_mcontext.__frame);
}

/* Sends itself once more before it ends. */
static void nest(int number)
{
    handled++;
    if (++depth > deepest)
        deepest = depth;
    if (handled == 1)
        CHECK(raise(number) == 0);
    depth--;
}

static jmp_buf back;

/* Is never over. */
static void leave(int number)
{
    count(number);
    longjmp(back, 1);
}

static sigjmp_buf back_as_before;

static void leave_as_before(int number)
{
    count(number);
    siglongjmp(back_as_before, 2);
}

#ifndef __arm__
/* The first time with a signal that waits for that. */
static void leave_with_more(int number)
{
    handled++;
    if (handled == 1)
        raise(number);
    siglongjmp(back_as_before, 2);
}
#endif

static void act(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    CHECK(sigaction(number, &action, NULL) == 0);
    handled = last = depth = deepest = 0;
}

static sigset_t set_of(int one, int other)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, one);
    if (other)
        sigaddset(&set, other);
    return set;
}

static void sets(void)
{
    sigset_t set;
    begin("sigemptyset, sigfillset, sigaddset, sigdelset, sigismember: sets of signals");
    CHECK(sigemptyset(&set) == 0 && sigismember(&set, SIGUSR1) == 0);
    CHECK(sigaddset(&set, SIGRTMAX) == 0 && sigismember(&set, SIGRTMAX) == 1 && sigismember(&set, SIGRTMAX - 32) == 0);
    CHECK(sigdelset(&set, SIGRTMAX) == 0 && sigismember(&set, SIGRTMAX) == 0);
    CHECK(sigfillset(&set) == 0);
    for (int number = 1; number <= SIGRTMAX; number++)
        CHECK(sigismember(&set, number) == 1);
    errno = 0;
    CHECK(sigaddset(&set, 0) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(sigdelset(&set, SIGRTMAX + 1) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(sigismember(&set, -1) == -1 && errno == EINVAL);
    end();
}

static void actions(void)
{
    struct sigaction action = {.sa_handler = count}, before;

    begin("sigaction: a handler is called with its signal, which is masked meanwhile");
    act(SIGUSR1, count, 0);
    CHECK(raise(SIGUSR1) == 0 && handled == 1 && last == SIGUSR1);
    CHECK(during == SIGNAL(SIGUSR1));
    sigaddset(&action.sa_mask, SIGUSR2);
    CHECK(sigaction(SIGUSR1, &action, &before) == 0 && before.sa_handler == count && !before.sa_mask);
    CHECK(raise(SIGUSR1) == 0 && during == (SIGNAL(SIGUSR1) | SIGNAL(SIGUSR2)));
    CHECK(sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler == count);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &before.sa_mask) == 0 && !before.sa_mask);
    act(SIGUSR1, nest, 0);
    CHECK(raise(SIGUSR1) == 0 && handled == 2 && deepest == 1);
    end();

    begin("sigaction, signal [EINVAL]: no such signal, or one that nobody handles");
    errno = 0;
    CHECK(sigaction(0, NULL, &before) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(sigaction(SIGRTMAX + 1, NULL, &before) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(sigaction(SIGKILL, &action, NULL) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(sigaction(SIGSTOP, &action, NULL) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(signal(SIGKILL, count) == SIG_ERR && errno == EINVAL);
    CHECK(sigaction(SIGKILL, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
    end();

    begin("sigaction: SA_NODEFER lets a handler interrupt itself");
    act(SIGUSR1, nest, SA_NODEFER);
    CHECK(raise(SIGUSR1) == 0 && handled == 2 && deepest == 2);
    end();

    begin("sigaction: a handler that leaves by longjmp leaves what is masked in it, until pthread_sigmask; the next signal is handled");
    act(SIGUSR1, leave, 0);
    for (volatile int times = 1; times <= 3; times++) {
        const sigset_t usual = 0;
        sigset_t now = 0;
        if (!setjmp(back)) {
            raise(SIGUSR1);
            CHECK(!"it has left");
        }
        CHECK(handled == times && pthread_sigmask(SIG_SETMASK, &usual, &now) == 0 && now == SIGNAL(SIGUSR1));
    }
    act(SIGUSR1, count, 0);
    CHECK(raise(SIGUSR1) == 0 && handled == 1);
    end();

    begin("sigsetjmp, siglongjmp: a handler that leaves finds masked what was, if it was to be kept, and what waited for that comes");
    act(SIGUSR1, leave_as_before, 0);
    for (volatile int times = 1; times <= 3; times++) {
        const sigset_t others = set_of(SIGUSR2, SIGRTMAX);
        sigset_t now = 0;
        int told;
        CHECK(pthread_sigmask(SIG_SETMASK, &others, NULL) == 0);
        told = sigsetjmp(back_as_before, 1);
        if (!told) {
            raise(SIGUSR1);
            CHECK(!"it has left");
        }
        CHECK(told == 2 && handled == times && pthread_sigmask(SIG_SETMASK, &(sigset_t){0}, &now) == 0 && now == others);
    }
    for (volatile int saves = 0; saves < 2; saves++) {
        const sigset_t other = set_of(SIGUSR2, 0);
        sigset_t now = 0;
        int told;
        act(SIGUSR2, count, 0);
        told = sigsetjmp(back_as_before, saves);
        if (!told) {
            CHECK(pthread_sigmask(SIG_BLOCK, &other, NULL) == 0 && raise(SIGUSR2) == 0 && handled == 0);
            siglongjmp(back_as_before, 0);
        }
        CHECK(told == 1 && handled == saves && pthread_sigmask(SIG_UNBLOCK, &other, &now) == 0);
        CHECK(now == (saves ? 0 : other) && handled == 1);
    }
    act(SIGUSR2, SIG_DFL, 0);
    end();

    begin("sigaction: SA_RESETHAND handles one signal");
    act(SIGCHLD, count, SA_RESETHAND);
    CHECK(raise(SIGCHLD) == 0 && raise(SIGCHLD) == 0 && handled == 1);
    CHECK(sigaction(SIGCHLD, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
    end();

    begin("sigaction: SA_SIGINFO tells the value and how the signal came");
    action = (struct sigaction){.sa_sigaction = inform, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGRTMIN, &action, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = -7}) == 0);
    CHECK(information.si_signo == SIGRTMIN && information.si_code == SI_QUEUE && information.si_value.sival_int == -7);
    CHECK(kill(getpid(), SIGUSR1) == 0 && information.si_signo == SIGUSR1 && information.si_code == SI_USER);
    end();

    begin("sigaction: SA_SIGINFO tells in a ucontext_t what was masked before");
    {
        const sigset_t others = set_of(SIGUSR2, SIGRTMAX);
        CHECK(sigprocmask(SIG_SETMASK, &others, NULL) == 0 && raise(SIGUSR1) == 0 && masked_before == others);
        CHECK(sigprocmask(SIG_UNBLOCK, &others, NULL) == 0 && raise(SIGUSR1) == 0 && masked_before == 0);
    }
    end();

    begin("signal: sets a handler, and tells the one before; SIG_IGN forgets");
    CHECK(signal(SIGUSR1, count) != SIG_ERR && signal(SIGUSR1, SIG_IGN) == count);
    handled = 0;
    CHECK(raise(SIGUSR1) == 0 && handled == 0);
    CHECK(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
    end();

    begin("raise: a signal whose default is to be ignored ends nobody");
    CHECK(raise(SIGCHLD) == 0 && raise(SIGURG) == 0 && raise(SIGCONT) == 0 && raise(0) == 0);
    errno = 0;
    CHECK(raise(SIGRTMAX + 1) == -1 && errno == EINVAL);
    end();
}

static void masks(void)
{
    sigset_t set = set_of(SIGUSR1, SIGRTMIN), before, pending;
    int number = 0;

    act(SIGUSR1, count, 0);
    act(SIGRTMIN, count, 0);
    begin("sigprocmask, pthread_sigmask, sigpending: what is masked waits");
    CHECK(sigprocmask(SIG_BLOCK, &set, &before) == 0 && !before);
    CHECK(kill(getpid(), SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0);
    CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1}) == 0);
    CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 2}) == 0 && handled == 0);
    CHECK(sigpending(&pending) == 0 && pending == set);
    set = set_of(SIGUSR1, 0);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, &before) == 0 && handled == 1 && sigismember(&before, SIGUSR1));
    sigemptyset(&set);
    CHECK(sigprocmask(SIG_SETMASK, &set, NULL) == 0 && handled == 3 && last == SIGRTMIN);
    CHECK(sigpending(&pending) == 0 && !pending);
    sigfillset(&set);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && sigprocmask(SIG_BLOCK, NULL, &before) == 0);
    CHECK(!sigismember(&before, SIGKILL) && !sigismember(&before, SIGSTOP) && sigismember(&before, SIGTERM));
    CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
    errno = 0;
    CHECK(sigprocmask(9, &set, NULL) == -1 && errno == EINVAL);
    CHECK(pthread_sigmask(9, &set, NULL) == EINVAL && sigprocmask(9, NULL, &before) == 0);
    end();

    begin("sigaction, signal: what is ignored from now on does not wait any more");
    sigfillset(&set);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    act(SIGCHLD, count, 0);
    CHECK(kill(getpid(), SIGUSR1) == 0 && raise(SIGUSR1) == 0 && raise(SIGCHLD) == 0);
    CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1}) == 0);
    CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 2}) == 0);
    CHECK(signal(SIGUSR1, SIG_IGN) == count);
    CHECK(sigpending(&pending) == 0 && pending == set_of(SIGRTMIN, SIGCHLD));
    CHECK(signal(SIGCHLD, SIG_DFL) == count && signal(SIGRTMIN, SIG_IGN) == count);
    CHECK(sigpending(&pending) == 0 && !pending);
    act(SIGCHLD, count, 0);
    act(SIGUSR1, count, 0);
    act(SIGRTMIN, count, 0);
    CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0 && handled == 0);
    act(SIGCHLD, SIG_DFL, 0);
    end();

    begin("sigqueue [EAGAIN]: as many wait as may");
    set = set_of(SIGRTMIN, 0);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    for (int n = 0; n < 4; n++)
        CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = n}) == 0);
    errno = 0;
    CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 4}) == -1 && errno == EAGAIN);
    end();

    begin("sigwait, sigwaitinfo, sigtimedwait: take signals in their order, without a handler");
    {
        const struct timespec none = {0, 0}, soon = {0, 2000000}, no_time = {0, 1000000000};
        const sigset_t others = set_of(SIGTERM, SIGUSR2);
        siginfo_t info;
        handled = 0;
        CHECK(sigwait(&set, &number) == 0 && number == SIGRTMIN);
        CHECK(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_value.sival_int == 1 && info.si_code == SI_QUEUE);
        CHECK(sigtimedwait(&set, &info, &none) == SIGRTMIN && info.si_value.sival_int == 2);
        CHECK(sigtimedwait(&set, NULL, NULL) == SIGRTMIN && handled == 0);
        errno = 0;
        CHECK(sigtimedwait(&set, &info, &none) == -1 && errno == EAGAIN);
        errno = 0;
        CHECK(sigtimedwait(&others, &info, &soon) == -1 && errno == EAGAIN);
        errno = 0;
        CHECK(sigtimedwait(&others, &info, &no_time) == -1 && errno == EINVAL);
        /* Only who would wait looks at the time. */
        CHECK(raise(SIGRTMIN) == 0 && sigtimedwait(&set, &info, &no_time) == SIGRTMIN);
        CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
    }
    end();

    begin("kill, sigqueue [EINVAL, ESRCH, EPERM]: no such signal, no such process, or one that may not be signalled");
    errno = 0;
    CHECK(kill(getpid(), SIGRTMAX + 1) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(sigqueue(getpid(), -1, (union sigval){.sival_int = 0}) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(kill(30000, SIGTERM) == -1 && errno == ESRCH);
    errno = 0;
    CHECK(kill(-1, SIGTERM) == -1 && errno == EPERM);
    CHECK(kill(getpid(), 0) == 0 && kill(0, SIGUSR1) == 0 && last == SIGUSR1);
    end();
}

static void *pauses_for_one(void *argument)
{
    sigset_t now;
    CHECK(sighold(SIGUSR1) == 0 && sighold(SIGUSR2) == 0);
    /* It has come already. */
    CHECK(raise(SIGUSR1) == 0 && handled == 0);
    CHECK(FAILS(sigpause(SIGUSR1), EINTR) && handled == 1 && last == SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && now == (SIGNAL(SIGUSR1) | SIGNAL(SIGUSR2)));
    return argument;
}

/* One of several that wait for the same signals without a handler. */
static volatile int taken[3];

static void *takes_one_signal(void *argument)
{
    const sigset_t set = set_of(SIGUSR1, SIGUSR2);
    int number;
    CHECK(sigwait(&set, &number) == 0);
    taken[(uintptr_t)argument] = number;
    return NULL;
}

static void each_alone(void)
{
    sigset_t now;
    act(SIGUSR1, count, 0);
    act(SIGUSR2, count, 0);

    begin("sighold, sigrelse [EINVAL]: mask one signal, and let it come");
    CHECK(sighold(SIGUSR1) == 0 && raise(SIGUSR1) == 0 && handled == 0);
    CHECK(sigpending(&now) == 0 && now == SIGNAL(SIGUSR1));
    CHECK(sigrelse(SIGUSR1) == 0 && handled == 1);
    CHECK(FAILS(sighold(0), EINVAL) && FAILS(sigrelse(SIGRTMAX + 1), EINVAL));
    end();

    begin("sigignore [EINVAL]: a signal is ignored, also the one that waits");
    CHECK(sighold(SIGUSR1) == 0 && raise(SIGUSR1) == 0 && sigignore(SIGUSR1) == 0);
    CHECK(sigpending(&now) == 0 && !now && sigrelse(SIGUSR1) == 0 && raise(SIGUSR1) == 0 && handled == 1);
    CHECK(FAILS(sigignore(SIGKILL), EINVAL));
    end();

    begin("sigpause [EINTR, EINVAL]: waits with all masked as it is but one signal");
    act(SIGUSR1, count, 0);
    finish(start(MORE_URGENT, pauses_for_one, NULL));
    CHECK(FAILS(sigpause(-1), EINVAL));
    end();

    begin("sigset [EINVAL]: SIG_HOLD masks, and an action lets it come; tells which it was");
    CHECK(sigset(SIGUSR1, SIG_HOLD) == count && sigset(SIGUSR1, SIG_HOLD) == SIG_HOLD);
    handled = 0;
    CHECK(raise(SIGUSR1) == 0 && handled == 0);
    CHECK(sigset(SIGUSR1, count) == SIG_HOLD && handled == 1);
    CHECK(sigset(SIGUSR1, SIG_IGN) == count && raise(SIGUSR1) == 0 && handled == 1);
    CHECK(sigset(SIGUSR1, SIG_DFL) == SIG_IGN);
    errno = 0;
    CHECK(sigset(SIGKILL, SIG_HOLD) == SIG_ERR && errno == EINVAL);
    errno = 0;
    CHECK(sigset(SIGSTOP, count) == SIG_ERR && errno == EINVAL);
    errno = 0;
    CHECK(sigset(SIGRTMAX + 1, count) == SIG_ERR && errno == EINVAL);
    end();

    begin("siginterrupt [EINVAL]: whether calls begin anew behind the handler");
    {
        struct sigaction is;
        act(SIGUSR1, count, SA_NODEFER);
        CHECK(siginterrupt(SIGUSR1, 0) == 0 && sigaction(SIGUSR1, NULL, &is) == 0);
        CHECK(is.sa_flags == (SA_RESTART | SA_NODEFER) && is.sa_handler == count);
        CHECK(siginterrupt(SIGUSR1, 1) == 0 && sigaction(SIGUSR1, NULL, &is) == 0 && is.sa_flags == SA_NODEFER);
        CHECK(FAILS(siginterrupt(0, 1), EINVAL));
    }
    end();

    begin("sigwait: of several threads that wait one takes a signal of the process");
    {
        const sigset_t set = set_of(SIGUSR1, SIGUSR2);
        pthread_t threads[3];
        int all = 0;
        CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
        for (uintptr_t n = 0; n < 3; n++) {
            taken[n] = 0;
            threads[n] = start(MORE_URGENT, takes_one_signal, (void *)n);
        }
        for (int n = 0; n < 3; n++) {
            CHECK(kill(getpid(), n == 1 ? SIGUSR2 : SIGUSR1) == 0);
            all = !!taken[0] + !!taken[1] + !!taken[2];
            CHECK(all == n + 1);
        }
        for (int n = 0; n < 3; n++)
            finish(threads[n]);
        CHECK(taken[0] + taken[1] + taken[2] == 2 * SIGUSR1 + SIGUSR2 && handled == 0);
        CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
    }
    end();
}

/* The handler of a program that ends abnormally, and does not let it. */
static void leaves(int number)
{
    last = number;
    pthread_exit((void *)"left");
}

static void *aborts(void *argument)
{
    (void)argument;
    CHECK(sighold(SIGABRT) == 0);
    abort();
}

static void aborted(void)
{
    struct sigaction is;
    begin("abort: the handler of SIGABRT is called, whatever is masked, and need not return");
    act(SIGABRT, leaves, 0);
    CHECK(!strcmp(finish(start(MORE_URGENT, aborts, NULL)), "left") && last == SIGABRT);
    CHECK(sigaction(SIGABRT, NULL, &is) == 0 && is.sa_handler == SIG_DFL);
    end();
}

/* What another thread does until a signal comes, and what that returns. */
static mqd_t queue;
static volatile int error_seen;

static void *takes(void *argument)
{
    (void)argument;
    error_seen = 0;
    error_seen = sem_wait(&never) ? errno : 0;
    return NULL;
}

static void *takes_until(void *argument)
{
    const struct timespec until = in(CLOCK_REALTIME, 10000);
    (void)argument;
    error_seen = 0;
    error_seen = sem_timedwait(&never, &until) ? errno : 0;
    return NULL;
}

static void *sleeps(void *argument)
{
    const struct timespec time = {10, 0};
    struct timespec left = {0};
    (void)argument;
    error_seen = 0;
    error_seen = nanosleep(&time, &left) ? errno : 0;
    CHECK(left.tv_sec == 9 && left.tv_nsec > 0);
    return NULL;
}

/* What is left is told in whole seconds, the last one of which has begun. */
static void *sleeps_seconds(void *argument)
{
    (void)argument;
    error_seen = 0;
    CHECK(sleep(10) == 10);
    error_seen = EINTR;
    return NULL;
}

static void *receives(void *argument)
{
    char message[8];
    (void)argument;
    error_seen = 0;
    error_seen = mq_receive(queue, message, sizeof message, NULL) < 0 ? errno : 0;
    return NULL;
}

static void *waits_for_a_signal(void *argument)
{
    const sigset_t set = set_of(SIGUSR2, 0);
    siginfo_t info;
    (void)argument;
    error_seen = 0;
    error_seen = sigwaitinfo(&set, &info) < 0 ? errno : info.si_signo;
    return NULL;
}

static void *pauses(void *argument)
{
    (void)argument;
    error_seen = 0;
    error_seen = pause() ? errno : 0;
    return NULL;
}

static void *(*const bodies[])(void *) = {takes, takes_until, sleeps, receives, waits_for_a_signal, pauses, sleeps_seconds};

/* Seconds of more than 292 years. */
#define AGES 10000000000LL

static struct timespec left_of_ages;

static void *sleeps_for_ages(void *unused)
{
    const struct timespec ages = {AGES, 0};
    (void)unused;
    error_seen = 0;
    error_seen = nanosleep(&ages, &left_of_ages) == -1 ? errno : -1;
    return NULL;
}

static void interrupted(void)
{
    const struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
    pthread_t thread;

    CHECK(sem_init(&never, 0, 0) == 0);
    queue = mq_open("/signals", O_RDWR | O_CREAT, 0600, &attributes);
    CHECK(queue != (mqd_t)-1);
    begin("pthread_kill: interrupts sem_wait, sem_timedwait, nanosleep, mq_receive, sigwaitinfo, pause and sleep [EINTR]");
    act(SIGUSR1, count, 0);
    for (size_t n = 0; n < sizeof bodies / sizeof bodies[0]; n++) {
        handled = 0;
        thread = start(MORE_URGENT, bodies[n], NULL);
        CHECK(error_seen == 0);
        CHECK(pthread_kill(thread, SIGUSR1) == 0 && handled == 1 && who == thread);
        finish(thread);
        CHECK(error_seen == EINTR);
        CHECK(pthread_kill(thread, SIGUSR1) == ESRCH && pthread_kill(thread, 0) == ESRCH);
    }
    CHECK(pthread_kill(pthread_self(), 0) == 0 && pthread_kill(pthread_self(), -1) == EINVAL);
    end();

    begin("nanosleep [EINTR]: tells what is left, also of more time than the kernel counts");
    act(SIGUSR1, count, 0);
    thread = start(MORE_URGENT, sleeps_for_ages, NULL);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && handled == 1);
    finish(thread);
    CHECK(error_seen == EINTR && left_of_ages.tv_sec == AGES - 1 && left_of_ages.tv_nsec > 0 && left_of_ages.tv_nsec < 1000000000);
    end();

    begin("sigaction: what is ignored interrupts nothing");
    act(SIGUSR1, SIG_IGN, 0);
    act(SIGUSR2, count, 0);
    for (size_t n = 0; n < sizeof bodies / sizeof bodies[0]; n++) {
        thread = start(MORE_URGENT, bodies[n], NULL);
        CHECK(pthread_kill(thread, SIGUSR1) == 0 && error_seen == 0);
        CHECK(pthread_kill(thread, SIGUSR2) == 0);
        finish(thread);
        CHECK(error_seen == (bodies[n] == waits_for_a_signal ? SIGUSR2 : EINTR));
    }
    end();

    begin("sigaction: SA_RESTART begins sem_wait, sem_timedwait and mq_receive anew");
    act(SIGUSR1, count, SA_RESTART);
    act(SIGUSR2, count, 0);
    for (size_t n = 0; n < 4; n++) {
        if (bodies[n] == sleeps)
            continue;
        handled = 0;
        thread = start(MORE_URGENT, bodies[n], NULL);
        CHECK(pthread_kill(thread, SIGUSR1) == 0 && pthread_kill(thread, SIGUSR1) == 0);
        CHECK(handled == 2 && error_seen == 0);
        if (bodies[n] == receives)
            CHECK(mq_send(queue, "", 1, 0) == 0);
        else
            CHECK(sem_post(&never) == 0);
        finish(thread);
        CHECK(error_seen == 0);
        thread = start(MORE_URGENT, bodies[n], NULL);
        CHECK(pthread_kill(thread, SIGUSR1) == 0 && error_seen == 0);
        CHECK(pthread_kill(thread, SIGUSR2) == 0);
        finish(thread);
        CHECK(error_seen == EINTR);
    }
    CHECK(mq_close(queue) == 0 && mq_unlink("/signals") == 0);
    end();
}

static void *takes_twice(void *argument)
{
    error_seen = 0;
    CHECK(sem_wait(&never) == 0);
    return takes(argument);
}

static void raises_ignored(int number)
{
    (void)number;
    CHECK(raise(SIGURG) == 0);
}

/* Before the thread runs that waited: its wait has ended, and the signals are there. */
static void behind_a_wait(void)
{
    struct sigaction alone = {.sa_handler = count};
    pthread_t thread;
    begin("sigaction: what was handled behind a wait that has ended interrupts no later one");
    act(SIGUSR1, count, 0);
    thread = start(LESS_URGENT, takes_twice, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 1000000}, NULL);
    CHECK(sem_post(&never) == 0 && pthread_kill(thread, SIGUSR1) == 0);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 1000000}, NULL);
    CHECK(handled == 1 && pthread_kill(thread, SIGURG) == 0);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 1000000}, NULL);
    CHECK(sem_post(&never) == 0 && finish(thread) == NULL && error_seen == 0);
    if (error_seen)
        sem_trywait(&never);
    end();

    begin("sigaction: of several signals that end a wait each one counts, whatever the last one's handler has interrupted it");
    sigaddset(&alone.sa_mask, SIGUSR2);
    act(SIGUSR2, raises_ignored, SA_RESTART);
    CHECK(sigaction(SIGUSR1, &alone, NULL) == 0);
    thread = start(LESS_URGENT, takes, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 1000000}, NULL);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && pthread_kill(thread, SIGUSR2) == 0);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 1000000}, NULL);
    CHECK(error_seen == EINTR && handled == 1);
    if (error_seen != EINTR)
        sem_post(&never);
    finish(thread);
    end();
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static volatile int returned;

static void *locks_mutex(void *argument)
{
    (void)argument;
    returned = pthread_mutex_lock(&mutex);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    return NULL;
}

static void *reads(void *argument)
{
    (void)argument;
    returned = pthread_rwlock_rdlock(&lock);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    return NULL;
}

static void *writes(void *argument)
{
    const struct timespec until = in(CLOCK_REALTIME, 10000);
    (void)argument;
    returned = pthread_rwlock_timedwrlock(&lock, &until);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
    return NULL;
}

static void *meets(void *argument)
{
    (void)argument;
    returned = pthread_barrier_wait(&barrier);
    return NULL;
}

static void *joins(void *argument)
{
    returned = pthread_join(*(pthread_t *)argument, NULL);
    return NULL;
}

static void uninterrupted(void)
{
    static void *(*const waits[])(void *) = {locks_mutex, reads, writes, meets};
    pthread_t thread, other;

    begin("sigaction: pthread_mutex_lock, pthread_rwlock_rdlock, pthread_rwlock_timedwrlock, pthread_barrier_wait and "
          "pthread_join go on behind a handler");
    act(SIGUSR1, count, 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_rwlock_wrlock(&lock) == 0);
    for (size_t n = 0; n < sizeof waits / sizeof waits[0]; n++) {
        returned = -9;
        handled = 0;
        thread = start(MORE_URGENT, waits[n], NULL);
        CHECK(pthread_kill(thread, SIGUSR1) == 0 && handled == 1 && returned == -9);
        if (waits[n] == locks_mutex)
            CHECK(pthread_mutex_unlock(&mutex) == 0);
        else if (waits[n] == meets)
            pthread_barrier_wait(&barrier);
        else
            CHECK(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_trywrlock(&lock) == 0);
        finish(thread);
        CHECK(returned == 0 || returned == PTHREAD_BARRIER_SERIAL_THREAD);
    }
    CHECK(pthread_rwlock_unlock(&lock) == 0 && pthread_barrier_destroy(&barrier) == 0);
    returned = -9;
    handled = 0;
    other = start(MORE_URGENT, takes, NULL);
    thread = start(MORE_URGENT, joins, &other);
    CHECK(pthread_kill(thread, SIGUSR1) == 0 && handled == 1 && returned == -9);
    CHECK(sem_post(&never) == 0);
    finish(thread);
    CHECK(returned == 0);
    end();
}

static volatile int refused;

/* Calls of which POSIX says that a handler may call them, whatever it interrupts. */
static void calls(int number)
{
    struct timespec now;
    const int copy = dup(STDOUT_FILENO);
    (void)number;
    if (copy < 0 || close(copy) || clock_gettime(CLOCK_REALTIME, &now))
        refused++;
    handled++;
}

/* The same calls, until it is told to end. */
static void *calls_on(void *argument)
{
    while (!*(volatile bool *)argument) {
        const int copy = dup(STDOUT_FILENO);
        if (copy < 0 || close(copy))
            refused++;
    }
    return NULL;
}

static void reentered(void)
{
    volatile bool ends = false;
    pthread_t thread;
    begin("sigaction: a handler that interrupts dup or close may call them, and clock_gettime");
    act(SIGUSR1, calls, 0);
    refused = 0;
    thread = start(LESS_URGENT, calls_on, (void *)&ends);
    for (long turn = 0; turn < 200; turn++) {
        CHECK(nanosleep(&(struct timespec){0, 50000 + 117 * turn}, NULL) == 0);
        CHECK(pthread_kill(thread, SIGUSR1) == 0);
        for (int wait = 0; wait < 100 && handled <= turn; wait++)
            CHECK(nanosleep(&(struct timespec){0, 50000}, NULL) == 0);
    }
    ends = true;
    finish(thread);
    CHECK(handled == 200 && refused == 0);
    end();
}

static void suspended(void)
{
    const sigset_t set = set_of(SIGUSR1, 0);
    sigset_t none, now;
    sigemptyset(&none);
    begin("sigsuspend: lets come what was masked, and masks it again");
    act(SIGUSR1, count, SA_RESTART);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && kill(getpid(), SIGUSR1) == 0 && handled == 0);
    errno = 0;
    CHECK(sigsuspend(&none) == -1 && errno == EINTR && handled == 1);
    CHECK(sigprocmask(SIG_SETMASK, &none, &now) == 0 && now == set);
    end();
}

static uint8_t stack[2 * SIGSTKSZ];
static volatile uintptr_t where;

static void look(int number)
{
    const stack_t new = {0};
    stack_t is = {0};
    (void)number;
    where = (uintptr_t)&is;
    CHECK(sigaltstack(NULL, &is) == 0);
    handled = is.ss_flags;
    if (is.ss_flags & SS_ONSTACK) {
        errno = 0;
        CHECK(sigaltstack(&new, NULL) == -1 && errno == EPERM);
    }
}

static bool is_on_stack(void)
{
    return where >= (uintptr_t)stack && where < (uintptr_t)stack + sizeof stack;
}

static void stacks(void)
{
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack}, is;
    begin("sigaltstack: handlers with SA_ONSTACK, and no others, run there [EINVAL, ENOMEM, EPERM]");
    act(SIGUSR1, look, SA_ONSTACK);
    act(SIGUSR2, look, 0);
    CHECK(sigaltstack(NULL, &is) == 0 && is.ss_flags == SS_DISABLE);
    CHECK(raise(SIGUSR1) == 0 && !is_on_stack());
    other.ss_flags = 0x100;
    errno = 0;
    CHECK(sigaltstack(&other, NULL) == -1 && errno == EINVAL);
    other.ss_flags = 0;
    other.ss_size = MINSIGSTKSZ - 1;
    errno = 0;
    CHECK(sigaltstack(&other, NULL) == -1 && errno == ENOMEM);
    other.ss_size = sizeof stack;
#ifdef __arm__
    errno = 0;
    CHECK(sigaltstack(&other, NULL) == -1 && errno == ENOMEM);
#else
    CHECK(sigaltstack(&other, NULL) == 0);
    CHECK(raise(SIGUSR1) == 0 && is_on_stack() && handled == SS_ONSTACK);
    CHECK(raise(SIGUSR2) == 0 && !is_on_stack() && handled == 0);
    CHECK(sigaltstack(NULL, &is) == 0 && is.ss_sp == stack && is.ss_size == sizeof stack && !is.ss_flags);
    /* Whoever left one there by a jump is not on it any more. */
    act(SIGUSR1, leave_as_before, SA_ONSTACK);
    if (!sigsetjmp(back_as_before, 1)) {
        raise(SIGUSR1);
        CHECK(!"it has left");
    }
    CHECK(handled == 1 && raise(SIGUSR2) == 0 && !is_on_stack());
    act(SIGUSR1, leave_with_more, SA_ONSTACK);
    if (!sigsetjmp(back_as_before, 1)) {
        raise(SIGUSR1);
        CHECK(!"it has left");
    }
    CHECK(handled == 2 && raise(SIGUSR2) == 0 && !is_on_stack());
    act(SIGUSR1, leave, SA_ONSTACK);
    if (!setjmp(back)) {
        raise(SIGUSR1);
        CHECK(!"it has left");
    }
    CHECK(handled == 1 && pthread_sigmask(SIG_SETMASK, &(sigset_t){0}, NULL) == 0);
    other.ss_flags = SS_DISABLE;
    CHECK(sigaltstack(&other, NULL) == 0 && raise(SIGUSR2) == 0 && !is_on_stack());
    other.ss_flags = 0;
    act(SIGUSR1, look, SA_ONSTACK);
    CHECK(sigaltstack(&other, NULL) == 0);
    other.ss_flags = SS_DISABLE;
    CHECK(sigaltstack(&other, &is) == 0 && is.ss_sp == stack && raise(SIGUSR1) == 0 && !is_on_stack());
    CHECK(sigaltstack(NULL, &is) == 0 && !is.ss_sp && is.ss_flags == SS_DISABLE && is.ss_size == 0);
#endif
    act(SIGUSR1, SIG_DFL, 0);
    act(SIGUSR2, SIG_DFL, 0);
    end();
}

/* The life before: its stack for handlers is not that of the next one. */
static void *sets_a_stack(void *argument)
{
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    (void)argument;
    sigaltstack(&other, NULL);
    return NULL;
}

static void *does_nothing(void *argument)
{
    return argument;
}

static pthread_key_t key;
static void *volatile found;

static void look_for_value(int number)
{
    (void)number;
    found = pthread_getspecific(key);
}

/* The life before: its value goes with it. */
static void *has_a_value(void *argument)
{
    CHECK(pthread_setspecific(key, &key) == 0);
    return argument;
}

static uint32_t is_none_of_posix(void *argument)
{
    (void)argument;
    return 0;
}

/* How many signals this thread has handled. */
static _Thread_local int own_handled;

static void count_own(int number)
{
    (void)number;
    own_handled++;
    handled++;
}

static void *tells_own_handled(void *argument)
{
    (void)argument;
    while (!handled)
        sched_yield();
    return (void *)(uintptr_t)own_handled;
}

/* Signals the other one so many nanoseconds after it may run. */
struct strike {
    pthread_t whom;
    long after;
};

static void *strikes(void *argument)
{
    const struct strike *const it = argument;
    nanosleep(&(struct timespec){0, it->after}, NULL);
    CHECK(pthread_kill(it->whom, SIGUSR1) == 0);
    return NULL;
}

/* Where there are no atomic instructions, the board is simulated. */
#if defined(__riscv) && !defined(__riscv_atomic)
#define STRIKES 20
#define STEP 1000
#else
#define STRIKES 400
#define STEP 150
#endif

static void whenever(void)
{
    sigset_t own, is;
    begin("pthread_create: a signal that comes for a thread while it begins is handled in a thread that has begun");
    act(SIGUSR1, count_own, 0);
    own = set_of(SIGUSR2, SIGHUP);
    CHECK(pthread_sigmask(SIG_BLOCK, &own, NULL) == 0);
    for (int n = 0; n < STRIKES && !wrong; n++) {
        struct strike strike = {0, n * STEP};
        pthread_t striker;
        handled = 0;
        strike.whom = start(LESS_URGENT, tells_own_handled, NULL);
        striker = start(MORE_URGENT, strikes, &strike);
        CHECK(finish(strike.whom) == (void *)1);
        CHECK(pthread_join(striker, NULL) == 0);
    }
    CHECK(pthread_sigmask(SIG_UNBLOCK, &own, &is) == 0 && is == own);
    act(SIGUSR1, SIG_DFL, 0);
    end();
}

static uint32_t spawned_tells(void *argument)
{
    return (uint32_t)(uintptr_t)tells_own_handled(argument);
}

static void whenever_spawned(void)
{
    const riposte_thread_settings_t how = {LESS_URGENT, RIPOSTE_POLICY_FIFO, 0};
    begin("riposte_thread_spawn: a signal that comes for a thread while it begins is handled in a thread that has begun");
    act(SIGUSR1, count_own, 0);
    for (int n = 0; n < STRIKES && !wrong; n++) {
        struct strike strike = {0, n * STEP};
        riposte_thread_t other;
        pthread_t striker;
        uint32_t own = 0;
        handled = 0;
        CHECK(riposte_thread_spawn(spawned_tells, NULL, &how, &other) == RIPOSTE_OK);
        strike.whom = other.id;
        striker = start(MORE_URGENT, strikes, &strike);
        CHECK(riposte_thread_join_until(other, RIPOSTE_FOREVER, &own) == RIPOSTE_OK && own == 1);
        CHECK(pthread_join(striker, NULL) == 0);
    }
    act(SIGUSR1, SIG_DFL, 0);
    end();
}

static void early(void)
{
    const riposte_thread_settings_t spawned = {LESS_URGENT, RIPOSTE_POLICY_FIFO, 0};
    riposte_thread_t other;
    begin("pthread_getspecific: in a handler before a thread's first instruction it is not the value of the thread's last life");
    CHECK(pthread_key_create(&key, NULL) == 0);
    act(SIGUSR1, look_for_value, 0);
    found = &key;
    CHECK(pthread_join(start(LESS_URGENT, has_a_value, NULL), NULL) == 0);
    pthread_t next = start(LESS_URGENT, does_nothing, NULL);
    CHECK(pthread_kill(next, SIGUSR1) == 0 && pthread_join(next, NULL) == 0 && found == NULL);
    end();
    begin("pthread_getspecific: in a handler before the first instruction of a thread that is none of pthread_create's, too");
    found = &key;
    CHECK(pthread_join(start(LESS_URGENT, has_a_value, NULL), NULL) == 0);
    CHECK(riposte_thread_spawn(is_none_of_posix, NULL, &spawned, &other) == RIPOSTE_OK);
    CHECK(pthread_kill(other.id, SIGUSR1) == 0 && pthread_join(other.id, NULL) == 0 && found == NULL);
    CHECK(pthread_key_delete(key) == 0);
    end();
    begin("sigaltstack: a handler before a thread's first instruction finds none, nor that of the thread's last life");
    act(SIGUSR1, look, SA_ONSTACK);
    for (int life = 0; life < 2; life++) {
        pthread_t thread = start(LESS_URGENT, does_nothing, NULL);
        where = 0;
        CHECK(pthread_kill(thread, SIGUSR1) == 0);
        CHECK(pthread_join(thread, NULL) == 0 && where && !is_on_stack());
        thread = start(LESS_URGENT, sets_a_stack, NULL);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    act(SIGUSR1, SIG_DFL, 0);
    end();
}

void signal_tests(void)
{
    sets();
    actions();
    masks();
    each_alone();
    aborted();
    interrupted();
    behind_a_wait();
    uninterrupted();
    reentered();
    suspended();
    stacks();
    early();
    whenever();
    whenever_spawned();
}
