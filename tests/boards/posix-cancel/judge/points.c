/* Each cancellation point: a thread that waits in it, one that was cancelled before, and one that has disabled it. */

#include "check.h"

#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

static sem_t sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static mqd_t empty, full;
static int ends[2], filled[2], stream, datagrams, listener, file;
static pid_t child;
static pthread_t other;
static const struct timespec long_time = {1000, 0};
static char bytes[16];

static struct timespec far_off(clockid_t clock)
{
    struct timespec moment;
    clock_gettime(clock, &moment);
    moment.tv_sec += 1000;
    return moment;
}

static int does_sem_wait(void)
{
    return sem_wait(&sem);
}

static int does_sem_timedwait(void)
{
    const struct timespec until = far_off(CLOCK_REALTIME);
    return sem_timedwait(&sem, &until);
}

static void posts(void)
{
    CHECK(sem_post(&sem) == 0);
}

/* The mutex is the thread's when its handler runs. */
static void gives_back(void *unused)
{
    (void)unused;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
}

/* What is waited for: any signal may wake who waits for nothing. */
static bool is_ready;

static int waits_at_cond(const struct timespec *until)
{
    int error = 0;
    CHECK(pthread_mutex_lock(&mutex) == 0);
    pthread_cleanup_push(gives_back, NULL);
    while (!is_ready && !error)
        error = until ? pthread_cond_timedwait(&cond, &mutex, until) : pthread_cond_wait(&cond, &mutex);
    is_ready = false;
    pthread_cleanup_pop(1);
    return error;
}

static int does_cond_wait(void)
{
    return waits_at_cond(NULL);
}

static int does_cond_timedwait(void)
{
    const struct timespec until = far_off(CLOCK_REALTIME);
    return waits_at_cond(&until);
}

static void wakes(void)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    is_ready = true;
    CHECK(pthread_cond_signal(&cond) == 0 && pthread_mutex_unlock(&mutex) == 0);
}

static int does_mq_receive(void)
{
    return mq_receive(empty, bytes, sizeof bytes, NULL) < 0;
}

static int does_mq_timedreceive(void)
{
    const struct timespec until = far_off(CLOCK_REALTIME);
    return mq_timedreceive(empty, bytes, sizeof bytes, NULL, &until) < 0;
}

static void sends_one(void)
{
    CHECK(mq_send(empty, "m", 1, 0) == 0);
}

static int does_mq_send(void)
{
    return mq_send(full, "x", 1, 0);
}

static int does_mq_timedsend(void)
{
    const struct timespec until = far_off(CLOCK_REALTIME);
    return mq_timedsend(full, "x", 1, 0, &until);
}

/* There is room, and then none again. */
static void takes_one(void)
{
    CHECK(mq_receive(full, bytes, sizeof bytes, NULL) == 1);
}

static int does_nanosleep(void)
{
    return nanosleep(&long_time, NULL);
}

static int does_sleep(void)
{
    return (int)sleep(1000);
}

static int does_clock_nanosleep(void)
{
    const struct timespec until = far_off(CLOCK_MONOTONIC);
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static sigset_t set_of(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

static int does_sigwait(void)
{
    const sigset_t set = set_of(SIGUSR2);
    int number;
    return sigwait(&set, &number);
}

static int does_sigwaitinfo(void)
{
    const sigset_t set = set_of(SIGUSR2);
    return sigwaitinfo(&set, NULL) < 0;
}

static int does_sigtimedwait(void)
{
    const sigset_t set = set_of(SIGUSR2);
    return sigtimedwait(&set, NULL, &long_time) < 0;
}

static void signals_it(void)
{
    CHECK(pthread_kill(other, SIGUSR2) == 0);
}

static int does_pause(void)
{
    pause();
    return 0;
}

static int does_sigpause(void)
{
    sigpause(SIGHUP);
    return 0;
}

static int does_sigsuspend(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigsuspend(&none);
    return 0;
}

static void handles(int number)
{
    (void)number;
}

static void interrupts_it(void)
{
    CHECK(pthread_kill(other, SIGUSR1) == 0);
}

static void *takes(void *argument)
{
    (void)argument;
    sem_wait(&sem);
    return NULL;
}

static pthread_t joined;

static int does_join(void)
{
    return pthread_join(joined, NULL);
}

static int does_read(void)
{
    return read(ends[0], bytes, sizeof bytes) < 0;
}

static void writes_one(void)
{
    CHECK(write(ends[1], "p", 1) == 1);
}

static void empties(void)
{
    CHECK(read(ends[0], bytes, 1) == 1);
}

static int does_write(void)
{
    return write(filled[1], "w", 1) < 0;
}

static void makes_room(void)
{
    CHECK(read(filled[0], bytes, 1) == 1);
}

static int does_poll(void)
{
    struct pollfd all = {ends[0], POLLIN, 0};
    return poll(&all, 1, -1) < 0;
}

static int does_poll_of_nothing(void)
{
    return poll(NULL, 0, -1) < 0;
}

static int does_select(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    return select(ends[0] + 1, &set, NULL, NULL, NULL) < 0;
}

static int does_pselect(void)
{
    sigset_t none;
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    sigemptyset(&none);
    return pselect(ends[0] + 1, &set, NULL, NULL, NULL, &none) < 0;
}

static int does_read_of_console(void)
{
    return read(STDIN_FILENO, bytes, sizeof bytes) < 0;
}

static int does_open(void)
{
    return open("/pipe/fifo", O_RDONLY) < 0;
}

static int does_waitpid(void)
{
    return waitpid(child, NULL, 0) < 0;
}

static int does_wait(void)
{
    return wait(NULL) < 0;
}

static int does_accept(void)
{
    return accept(listener, NULL, NULL) < 0;
}

static int does_connect(void)
{
    const struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(0x0A000001)}};
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    int error;
    pthread_cleanup_push((void (*)(void *))(uintptr_t)close, (void *)(intptr_t)made);
    error = connect(made, (const struct sockaddr *)&there, sizeof there);
    pthread_cleanup_pop(1);
    return error;
}

static int does_recv(void)
{
    return recv(stream, bytes, sizeof bytes, 0) < 0;
}

static int does_recvfrom(void)
{
    return recvfrom(datagrams, bytes, sizeof bytes, 0, NULL, NULL) < 0;
}

static int does_send(void)
{
    return send(stream, bytes, sizeof bytes, 0) < 0;
}

static int does_sendto(void)
{
    const struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(0x0A000001)}};
    return sendto(datagrams, bytes, sizeof bytes, 0, (const struct sockaddr *)&there, sizeof there) < 0;
}

/* What does not wait, so that a thread can be cancelled only before it. */

static int does_pread(void)
{
    return pread(file, bytes, 1, 0) < 0;
}

static int does_pwrite(void)
{
    return pwrite(file, bytes, 1, 0) < 0;
}

static int does_fsync(void)
{
    return fsync(file);
}

static int does_fdatasync(void)
{
    return fdatasync(file);
}

static int does_creat(void)
{
    return creat("/ram/other", 0600) < 0;
}

static int does_close(void)
{
    return close(file);
}

/* A cancellation point, and what ends a wait in it and puts things back. */
static const struct point {
    const char *name;
    int (*waits)(void);
    void (*release)(void);
    void (*restore)(void);
} waiting[] = {
    {"sem_wait", does_sem_wait, posts, NULL},
    {"sem_timedwait", does_sem_timedwait, posts, NULL},
    {"pthread_cond_wait", does_cond_wait, wakes, NULL},
    {"pthread_cond_timedwait", does_cond_timedwait, wakes, NULL},
    {"mq_receive", does_mq_receive, sends_one, NULL},
    {"mq_timedreceive", does_mq_timedreceive, sends_one, NULL},
    {"mq_send", does_mq_send, takes_one, NULL},
    {"mq_timedsend", does_mq_timedsend, takes_one, NULL},
    {"nanosleep", does_nanosleep, NULL, NULL},
    {"clock_nanosleep", does_clock_nanosleep, NULL, NULL},
    {"sleep", does_sleep, NULL, NULL},
    {"sigwait", does_sigwait, signals_it, NULL},
    {"sigwaitinfo", does_sigwaitinfo, signals_it, NULL},
    {"sigtimedwait", does_sigtimedwait, signals_it, NULL},
    {"pause", does_pause, interrupts_it, NULL},
    {"sigpause", does_sigpause, interrupts_it, NULL},
    {"sigsuspend", does_sigsuspend, interrupts_it, NULL},
    {"pthread_join", does_join, NULL, NULL},
    {"read", does_read, writes_one, NULL},
    {"write", does_write, makes_room, NULL},
    {"poll", does_poll, writes_one, empties},
    {"poll of nothing", does_poll_of_nothing, NULL, NULL},
    {"select", does_select, writes_one, empties},
    {"pselect", does_pselect, writes_one, empties},
    {"read of the console", does_read_of_console, NULL, NULL},
    {"open of a FIFO", does_open, NULL, NULL},
    {"waitpid", does_waitpid, NULL, NULL},
    {"wait", does_wait, NULL, NULL},
    {"accept", does_accept, NULL, NULL},
    {"connect", does_connect, NULL, NULL},
    {"recv", does_recv, NULL, NULL},
    {"recvfrom", does_recvfrom, NULL, NULL},
    {"send", does_send, NULL, NULL},
    {"sendto", does_sendto, NULL, NULL},
}, passing[] = {
    {"pread", does_pread, NULL, NULL},
    {"pwrite", does_pwrite, NULL, NULL},
    {"fsync", does_fsync, NULL, NULL},
    {"fdatasync", does_fdatasync, NULL, NULL},
    {"creat", does_creat, NULL, NULL},
    {"close", does_close, NULL, NULL},
};
#define COUNT(all) (sizeof all / sizeof all[0])

static void *goes(void *argument)
{
    const struct point *const point = argument;
    pthread_cleanup_push(clean, (void *)"a");
    has_come = true;
    point->waits();
    has_passed = true;
    pthread_cleanup_pop(0);
    return NULL;
}

static void *disables(void *argument)
{
    const struct point *const point = argument;
    int error;
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL) == 0);
    has_come = true;
    error = point->waits();
    has_passed = error == 0;
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL) == 0);
    pthread_testcancel();
    has_passed = false;
    return NULL;
}

/* Says of which one it is, if anything was wrong. */
static void blame(const struct point *point, bool was_wrong)
{
    if (wrong && !was_wrong)
        printf("that was %s\n", point->name);
}

static void cancel_waiting(const struct point *point)
{
    const pthread_t thread = start(MORE_URGENT, goes, (void *)(uintptr_t)point);
    const struct timespec little = {0, 1000000};
    /* Servers run meanwhile. */
    nanosleep(&little, NULL);
    CHECK(has_come && !has_passed && cleaned == 0);
    CHECK(pthread_cancel(thread) == 0);
    CHECK(finish(thread) == PTHREAD_CANCELED);
    CHECK(!has_passed && cleaned == 1);
}

static void cancel_before(const struct point *point)
{
    const pthread_t thread = start(LESS_URGENT, goes, (void *)(uintptr_t)point);
    CHECK(!has_come && pthread_cancel(thread) == 0);
    CHECK(finish(thread) == PTHREAD_CANCELED);
    CHECK(has_come && !has_passed && cleaned == 1);
}

static void cancel_disabled(const struct point *point)
{
    const struct timespec little = {0, 1000000};
    if (!point->release)
        return;
    other = start(MORE_URGENT, disables, (void *)(uintptr_t)point);
    nanosleep(&little, NULL);
    CHECK(has_come && pthread_cancel(other) == 0);
    nanosleep(&little, NULL);
    CHECK(!has_passed && pthread_kill(other, 0) == 0);
    point->release();
    CHECK(finish(other) == PTHREAD_CANCELED);
    CHECK(has_passed);
    if (point->restore)
        point->restore();
}

static void of_each(const struct point *all, size_t count, void (*test)(const struct point *point))
{
    for (size_t n = 0; n < count; n++) {
        const bool was_wrong = wrong;
        test(&all[n]);
        blame(&all[n], was_wrong);
    }
}

static void prepare(void)
{
    const struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof bytes};
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(7)};
    const struct sigaction action = {.sa_handler = handles};
    char *arguments[] = {(char[]){"child"}, NULL};
    sigset_t set = set_of(SIGUSR2);
    static char much[512];
    CHECK(sem_init(&sem, 0, 0) == 0);
    empty = mq_open("/empty", O_RDWR | O_CREAT, 0600, &attributes);
    full = mq_open("/full", O_RDWR | O_CREAT, 0600, &attributes);
    CHECK(empty != (mqd_t)-1 && full != (mqd_t)-1 && mq_send(full, "f", 1, 0) == 0);
    CHECK(pipe(ends) == 0 && pipe(filled) == 0 && mkfifo("/pipe/fifo", 0600) == 0);
    CHECK(write(filled[1], much, sizeof much) == sizeof much);
    file = open("/ram/file", O_RDWR | O_CREAT, 0600);
    CHECK(file >= 0);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (const struct sockaddr *)&any, sizeof any) == 0 && listen(listener, 1) == 0);
    datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    stream = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(fcntl(stream, F_SETFL, O_NONBLOCK) == 0);
    CHECK(connect(stream, (const struct sockaddr *)&(struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(9),
                                                                         .sin_addr = {htonl(0x0A000001)}},
                  sizeof any) == -1);
    CHECK(fcntl(stream, F_SETFL, 0) == 0);
    CHECK(posix_spawn(&child, "child", NULL, NULL, arguments, NULL) == 0);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    joined = start(LESS_URGENT, takes, NULL);
}

void points(void)
{
    begin("pthread_cancel: sem_wait, sem_timedwait, pthread_cond_wait, pthread_cond_timedwait, mq_receive, mq_timedreceive, "
          "mq_send, mq_timedsend, nanosleep, clock_nanosleep, sleep, sigwait, sigwaitinfo, sigtimedwait, pause, sigpause, "
          "sigsuspend, "
          "pthread_join, read, write, poll, select, pselect, open, waitpid, wait, accept, connect, recv, recvfrom, send, sendto end "
          "for a thread that waits in them");
    prepare();
    of_each(waiting, COUNT(waiting), cancel_waiting);
    end();

    begin("pthread_cancel: who was cancelled before does not begin them, nor pread, pwrite, fsync, fdatasync, creat, close");
    of_each(waiting, COUNT(waiting), cancel_before);
    of_each(passing, COUNT(passing), cancel_before);
    CHECK(FAILS(open("/ram/other", O_RDONLY), ENOENT));
    CHECK(pwrite(file, "a", 1, 0) == 1);
    end();

    begin("pthread_setcancelstate: who has disabled it waits on in them, and gets what it waited for");
    of_each(waiting, COUNT(waiting), cancel_disabled);
    /* The first one's unit was for itself, and whom nobody joined is still there. */
    CHECK(sem_trywait(&sem) == -1 && sem_post(&sem) == 0 && pthread_join(joined, NULL) == 0);
    CHECK(kill(child, SIGTERM) == 0 && waitpid(child, NULL, 0) == child);
    end();
}
