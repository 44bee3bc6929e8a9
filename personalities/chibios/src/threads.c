/* Threads. */

#include <ch.h>

#include "priority.h"

thread_t *ch_threads[CH_CFG_THREADS];

/* The kernel's priority of NORMALPRIO. */
static uint32_t normal;

/* The kernel's priority; 0 if there is none. */
static uint32_t level(tprio_t priority)
{
    const uint32_t sum = priority + normal;
    return sum > NORMALPRIO ? sum - NORMALPRIO : 0;
}

static tprio_t priority_of(uint32_t level)
{
    return level + NORMALPRIO - normal;
}

void ch_priority_init(void)
{
    const riposte_error_t error = riposte_thread_schedule(riposte_thread_current(), &normal, NULL);
    if (error != RIPOSTE_OK)
        chSysHalt("ch.h: this process has no spare threads");
}

/* What every thread runs. */
static uint32_t run(void *argument)
{
    thread_t *self = argument;
    self->id = riposte_private_own_id();
    chDbgAssert(riposte_private_own_index() < CH_CFG_THREADS, "ch.h: raise CH_CFG_THREADS");
    ch_threads[riposte_private_own_index()] = self;
    if (self->function_2_4 != NULL)
        chThdExit(self->function_2_4(self->argument));
    self->function(self->argument);
    chThdExit(MSG_OK);
}

/* Starts a thread at one of the kernel's priorities. It is to begin as `fresh` says. */
static riposte_error_t start(void *area, uint32_t kernel_priority, const thread_t *fresh)
{
    const riposte_thread_settings_t settings = {kernel_priority, RIPOSTE_POLICY_FIFO, 0};
    thread_t *thread = area;
    riposte_thread_t id = {0};
    riposte_error_t error;
    *thread = *fresh;
    error = riposte_thread_spawn(run, thread, &settings, &id);
    if (error == RIPOSTE_OK)
        thread->id = id.id;
    return error;
}

thread_t *chThdCreateStatic(void *area, size_t size, tprio_t priority, tfunc_t function, void *argument)
{
    chDbgAssert(size >= sizeof(thread_t), "chThdCreateStatic: the working area is too small");
    const thread_t thread = {.function = function, .argument = argument};
    return start(area, level(priority), &thread) == RIPOSTE_OK ? area : NULL;
}

/* The highest priority that the process may use: what the caller may have for a moment. */
static uint32_t highest(void)
{
    const riposte_thread_t self = riposte_thread_current();
    uint32_t own = normal;
    uint32_t least, most = RIPOSTE_MAX_PRIORITIES - 1;
    riposte_thread_schedule(self, &own, NULL);
    least = own;
    while (least < most) {
        const uint32_t middle = (least + most + 1) / 2;
        if (riposte_thread_set_priority(self, middle, NULL) == RIPOSTE_OK)
            least = middle;
        else
            most = middle - 1;
    }
    riposte_thread_set_priority(self, own, NULL);
    return least;
}

thread_t *ch_thread_create_highest(void *area, tfunc_t function)
{
    const thread_t thread = {.function = function};
    return start(area, highest(), &thread) == RIPOSTE_OK ? area : NULL;
}

tprio_t chThdGetPriorityX(void)
{
    uint32_t priority = normal;
    riposte_thread_schedule(riposte_thread_current(), &priority, NULL);
    return priority_of(priority);
}

tprio_t chThdSetPriority(tprio_t priority)
{
    uint32_t before = normal;
    const riposte_error_t error =
        riposte_thread_set_priority(riposte_thread_current(), level(priority), &before);
    chDbgAssert(error == RIPOSTE_OK, "chThdSetPriority: the process may not have this priority");
    return priority_of(before);
}

/* Sleeps until a moment, whatever ends a sleep early. */
static void sleep_until(uint64_t moment)
{
    while (riposte_clock() < moment)
        riposte_sleep_until(moment);
}

void chThdSleep(sysinterval_t time)
{
    sleep_until(ch_deadline(time));
}

/* Until the tick begins, and not for as long as ticks were left in the middle of one. */
void chThdSleepUntil(systime_t time)
{
    const uint64_t now = ch_ticks();
    sleep_until(ch_nanoseconds(now + chTimeDiffX((systime_t)now, time)));
}

systime_t chThdSleepUntilWindowed(systime_t previous, systime_t next)
{
    const systime_t now = chVTGetSystemTimeX();
    if (chTimeIsInRangeX(now, previous, next))
        chThdSleepUntil(next);
    return next;
}

void chThdExit(msg_t message)
{
    riposte_word_store(&chThdGetSelfX()->ended, 1);
    riposte_thread_exit((uint32_t)message);
}

msg_t chThdWait(thread_t *thread)
{
    const riposte_thread_t id = {thread->id};
    uint32_t message = 0;
    const riposte_error_t error = riposte_thread_join_until(id, RIPOSTE_FOREVER, &message);
    chDbgAssert(error == RIPOSTE_OK, "chThdWait: no thread that could be waited for");
    return (msg_t)message;
}

thread_t *ch_thread_create_2_4(void *area, size_t size, tprio_t priority, ch_tfunc_2_4_t function,
                               void *argument)
{
    chDbgAssert(size >= sizeof(thread_t), "chThdCreateStatic: the working area is too small");
    const thread_t thread = {.function_2_4 = function, .argument = argument};
    return start(area, level(priority), &thread) == RIPOSTE_OK ? area : NULL;
}
