/* Measurement of time, and the real-time counter, which counts nanoseconds. Included by ch.h. */

#ifndef CH_MEASUREMENT_H
#define CH_MEASUREMENT_H

typedef uint32_t rtcnt_t;
typedef uint64_t rttime_t;

/* What was measured, in nanoseconds. */
typedef struct ch_time_measurement {
    rtcnt_t best;
    rtcnt_t worst;
    rtcnt_t last;
    ucnt_t n; /* measurements */
    rttime_t cumulative;
    rtcnt_t began; /* the one that goes on */
} time_measurement_t;

/* Counts of a counter of `frequency` hertz, as that of chSysGetRealtimeCounterX is one of 1,000,000,000: a fraction of a
 * count in a millisecond, or microsecond, is taken for a whole one. And how long so many counts last, rounded up. */
#define S2RTC(frequency, seconds) ((frequency) * (seconds))
#define MS2RTC(frequency, milliseconds) ((rtcnt_t)(((frequency) + 999) / 1000 * (milliseconds)))
#define US2RTC(frequency, microseconds) ((rtcnt_t)(((frequency) + 999999) / 1000000 * (microseconds)))
#define RTC2S(frequency, count) ((rtcnt_t)(((rttime_t)(count) + (frequency) - 1) / (frequency)))
#define RTC2MS(frequency, count) RTC2S((frequency) / 1000, (count))
#define RTC2US(frequency, count) RTC2S((frequency) / 1000000, (count))

/** Tells the real-time counter. It wraps within 4.3 seconds.
 *
 * @return Nanoseconds, as fine as the board's timer has them.
 * @blocks Never.
 * @from Any thread. */
RIPOSTE_PRIVATE_INLINE rtcnt_t chSysGetRealtimeCounterX(void)
{
    return (rtcnt_t)riposte_clock();
}

/** Tells whether a count is at or after `start` and before `end`, which may be after a wrap. */
RIPOSTE_PRIVATE_INLINE bool chSysIsCounterWithinX(rtcnt_t count, rtcnt_t start, rtcnt_t end)
{
    return (rtcnt_t)(count - start) < (rtcnt_t)(end - start);
}

/** Waits, and does not let less urgent threads run meanwhile.
 *
 * @param count Nanoseconds.
 * @blocks Never. */
void chSysPolledDelayX(rtcnt_t count);

/** Makes a measurement, of which there is none yet.
 *
 * @param measurement Where it is to be. */
void chTMObjectInit(time_measurement_t *measurement);

/** Begins to measure.
 *
 * @param measurement The measurement.
 * @blocks Never.
 * @from Any thread. */
void chTMStartMeasurementX(time_measurement_t *measurement);

/** Ends it, and adds what was measured.
 *
 * @param measurement The measurement, which was begun.
 * @blocks Never.
 * @from Any thread. */
void chTMStopMeasurementX(time_measurement_t *measurement);

/** Ends one measurement, and begins another one at the same moment.
 *
 * @param ends The one.
 * @param begins The other one.
 * @blocks Never.
 * @from Any thread. */
void chTMChainMeasurementToX(time_measurement_t *ends, time_measurement_t *begins);

#endif
