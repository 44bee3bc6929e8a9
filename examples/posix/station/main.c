/* A weather station. A sensor's thread sends samples through a message queue, another thread stores them in a file, and
 * a child, average/, works out their average. ../before.c is the program as it was before it was ported. */

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <riposte.h>

#define SAMPLES 8
#define QUEUE "/samples"
#define FILE_NAME "/tmp/samples"

struct sample {
    unsigned number;
    int tenths;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned stored;
static mqd_t queue;

static void *sensor(void *unused)
{
    const struct timespec period = {0, 10000000};
    struct sample sample;
    (void)unused;
    for (sample.number = 0; sample.number < SAMPLES; sample.number++) {
        /* Here a device would be read. */
        sample.tenths = 200 + (int)(sample.number * sample.number);
        if (mq_send(queue, (const char *)&sample, sizeof sample, 0) != 0)
            perror("mq_send");
        nanosleep(&period, NULL);
    }
    return NULL;
}

static void *store(void *unused)
{
    FILE *file = fopen(FILE_NAME, "w");
    struct sample sample;
    unsigned count;
    (void)unused;
    if (!file) {
        perror(FILE_NAME);
        return NULL;
    }
    for (count = 0; count < SAMPLES; count++) {
        if (mq_receive(queue, (char *)&sample, sizeof sample, NULL) != sizeof sample)
            perror("mq_receive");
        fprintf(file, "%u %d\n", sample.number, sample.tenths);
        pthread_mutex_lock(&lock);
        stored++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    fclose(file);
    return NULL;
}

/* Waits until so many samples are stored, and says so. */
static void wait_for(unsigned count)
{
    pthread_mutex_lock(&lock);
    while (stored < count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    printf("station: %u of %d samples are stored\n", count, SAMPLES);
}

/* Starts the child; its PID, or -1. */
static pid_t start_average(const int ends[2])
{
    char *const arguments[] = {"average", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    error = posix_spawnp(&child, "average", &actions, NULL, arguments, NULL);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error ? -1 : child;
}

int main(void)
{
    struct mq_attr attributes = {0};
    pthread_t threads[2];
    char bytes[32];
    ssize_t count;
    int ends[2], file, status;
    pid_t child;

    attributes.mq_maxmsg = 4;
    attributes.mq_msgsize = sizeof(struct sample);
    queue = mq_open(QUEUE, O_RDWR | O_CREAT, 0600, &attributes);
    if (queue == (mqd_t)-1 || pthread_create(&threads[0], NULL, sensor, NULL) != 0
        || pthread_create(&threads[1], NULL, store, NULL) != 0) {
        perror("station");
        return 1;
    }
    wait_for(SAMPLES / 2);
    wait_for(SAMPLES);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    mq_close(queue);
    mq_unlink(QUEUE);

    fflush(stdout);
    if (pipe(ends) != 0 || (child = start_average(ends)) < 0 || (file = open(FILE_NAME, O_RDONLY)) < 0) {
        perror("station");
        return 1;
    }
    close(ends[0]);
    while ((count = read(file, bytes, sizeof bytes)) > 0)
        if (write(ends[1], bytes, (size_t)count) != count)
            perror("write");
    close(file);
    close(ends[1]);
    if (waitpid(child, &status, 0) == child && WIFEXITED(status))
        printf("station: the average is of %d samples\n", WEXITSTATUS(status));
    unlink(FILE_NAME);
    /* Nothing else is to be done, so the machine stops; a real program would go on. */
    return (int)riposte_shutdown(0);
}
