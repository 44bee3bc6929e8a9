/* Measurement of time. */

#include <ch.h>

void chSysPolledDelayX(rtcnt_t count)
{
    const rtcnt_t start = chSysGetRealtimeCounterX();
    while (chSysIsCounterWithinX(chSysGetRealtimeCounterX(), start, start + count))
        continue;
}

void chTMObjectInit(time_measurement_t *measurement)
{
    const time_measurement_t none = {.best = UINT32_MAX};
    *measurement = none;
}

void chTMStartMeasurementX(time_measurement_t *measurement)
{
    measurement->began = chSysGetRealtimeCounterX();
}

static void add(time_measurement_t *measurement, rtcnt_t now)
{
    const rtcnt_t last = now - measurement->began;
    measurement->last = last;
    measurement->n++;
    measurement->cumulative += last;
    if (last > measurement->worst)
        measurement->worst = last;
    if (last < measurement->best)
        measurement->best = last;
}

void chTMStopMeasurementX(time_measurement_t *measurement)
{
    add(measurement, chSysGetRealtimeCounterX());
}

void chTMChainMeasurementToX(time_measurement_t *ends, time_measurement_t *begins)
{
    const rtcnt_t now = chSysGetRealtimeCounterX();
    add(ends, now);
    begins->began = now;
}
