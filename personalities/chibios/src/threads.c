/* Threads. */

#include <ch.h>

#include "priority.h"
#include "registered.h"

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
    while (riposte_word_load(&self->held) != 0)
        ch_wait(&self->held, 1);
    if (self->function_2_4 != NULL)
        chThdExit(self->function_2_4(self->argument));
    self->function(self->argument);
    chThdExit(MSG_OK);
}

/* Starts a thread at one of the kernel's priorities. It is to begin as `fresh` says. */
static riposte_error_t spawn(void *area, uint32_t kernel_priority, const thread_t *fresh)
{
    const riposte_thread_settings_t settings = {kernel_priority, RIPOSTE_POLICY_FIFO, 0};
    thread_t *thread = area;
    riposte_thread_t id = {0};
    riposte_error_t error;
    ch_registry_check_free(area);
    *thread = *fresh;
    /* Until its id is noted: by then it may have ended, and nobody else may refer to it. */
    thread->references++;
    ch_registry_add(thread);
    error = riposte_thread_spawn(run, thread, &settings, &id);
    if (error == RIPOSTE_OK) {
        thread->id = id.id;
        chThdRelease(thread);
    } else {
        ch_registry_remove(thread);
    }
    return error;
}

thread_t *ch_thread_create(void *area, size_t size, tprio_t priority, const thread_t *fresh)
{
    chDbgAssert(size >= sizeof(thread_t), "ch.h: the working area is too small");
    return spawn(area, level(priority), fresh) == RIPOSTE_OK ? area : NULL;
}

thread_t *chThdCreateStatic(void *area, size_t size, tprio_t priority, tfunc_t function, void *argument)
{
    const thread_t thread = {.function = function, .argument = argument, .references = 1};
    return ch_thread_create(area, size, priority, &thread);
}

static thread_t *create_as_described(const thread_descriptor_t *descriptor, bool is_held)
{
    const size_t size = (size_t)((uint8_t *)descriptor->wend - (uint8_t *)descriptor->wbase);
    const thread_t thread = {.function = descriptor->funcp,
                             .argument = descriptor->arg,
                             .name = descriptor->name,
                             .references = 1,
                             .held = is_held};
    return ch_thread_create(descriptor->wbase, size, descriptor->prio, &thread);
}

thread_t *chThdCreate(const thread_descriptor_t *descriptor)
{
    return create_as_described(descriptor, false);
}

thread_t *chThdCreateSuspended(const thread_descriptor_t *descriptor)
{
    return create_as_described(descriptor, true);
}

thread_t *chThdStart(thread_t *thread)
{
    chDbgAssert(riposte_word_load(&thread->held) != 0, "chThdStart: a thread that was started before");
    riposte_word_store(&thread->held, 0);
    ch_wake(&thread->held);
    return thread;
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

uint32_t ch_priority_raise(void)
{
    static uint32_t most;
    uint32_t before = normal;
    if (riposte_word_load(&most) == 0)
        riposte_word_store(&most, highest());
    riposte_thread_set_priority(riposte_thread_current(), most, &before);
    return before;
}

void ch_priority_restore(uint32_t before)
{
    riposte_thread_set_priority(riposte_thread_current(), before, NULL);
}

thread_t *ch_thread_create_highest(void *area, tfunc_t function)
{
    const thread_t thread = {.function = function, .references = 1};
    return spawn(area, highest(), &thread) == RIPOSTE_OK ? area : NULL;
}

tprio_t chThdGetPriorityX(void)
{
    uint32_t priority = normal;
    riposte_thread_effective_priority(&priority);
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

/* Until the tick `time` behind `now` begins, and not for as long as ticks were left in the middle of one. */
static void sleep_until_tick(uint64_t now, systime_t time)
{
    sleep_until(ch_nanoseconds(now + chTimeDiffX((systime_t)now, time)));
}

void chThdSleepUntil(systime_t time)
{
    sleep_until_tick(ch_ticks(), time);
}

systime_t chThdSleepUntilWindowed(systime_t previous, systime_t next)
{
    /* Once: behind `next` it would be a whole round of the ticks away. */
    const uint64_t now = ch_ticks();
    if (chTimeIsInRangeX((systime_t)now, previous, next))
        sleep_until_tick(now, next);
    return next;
}

void chThdSleepS(sysinterval_t time)
{
    chSysUnlock();
    chThdSleep(time);
    chSysLock();
}

void chSchDoYieldS(void)
{
    chSysUnlock();
    chThdYield();
    chSysLock();
}

void chThdExit(msg_t message)
{
    thread_t *const self = chThdGetSelfX();
    self->exit_message = message;
    if (ch_registry_end(self)) {
        const riposte_thread_t id = {self->id};
        riposte_thread_detach(id);
        ch_thread_give_back(self);
    } else {
        ch_wake_all(&self->ended);
    }
    riposte_thread_exit((uint32_t)message);
}

void chThdExitS(msg_t message)
{
    chSysUnlock();
    chThdExit(message);
}

void ch_thread_give_back(thread_t *thread)
{
    if (thread->give_back != NULL)
        thread->give_back(thread->given_by, thread);
}

/* Waits in the kernel for a thread that is on its last steps, to which nobody refers any more. */
static void join(const thread_t *thread)
{
    const riposte_thread_t id = {thread->id};
    riposte_error_t error;
    do
        error = riposte_thread_join_until(id, RIPOSTE_FOREVER, NULL);
    while (error == RIPOSTE_ERROR_INTERRUPTED);
    chDbgAssert(error == RIPOSTE_OK, "chThdWait: no thread that could be waited for");
}

msg_t chThdWait(thread_t *thread)
{
    msg_t message;
    chDbgAssert(thread != chThdGetSelfX(), "chThdWait: a thread would wait for itself");
    /* Not in the kernel, where who waits lends its priority: as in ChibiOS, what is to be done runs in its own order. */
    while (riposte_word_load(&thread->ended) == 0)
        ch_wait(&thread->ended, 0);
    message = thread->exit_message;
    chThdRelease(thread);
    return message;
}

thread_t *chThdAddRef(thread_t *thread)
{
    ch_registry_refer(thread);
    return thread;
}

void chThdRelease(thread_t *thread)
{
    if (ch_registry_release(thread)) {
        /* Nobody knows of it any more. It may be on its last steps. */
        join(thread);
        ch_thread_give_back(thread);
    }
}

thread_t *ch_thread_create_2_4(void *area, size_t size, tprio_t priority, ch_tfunc_2_4_t function,
                               void *argument)
{
    const thread_t thread = {.function_2_4 = function, .argument = argument, .references = 1};
    return ch_thread_create(area, size, priority, &thread);
}

thread_t *ch_thread_create_suspended_2_4(void *area, size_t size, tprio_t priority, ch_tfunc_2_4_t function,
                                         void *argument)
{
    const thread_t thread = {.function_2_4 = function, .argument = argument, .references = 1, .held = true};
    return ch_thread_create(area, size, priority, &thread);
}
