/* Shows what the camera has taken. It may only read: a store there would end it. */

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <riposte.h>

#include "../frame.h"

/* Maps what the name means now, as long as it is; NULL if it means nothing. */
static const struct frame *look(size_t *length)
{
    const int memory = shm_open(NAME, O_RDONLY, 0);
    struct stat is;
    void *frame = MAP_FAILED;
    if (memory < 0)
        return NULL;
    if (fstat(memory, &is) == 0 && (size_t)is.st_size >= sizeof(struct frame)) {
        *length = (size_t)is.st_size;
        frame = mmap(NULL, *length, PROT_READ, MAP_SHARED, memory, 0);
    }
    close(memory);
    return frame == MAP_FAILED ? NULL : frame;
}

static void show(const struct frame *frame, size_t length)
{
    const unsigned char *const pixels = (const unsigned char *)(frame + 1);
    /* A copy is looked at: the camera may write at any time. */
    const struct frame head = *frame;
    const size_t count = (size_t)head.width * head.height;
    unsigned long sum = 0;
    if (count == 0 || count > length - sizeof head) {
        puts("screen: that is no frame");
        return;
    }
    for (size_t n = 0; n < count; n++)
        sum += pixels[n];
    printf("screen: frame %lu of %u x %u, brightness %lu\n", (unsigned long)head.number, head.width, head.height,
           sum / count);
}

int main(void)
{
    sem_t *const ready = sem_open("/ready", O_CREAT, 0600, 0), *const shown = sem_open("/shown", O_CREAT, 0600, 0);
    for (;;) {
        const struct frame *frame;
        size_t length;
        sem_wait(ready);
        frame = look(&length);
        if (!frame)
            break;
        show(frame, length);
        munmap((void *)(uintptr_t)frame, length);
        sem_post(shown);
    }
    if (shm_open(NAME, O_RDWR | O_CREAT, 0600) < 0)
        perror("screen: to make one");
    return (int)riposte_shutdown(0);
}
