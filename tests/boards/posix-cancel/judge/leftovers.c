/* What cancelled threads leave: nothing that others miss. */

#include "check.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

static sem_t sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static mqd_t queue;
static volatile int waiting, woken, received;
static int ends[2];

static void gives_back(void *argument)
{
    (void)argument;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static void *waits(void *argument)
{
    (void)argument;
    CHECK(pthread_mutex_lock(&mutex) == 0);
    pthread_cleanup_push(gives_back, NULL);
    waiting++;
    if (pthread_cond_wait(&cond, &mutex) == 0)
        woken++;
    pthread_cleanup_pop(1);
    return NULL;
}

static void *receives(void *argument)
{
    char byte;
    if (mq_receive(queue, &byte, 1, NULL) == 1)
        received++;
    /* Where it is cancelled that has received. */
    pthread_testcancel();
    return argument;
}

static void *reads_one(void *argument)
{
    char byte;
    received += read(ends[0], &byte, 1) == 1;
    pthread_testcancel();
    return argument;
}

static void *polls(void *argument)
{
    struct pollfd *const one = argument;
    received += poll(one, 1, -1) == 1;
    pthread_testcancel();
    return argument;
}

static void *takes(void *argument)
{
    if (sem_wait(&sem) == 0)
        received++;
    pthread_testcancel();
    return argument;
}

static void *prints(void *argument)
{
    FILE *const stream = argument;
    char letter[2];
    while (fread(letter, 1, 1, stream) == 1)
        received++;
    pthread_testcancel();
    has_passed = true;
    return NULL;
}

static void *opens(void *argument)
{
    (void)open("/pipe/late", O_RDONLY);
    return argument;
}

/* Opens a stream, writes, and closes it; and can be cancelled afterwards. */
static void *writes(void *argument)
{
    FILE *const stream = fopen("/ram/stream", "w");
    if (stream) {
        received += fputs("text", stream) >= 0;
        received += fclose(stream) == 0;
    }
    sem_wait(&sem);
    has_passed = true;
    return argument;
}

static void closes(void *argument)
{
    const int file = *(int *)argument;
    if (file >= 0)
        CHECK(close(file) == 0);
}

/* Opens a file, and is cancelled while the server opens it. */
static void *opens_file(void *argument)
{
    int file = -1;
    pthread_cleanup_push(closes, &file);
    file = open("/ram/stream", O_RDONLY);
    for (;;)
        pthread_testcancel();
    pthread_cleanup_pop(0);
    return argument;
}

static volatile int handled;
static volatile bool is_done;

static void handle(int number)
{
    (void)number;
    handled++;
}

/* Writes a file letter by letter, reads it so, and closes it, while signals come; the number of what went wrong. */
static void *uses_file(void *argument)
{
    uintptr_t wrong = 0;
    const int file = open("/ram/letters", O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct stat is;
    if (file < 0)
        wrong = 1;
    for (char letter = 'a'; !wrong && letter <= 'z'; letter++)
        if (write(file, &letter, 1) != 1)
            wrong = 2;
    if (!wrong && (fstat(file, &is) || is.st_size != 26))
        wrong = 3;
    if (!wrong && lseek(file, 0, SEEK_SET) != 0)
        wrong = 4;
    for (char letter = 'a', read_one = 0; !wrong && letter <= 'z'; letter++)
        if (read(file, &read_one, 1) != 1 || read_one != letter)
            wrong = 5;
    if (!wrong && close(file))
        wrong = 6;
    is_done = true;
    (void)argument;
    return (void *)wrong;
}

static void signals_amid_requests(void)
{
    /* No SA_RESTART. */
    const struct sigaction action = {.sa_handler = handle};
    begin("open, write, read, close: a signal amid a request to a server of files is handled behind it; nothing is done twice");
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    for (long after = 60000; after < 160000; after += 7000) {
        pthread_t other;
        is_done = false;
        other = start(LESS_URGENT, uses_file, NULL);
        /* At last it is left alone, however slow the board is. */
        for (int sent = 0; !is_done && sent < 40; sent++) {
            nanosleep(&(struct timespec){0, after}, NULL);
            pthread_kill(other, SIGUSR1);
        }
        CHECK(finish(other) == NULL);
    }
    CHECK(handled > 100 && unlink("/ram/letters") == 0);
    end();
}

static int datagrams_at(uint16_t port)
{
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(port)};
    const int made = socket(AF_INET, SOCK_DGRAM, 0);
    if (made < 0 || !bind(made, (const struct sockaddr *)&any, sizeof any))
        return made;
    CHECK(close(made) == 0);
    return -1;
}

/* Has the network think for a while. */
static void *binds_slowly(void *argument)
{
    *(int *)argument = datagrams_at(77);
    return NULL;
}

static void *binds(void *argument)
{
    *(int *)argument = datagrams_at(9);
    return NULL;
}

static void *closes_one(void *argument)
{
    return (void *)(intptr_t)(close(*(int *)argument) ? errno : 0);
}

/* Has a thread send the network its request while that thinks, and a signal come while it waits; what the thread returned. */
static void *amid_request(void *(*body)(void *), void *argument)
{
    int slow = -1;
    const pthread_t busy = start(LESS_URGENT, binds_slowly, &slow);
    pthread_t other;
    void *came;
    nanosleep(&(struct timespec){0, 300000}, NULL);
    other = start(OWN_PRIORITY, body, argument);
    nanosleep(&(struct timespec){0, 300000}, NULL);
    CHECK(pthread_kill(other, SIGUSR1) == 0);
    came = finish(other);
    CHECK(finish(busy) == NULL && slow >= 0 && close(slow) == 0);
    return came;
}

static void *uses_pipe(void *argument)
{
    int both[2];
    if (pipe(both))
        return (void *)(intptr_t)errno;
    (void)argument;
    return (void *)(intptr_t)(close(both[0]) || close(both[1]) ? errno : 0);
}

/* Has the server of pipes be busy. */
static void *fills_pipe(void *argument)
{
    static char much[512];
    while (!is_done) {
        CHECK(write(ends[1], much, sizeof much) == sizeof much);
        CHECK(read(ends[0], much, sizeof much) == sizeof much);
    }
    return argument;
}

static void signals_amid_ends(void)
{
    int made = -1, all[4];
    pthread_t busy, other;
    begin("bind, close: a signal amid a request about a socket is handled behind it, and the server has no socket of nobody");
    for (int turn = 0; turn < 5; turn++) {
        CHECK(amid_request(binds, &made) == NULL && made >= 0);
        CHECK(amid_request(closes_one, &made) == NULL);
    }
    for (int n = 0; n < 3; n++)
        CHECK((all[n] = datagrams_at(9)) >= 0);
    for (int n = 0; n < 3; n++)
        CHECK(close(all[n]) == 0);
    end();
    begin("pipe, close: a signal amid a request about a pipe is handled behind it, and the server has no end of nobody");
    CHECK(pipe(ends) == 0);
    is_done = false;
    busy = start(LESS_URGENT, fills_pipe, NULL);
    for (long after = 0; after < 900000; after += 4000) {
        other = start(OWN_PRIORITY, uses_pipe, NULL);
        nanosleep(&(struct timespec){0, after}, NULL);
        pthread_kill(other, SIGUSR1);
        CHECK(finish(other) == NULL);
    }
    is_done = true;
    CHECK(finish(busy) == NULL);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    end();
}

static void comes(int number)
{
    (void)number;
    has_come = true;
}

/* In a handler: the thread is cancelled, and comes to a cancellation point before it goes on. */
static void cancels_and_writes(int number)
{
    CHECK(pthread_cancel(pthread_self()) == 0);
    (void)!write(ends[1], "h", 1);
    comes(number);
}

static void *takes_uncancelled(void *argument)
{
    (void)!sem_wait(&sem);
    has_passed = true;
    return argument;
}

static void *takes_disabled(void *argument)
{
    (void)argument;
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL) == 0 && raise(SIGUSR1) == 0);
    argument = (void *)(intptr_t)(sem_wait(&sem) ? errno : 0);
    has_passed = true;
    return argument;
}

/* Two that wait for each other: one for a mutex until a moment, the other one, which has that, for its end. */
static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;
static pthread_t waits_for_it;

static void *takes_in_time(void *argument)
{
    struct timespec until;
    (void)argument;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    return (void *)(intptr_t)pthread_mutex_timedlock(&kept, &until);
}

static void unlocks(void *mutex)
{
    CHECK(pthread_mutex_unlock(mutex) == 0);
}

static void *joins_who_waits(void *argument)
{
    CHECK(pthread_mutex_lock(&kept) == 0);
    pthread_cleanup_push(unlocks, &kept);
    waits_for_it = start(MORE_URGENT + 1, takes_in_time, NULL);
    pthread_join(waits_for_it, NULL);
    has_passed = true;
    pthread_cleanup_pop(1);
    return argument;
}

/* What opens, closes, reads or writes, and is no cancellation point. */
enum { FOPEN, FCLOSE, FREOPEN, OPENDIR, CLOSEDIR, TRUNCATE, SPAWN, PRINTF, ALL };

static pid_t spawned;

/* Does one of these when it is to be cancelled already, and can be cancelled afterwards. */
static void *goes_on(void *which)
{
    const int what = (int)(intptr_t)which;
    char *const arguments[] = {"child", NULL};
    posix_spawn_file_actions_t actions;
    FILE *stream = what == FCLOSE || what == FREOPEN ? fopen("/ram/stream", "r") : NULL;
    DIR *directory = what == CLOSEDIR ? opendir("/ram") : NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/ram/stream", O_RDONLY, 0);
    CHECK(pthread_cancel(pthread_self()) == 0);
    switch (what) {
    case FOPEN:
        stream = fopen("/ram/stream", "r");
        received += stream && fclose(stream) == 0;
        break;
    case FCLOSE:
        received += stream && fclose(stream) == 0;
        break;
    case FREOPEN:
        stream = freopen("/ram/stream", "r", stream);
        received += stream && fclose(stream) == 0;
        break;
    case OPENDIR:
        directory = opendir("/ram");
        received += directory && closedir(directory) == 0;
        break;
    case CLOSEDIR:
        received += directory && closedir(directory) == 0;
        break;
    case TRUNCATE:
        received += truncate("/ram/stream", 1) == 0;
        break;
    case SPAWN:
        received += posix_spawn(&spawned, "child", &actions, NULL, arguments, NULL) == 0;
        break;
    default:
        received += printf("whoever is cancelled prints\n") > 0 && fflush(stdout) == 0;
    }
    pthread_testcancel();
    has_passed = true;
    return NULL;
}

static int lowest_descriptor(void)
{
    const int one = open("/ram/stream", O_RDONLY);
    CHECK(one >= 0 && close(one) == 0);
    return one;
}

static void completes(void)
{
    begin("pthread_cancel: fopen, fclose, freopen, opendir, closedir, truncate, posix_spawn, printf are done to their ends, as no points");
    const int free_one = lowest_descriptor();
    for (int what = 0; what < ALL; what++) {
        received = 0;
        const pthread_t one = start(LESS_URGENT, goes_on, (void *)(intptr_t)what);
        CHECK(finish(one) == PTHREAD_CANCELED && received == 1 && !has_passed);
        CHECK(lowest_descriptor() == free_one);
    }
    CHECK(spawned > 0 && kill(spawned, SIGKILL) == 0 && waitpid(spawned, NULL, 0) == spawned);
    end();
}

void leftovers(void)
{
    const struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 1};
    const struct sched_param urgent = {12};
    const struct sigaction cancels = {.sa_handler = cancels_and_writes, .sa_flags = SA_RESTART};
    const struct sigaction passes = {.sa_handler = comes};
    pthread_t first, second;
    void *value;

    begin("pthread_cancel, pthread_cond_wait: a signal that has come for who is cancelled wakes another one");
    first = start(LESS_URGENT, waits, NULL);
    second = start(LESS_URGENT, waits, NULL);
    while (waiting < 2)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    /* Both happen before either runs. */
    CHECK(pthread_cond_signal(&cond) == 0 && pthread_cancel(first) == 0);
    CHECK(finish(first) == PTHREAD_CANCELED);
    CHECK(finish(second) == NULL && woken == 1);
    CHECK(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    end();

    begin("pthread_cancel, pthread_cond_wait: who was woken and is cancelled does not touch what is destroyed by then");
    CHECK(pthread_cond_init(&cond, NULL) == 0);
    waiting = 0;
    first = start(LESS_URGENT, waits, NULL);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    CHECK(waiting == 1 && pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_cond_broadcast(&cond) == 0 && pthread_cancel(first) == 0 && pthread_cond_destroy(&cond) == 0);
    memset(&cond, 0xA5, sizeof cond);
    CHECK(pthread_mutex_unlock(&mutex) == 0 && finish(first) == PTHREAD_CANCELED);
    for (size_t at = 0; at < sizeof cond; at++)
        CHECK(((const unsigned char *)&cond)[at] == 0xA5);
    end();

    begin("pthread_cancel, mq_receive, sem_wait: what has come for who is cancelled is taken, or is there for others");
    queue = mq_open("/left", O_RDWR | O_CREAT, 0600, &attributes);
    CHECK(queue != (mqd_t)-1 && sem_init(&sem, 0, 0) == 0);
    for (int turn = 0; turn < 2; turn++) {
        char byte;
        struct timespec little = {0, 1000000};
        received = 0;
        first = start(LESS_URGENT, turn ? takes : receives, NULL);
        nanosleep(&little, NULL);
        /* Before it runs: once the cancellation first, once what it waits for. */
        CHECK((turn ? sem_post(&sem) : mq_send(queue, "m", 1, 0)) == 0 && pthread_cancel(first) == 0);
        CHECK(finish(first) == PTHREAD_CANCELED && received == 1);
        first = start(LESS_URGENT, turn ? takes : receives, NULL);
        nanosleep(&little, NULL);
        received = 0;
        CHECK(pthread_cancel(first) == 0 && (turn ? sem_post(&sem) : mq_send(queue, "m", 1, 0)) == 0);
        CHECK(finish(first) == PTHREAD_CANCELED && received == 0);
        CHECK(turn ? sem_trywait(&sem) == 0 : mq_receive(queue, &byte, 1, NULL) == 1);
    }
    end();

    begin("pthread_cancel, read, poll: who has its answer when the cancellation comes goes on to the end of the call");
    CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    for (int turn = 0; turn < 2; turn++) {
        struct pollfd one = {0, POLLIN, 0};
        received = 0;
        CHECK(pipe(ends) == 0);
        one.fd = ends[0];
        first = start(LESS_URGENT, turn ? polls : reads_one, &one);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        /* Before it runs; who reads is the last one then that uses the end. */
        CHECK(write(ends[1], "x", 1) == 1 && (turn || close(ends[0]) == 0) && pthread_cancel(first) == 0);
        CHECK(finish(first) == PTHREAD_CANCELED && received == 1 && one.revents == (turn ? POLLIN : 0));
        CHECK(!turn || close(ends[0]) == 0);
        CHECK(FAILS(write(ends[1], "x", 1), EPIPE) && close(ends[1]) == 0);
    }
    CHECK(signal(SIGPIPE, SIG_DFL) == SIG_IGN);
    end();

    begin("pthread_cancel: a stream is no cancellation point, and its lock is not lost");
    {
        FILE *stream;
        received = 0;
        CHECK(pipe(ends) == 0);
        stream = fdopen(ends[0], "r");
        CHECK(stream != NULL);
        first = start(MORE_URGENT, prints, stream);
        CHECK(pthread_cancel(first) == 0);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        CHECK(pthread_kill(first, 0) == 0);
        CHECK(write(ends[1], "ab", 2) == 2);
        CHECK(close(ends[1]) == 0);
        CHECK(finish(first) == PTHREAD_CANCELED && received == 2 && !has_passed);
        CHECK(fclose(stream) == 0);
    }
    end();

    begin("pthread_cancel: who has closed a stream can be cancelled");
    received = 0;
    first = start(MORE_URGENT, writes, NULL);
    while (received < 2 && pthread_kill(first, 0) == 0)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    CHECK(pthread_cancel(first) == 0 && finish(first) == PTHREAD_CANCELED && received == 2 && !has_passed);
    end();

    begin("pthread_cancel, open: who is cancelled while a server opens a file leaves none open there");
    for (long after = 0; after < 120000; after += 3000) {
        first = start(LESS_URGENT, opens_file, NULL);
        nanosleep(&(struct timespec){0, after}, NULL);
        CHECK(pthread_cancel(first) == 0 && finish(first) == PTHREAD_CANCELED);
    }
    {
        int files[4];
        for (int n = 0; n < 4; n++)
            CHECK((files[n] = open("/ram/stream", O_RDONLY)) >= 0);
        for (int n = 0; n < 4; n++)
            CHECK(close(files[n]) == 0);
    }
    end();

    begin("pthread_cancel: none is lost at a cancellation point in a handler that interrupts another one");
    CHECK(pipe(ends) == 0 && sigaction(SIGUSR1, &cancels, NULL) == 0);
    first = start(MORE_URGENT, takes_uncancelled, NULL);
    CHECK(pthread_kill(first, SIGUSR1) == 0 && has_come);
    CHECK(finish(first) == PTHREAD_CANCELED && !has_passed);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    end();

    begin("pthread_cancel: interrupts nobody who has disabled it, whatever was handled before");
    CHECK(sigaction(SIGUSR1, &passes, NULL) == 0);
    first = start(MORE_URGENT, takes_disabled, NULL);
    CHECK(has_come && pthread_cancel(first) == 0 && !has_passed);
    CHECK(sem_post(&sem) == 0 && finish(first) == NULL && has_passed);
    end();

    begin("pthread_cancel, pthread_join: who waits for the end of a thread that waits for it until a moment");
    has_passed = false;
    first = start(MORE_URGENT, joins_who_waits, NULL);
    CHECK(pthread_cancel(first) == 0 && finish(first) == PTHREAD_CANCELED && !has_passed);
    CHECK(pthread_join(waits_for_it, &value) == 0 && value == NULL);
    end();

    begin("pthread_cancel, open: who is cancelled in an open of a FIFO leaves no descriptor and no end");
    CHECK(mkfifo("/pipe/late", 0600) == 0);
    for (int turn = 0; turn < 30; turn++) {
        first = start(MORE_URGENT, opens, NULL);
        CHECK(pthread_cancel(first) == 0 && finish(first) == PTHREAD_CANCELED);
    }
    CHECK(FAILS(open("/pipe/late", O_WRONLY | O_NONBLOCK), ENXIO));
    CHECK(unlink("/pipe/late") == 0);
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent) == 0);
    end();

    completes();
    signals_amid_requests();
    signals_amid_ends();
}
