/* Waits for what only a handler of its own can do. */

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include <riposte.h>

#define TIMES 3000

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
