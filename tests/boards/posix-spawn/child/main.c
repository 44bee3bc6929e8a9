/* Does what its first argument says, and says what it was given. */

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <riposte.h>

/* No memory of any process. */
static volatile uintptr_t nowhere = 4;

static void leave(int number)
{
    _exit(number);
}

/* Of the manifest, more urgent than main: it ends at once. */
RIPOSTE_THREAD(early)
{
    pthread_exit(NULL);
}

static void *works(void *unused)
{
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    (void)unused;
    exit(7);
}

/* While another one exits. */
static void print_for_ever(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, works, NULL))
        _exit(1);
    for (;;)
        putchar('x');
}

static void end_thread(int number)
{
    (void)number;
    pthread_exit(NULL);
}

/* Ends at a moment, in nanoseconds of CLOCK_MONOTONIC, about which a signal comes. */
static void *ends_at(void *moment)
{
    const long long at = strtoll(moment, NULL, 10);
    const struct timespec until = {at / 1000000000, at % 1000000000};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    return NULL;
}

static void leave_to_one_that_ends(char *moment)
{
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR1, end_thread);
    if (pthread_create(&thread, NULL, ends_at, moment))
        exit(1);
    pthread_exit(NULL);
}

static void *works_on(void *unused)
{
    (void)unused;
    return NULL;
}

static uint32_t works_uncounted(void *unused)
{
    (void)unused;
    return 0;
}

/* Its threads, and one that nobody counts, end by a signal that comes before their first instruction. */
static void leave_to_those_that_end_early(void)
{
    riposte_thread_t other;
    uint32_t value;
    signal(SIGUSR1, end_thread);
    for (int life = 0; life < 2; life++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, works_on, NULL) || pthread_kill(thread, SIGUSR1) || pthread_join(thread, NULL))
            exit(1);
    }
    if (riposte_thread_spawn(works_uncounted, NULL, &(riposte_thread_settings_t){0, RIPOSTE_POLICY_SAME, 0}, &other)
        || pthread_kill(other.id, SIGUSR1) || riposte_thread_join_until(other, RIPOSTE_FOREVER, &value))
        exit(1);
    pthread_exit(NULL);
}

static volatile bool has_ended;

static void *ends_then(void *moment)
{
    ends_at(moment);
    has_ended = true;
    return NULL;
}

/* Of a thread that nobody counts: asks for others that there cannot be. */
static uint32_t asks_in_vain(void *unused)
{
    const struct sched_param beyond = {sched_get_priority_max(SCHED_FIFO)};
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attr, &beyond);
    while (!has_ended)
        if (!pthread_create(&thread, &attr, works_on, NULL))
            exit(1);
    (void)unused;
    return 0;
}

/* Leaves the process to a thread that ends at a moment, in the middle of what another one does that does not keep it. */
static void leave_amid_creations(char *moment)
{
    const riposte_thread_settings_t less_urgent = {5, RIPOSTE_POLICY_FIFO, 0};
    riposte_thread_t other;
    pthread_t thread;
    if (riposte_thread_spawn(asks_in_vain, NULL, &less_urgent, &other) || pthread_create(&thread, NULL, ends_then, moment))
        exit(1);
    pthread_exit(NULL);
}

/* How many microseconds behind its moment a timer's function has been called. */
static volatile int called_behind = 255;
static long long timer_moment;

static void call(union sigval value)
{
    struct timespec time;
    sigset_t set;
    (void)value;
    clock_gettime(CLOCK_MONOTONIC, &time);
    called_behind = (int)((time.tv_sec * 1000000000LL + time.tv_nsec - timer_moment) / 1000);
    /* Its thread takes none else. */
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Has a timer call its function in a thread at a moment, about which a signal comes to that, and ends with main. */
static void leave_to_a_timer(const char *moment, bool tells)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = call};
    struct itimerspec due = {0};
    struct timespec later;
    timer_t timer;
    sigset_t set;
    timer_moment = strtoll(moment, NULL, 10);
    due.it_value = (struct timespec){timer_moment / 1000000000, timer_moment % 1000000000};
    signal(SIGUSR1, end_thread);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer))
        exit(254);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (timer_settime(timer, TIMER_ABSTIME, &due, NULL))
        exit(254);
    later = (struct timespec){(timer_moment + 2000000) / 1000000000, (timer_moment + 2000000) % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &later, NULL);
    if (tells)
        exit(called_behind);
    pthread_exit(NULL);
}

/* Has nobody take what it prints, and prints something that is not sent yet. */
static void print_in_vain(void)
{
    static const char block[64];
    fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
    while (write(STDOUT_FILENO, block, sizeof block) > 0)
        continue;
    fcntl(STDOUT_FILENO, F_SETFL, 0);
    printf("x");
}

/* Writes to a stream that is never closed. */
static void keep(void)
{
    FILE *const file = fopen("kept", "w");
    if (!file || fputs("kept", file) < 0)
        exit(1);
}

/* Waits, in a stream, for what nobody writes. */
static void *waits_for_input(void *stream)
{
    fgetc(stream);
    exit(2);
}

static void wait_for_input(void)
{
    FILE *const input = fdopen(STDIN_FILENO, "r");
    pthread_t thread;
    if (!input || pthread_create(&thread, NULL, waits_for_input, input))
        exit(3);
    nanosleep(&(struct timespec){0, 5000000}, NULL);
}

int main(int argc, char *argv[])
{
    const char *const what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "exit"))
        return atoi(argv[2]);
    if (!strcmp(what, "abort"))
        abort();
    if (!strcmp(what, "abort-unread")) {
        print_in_vain();
        abort();
    }
    if (!strcmp(what, "assert-unread")) {
        print_in_vain();
        assert(argc == 0);
    }
    if (!strcmp(what, "exit-unread"))
        print_for_ever();
    if (!strcmp(what, "leave-unread")) {
        print_in_vain();
        _exit(5);
    }
    if (!strcmp(what, "say")) {
        printf("said");
        exit(4);
    }
    if (!strcmp(what, "say-not")) {
        printf("not said");
        _exit(5);
    }
    if (!strcmp(what, "keep")) {
        keep();
        return 4;
    }
    if (!strcmp(what, "keep-not")) {
        keep();
        _exit(5);
    }
    if (!strcmp(what, "keep-beside")) {
        wait_for_input();
        keep();
        return 6;
    }
    if (!strcmp(what, "fault"))
        *(volatile int *)nowhere = 1;
    if (!strcmp(what, "raise"))
        return raise(atoi(argv[2]));
    if (!strcmp(what, "handle")) {
        signal(SIGUSR1, leave);
        puts("ready");
        for (;;)
            pause();
    }
    if (!strcmp(what, "pid"))
        return printf("%d\n", (int)getpid()) < 0;
    if (!strcmp(what, "parent"))
        return printf("%d\n", (int)getppid()) < 0;
    if (!strcmp(what, "count"))
        return argv[argc] == NULL && getenv("LAST") ? argc : 99;
    if (!strcmp(what, "leave"))
        pthread_exit(NULL);
    if (!strcmp(what, "work")) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, works, NULL))
            return 1;
        pthread_exit(NULL);
    }
    if (!strcmp(what, "work-until"))
        leave_to_one_that_ends(argv[2]);
    if (!strcmp(what, "work-beside"))
        leave_amid_creations(argv[2]);
    if (!strcmp(what, "work-not"))
        leave_to_those_that_end_early();
    if (!strcmp(what, "call-at") || !strcmp(what, "tell-call-at"))
        leave_to_a_timer(argv[2], what[0] == 't');
    if (!strcmp(what, "copy")) {
        char line[64];
        while (fgets(line, sizeof line, stdin))
            printf("<%.*s>\n", (int)strcspn(line, "\n"), line);
        return 3;
    }
    for (int n = 0; n < argc; n++)
        printf("%d=%s ", n, argv[n]);
    printf("end=%d COLOUR=%s EMPTY=%s HOME=%s\n", argv[argc] == NULL, getenv("COLOUR"), getenv("EMPTY"),
           getenv("HOME") ? "there" : "absent");
    return 0;
}
