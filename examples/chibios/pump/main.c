/* A pump: one thread samples the pressure, another one switches the pump, and a virtual timer would say
 * so if there were no samples for too long. */

#include <stdio.h>

#include <ch.h>

#define SAMPLES 6
#define TOO_MUCH 40

enum { SWITCHED = EVENT_MASK(0), SILENT = EVENT_MASK(1) };

static THD_WORKING_AREA(sampler_area, 256);
static THD_WORKING_AREA(controller_area, 256);
static msg_t letters[4];
static MAILBOX_DECL(readings, letters, 4);
static MUTEX_DECL(state);
static bool is_on;
static thread_t *watcher;

static void silent(void *argument)
{
    (void)argument;
    chSysLockFromISR();
    chEvtSignalI(watcher, SILENT);
    chSysUnlockFromISR();
}

static THD_FUNCTION(sampler, argument)
{
    static const msg_t pressure[SAMPLES] = {10, 30, 50, 60, 20, 10};
    systime_t time = chVTGetSystemTimeX();
    (void)argument;
    for (int sample = 0; sample < SAMPLES; sample++) {
        chMBPostTimeout(&readings, pressure[sample], TIME_INFINITE);
        time = chThdSleepUntilWindowed(time, time + TIME_MS2I(5));
    }
}

static THD_FUNCTION(controller, argument)
{
    virtual_timer_t timeout;
    (void)argument;
    chVTObjectInit(&timeout);
    for (int sample = 0; sample < SAMPLES; sample++) {
        msg_t pressure;
        bool before;
        chVTSet(&timeout, TIME_MS2I(100), silent, NULL);
        chMBFetchTimeout(&readings, &pressure, TIME_INFINITE);
        chMtxLock(&state);
        before = is_on;
        is_on = pressure < TOO_MUCH;
        chMtxUnlock(&state);
        if (is_on != before)
            chEvtSignal(watcher, SWITCHED);
    }
    chVTReset(&timeout);
}

int main(void)
{
    thread_t *threads[2];
    chSysInit();
    watcher = chThdGetSelfX();
    threads[0] = chThdCreateStatic(controller_area, sizeof controller_area, NORMALPRIO + 2, controller, NULL);
    threads[1] = chThdCreateStatic(sampler_area, sizeof sampler_area, NORMALPRIO + 1, sampler, NULL);
    if (threads[0] == NULL || threads[1] == NULL)
        chSysHalt("app.toml gives this process too few spare threads");
    for (int change = 0; change < 3; change++) {
        const eventmask_t events = chEvtWaitAnyTimeout(SWITCHED | SILENT, TIME_S2I(1));
        if (events != SWITCHED)
            chSysHalt("the sampler is silent");
        chMtxLock(&state);
        printf("the pump is %s\n", is_on ? "on" : "off");
        chMtxUnlock(&state);
    }
    chThdWait(threads[1]);
    chThdWait(threads[0]);
    fflush(stdout);
    return (int)riposte_shutdown(0);
}
