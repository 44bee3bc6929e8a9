/* Makes memory for frames as large as it finds itself to need, and fills it. When its mode changes, it makes another one of
 * the same name; the screen keeps the old one for as long as it looks at it. */

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../frame.h"

static const struct frame modes[] = {{0, 64, 48}, {0, 80, 60}, {0, 160, 120}};

/* Memory for frames of a mode; NULL if there is none. */
static struct frame *make(const struct frame *mode)
{
    const size_t length = sizeof *mode + (size_t)mode->width * mode->height;
    const int memory = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
    struct frame *frame = MAP_FAILED;
    if (memory < 0) {
        perror("camera: shm_open");
        return NULL;
    }
    if (ftruncate(memory, (off_t)length) == 0)
        frame = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    else
        printf("camera: a frame of %u x %u has no room in a block\n", mode->width, mode->height);
    close(memory);
    if (frame == MAP_FAILED) {
        shm_unlink(NAME);
        return NULL;
    }
    *frame = *mode;
    printf("camera: made %s of %u bytes\n", NAME, (unsigned)length);
    return frame;
}

int main(void)
{
    sem_t *const ready = sem_open("/ready", O_CREAT, 0600, 0), *const shown = sem_open("/shown", O_CREAT, 0600, 0);
    for (size_t mode = 0; mode < sizeof modes / sizeof *modes; mode++) {
        struct frame *const frame = make(&modes[mode]);
        if (!frame)
            break;
        for (uint32_t number = 1; number <= 2; number++) {
            const size_t pixels = (size_t)frame->width * frame->height;
            /* Here a device would be read. */
            memset(frame + 1, (int)(10 * (mode + 1) + number), pixels);
            frame->number = number;
            sem_post(ready);
            sem_wait(shown);
        }
        shm_unlink(NAME);
        munmap(frame, sizeof *frame + (size_t)modes[mode].width * modes[mode].height);
    }
    /* There is nothing to come. */
    sem_post(ready);
    return 0;
}
