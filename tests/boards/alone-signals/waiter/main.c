/* Waits for what only a handler of its own can do. */

#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <riposte.h>

#define TIMES 3000
#define JUMPS 300

static bool broken;
static sem_t sem;
/* Signals that were handled in the present wait. */
static volatile sig_atomic_t handled;

/* Without the signal meanwhile: a line that one interrupts is sent again. */
static void holds(const char *name, bool it_holds)
{
    sigset_t usr1, before;
    if (!it_holds)
        broken = true;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, &before);
    printf(it_holds ? "@pass %s\n" : "@fail %s: it does not hold\n", name);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void post(int number)
{
    (void)number;
    handled = handled + 1;
    sem_post(&sem);
}

static void handle(int flags)
{
    struct sigaction action = {0};
    action.sa_handler = post;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
}

static struct timespec in_a_second(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec++;
    return time;
}

/* Without units, and at another place of the sender's period each time. */
static void begin_at_another_moment(int each)
{
    volatile int steps = each * 37 % 1009;
    while (steps > 0)
        steps = steps - 1;
    while (sem_trywait(&sem) == 0)
        continue;
    handled = 0;
}

static uint8_t other[2 * SIGSTKSZ];
static sigjmp_buf before_handler;
static volatile bool was_on_other;
static volatile sig_atomic_t left;

/* Leaves the other stack, the first time with a signal of its own that waits for that. */
static void leave(int number)
{
    const uintptr_t here = (uintptr_t)&number;
    was_on_other = here >= (uintptr_t)other && here < (uintptr_t)other + sizeof other;
    left = left + 1;
    if (left == 1)
        raise(number);
    siglongjmp(before_handler, 1);
}

/* While the sender interrupts, too. */
static void leave_other_stack(void)
{
    const stack_t stack = {.ss_sp = other, .ss_size = sizeof other}, none = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK};
    volatile int saves, each, times = 0;
    sigset_t usr2;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR2, &action, NULL);
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    holds("sigaltstack takes memory of a process of one thread", sigaltstack(&stack, NULL) == 0);
    for (saves = 1; saves >= 0; saves--) {
        for (each = 0; each < JUMPS; each++) {
            left = 0;
            was_on_other = false;
            if (!sigsetjmp(before_handler, saves))
                raise(SIGUSR2);
            if (!saves)
                sigprocmask(SIG_UNBLOCK, &usr2, NULL);
            times = times + (left == 2 && was_on_other);
        }
    }
    holds("siglongjmp: leaves another stack before a signal comes that waits, or one that comes meanwhile", times == 2 * JUMPS);
    holds("and the stack is not in use then", sigaltstack(&none, NULL) == 0);
}

int main(void)
{
    struct timespec time;
    sigset_t usr1;
    int each, waited = 0, slept = 0;

    sem_init(&sem, 0, 0);
    handle(SA_RESTART);
    for (each = 0; each < TIMES; each++) {
        begin_at_another_moment(each);
        waited += sem_wait(&sem) == 0;
        slept += handled > 1;
    }
    holds("sem_wait gets what a handler posts meanwhile", waited == TIMES);
    holds("and never sleeps with a unit there", slept == 0);

    waited = slept = 0;
    for (each = 0; each < TIMES; each++) {
        time = in_a_second();
        begin_at_another_moment(each);
        waited += sem_timedwait(&sem, &time) == 0;
        slept += handled > 1;
    }
    holds("sem_timedwait, too", waited == TIMES && slept == 0);

    handle(0);
    while (sem_trywait(&sem) == 0)
        continue;
    waited = sem_wait(&sem);
    holds("who wants to be interrupted may be told so, and the unit is there",
          waited == 0 || (errno == EINTR && sem_trywait(&sem) == 0));

    leave_other_stack();

    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    while (sem_trywait(&sem) == 0)
        continue;
    clock_gettime(CLOCK_REALTIME, &time);
    holds("and the time ends the wait of whoever masks it", sem_timedwait(&sem, &time) == -1 && errno == ETIMEDOUT);
    printf("@done\n");
    return (int)riposte_shutdown(broken);
}
