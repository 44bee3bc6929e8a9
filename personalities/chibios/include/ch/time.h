/* System time: ticks of CH_CFG_ST_FREQUENCY hertz, of which the kernel has none. Included by ch.h. */

#ifndef CH_TIME_H
#define CH_TIME_H

#define TIME_IMMEDIATE ((sysinterval_t)0)
#define TIME_INFINITE ((sysinterval_t)-1)
#define TIME_MAX_INTERVAL ((sysinterval_t)-2)
#define TIME_MAX_SYSTIME ((systime_t)-1)

/* Ticks of a number of units, of which a second has `units`: rounded up, so that nobody waits for
 * less. */
#define CH_TICKS(count, units)                                                                       \
    (((time_conv_t)(count) * CH_CFG_ST_FREQUENCY + (units) - 1) / (units))
/* Units of a number of ticks, rounded up. */
#define CH_UNITS(ticks, units)                                                                       \
    (((time_conv_t)(ticks) * (units) + CH_CFG_ST_FREQUENCY - 1) / CH_CFG_ST_FREQUENCY)

#define TIME_S2I(seconds) ((sysinterval_t)CH_TICKS(seconds, 1))
#define TIME_MS2I(milliseconds) ((sysinterval_t)CH_TICKS(milliseconds, 1000))
#define TIME_US2I(microseconds) ((sysinterval_t)CH_TICKS(microseconds, 1000000))
#define TIME_I2S(ticks) ((time_secs_t)CH_UNITS(ticks, 1))
#define TIME_I2MS(ticks) ((time_msecs_t)CH_UNITS(ticks, 1000))
#define TIME_I2US(ticks) ((time_usecs_t)CH_UNITS(ticks, 1000000))

#define CH_SECOND UINT64_C(1000000000)

/* Nanoseconds of a number of ticks, rounded up: at that moment, so many have passed. */
RIPOSTE_PRIVATE_INLINE uint64_t ch_nanoseconds(uint64_t ticks)
{
    if (CH_SECOND % CH_CFG_ST_FREQUENCY == 0)
        return ticks * (CH_SECOND / CH_CFG_ST_FREQUENCY);
    return ticks / CH_CFG_ST_FREQUENCY * CH_SECOND
           + (ticks % CH_CFG_ST_FREQUENCY * CH_SECOND + CH_CFG_ST_FREQUENCY - 1) / CH_CFG_ST_FREQUENCY;
}

/* Until when a call waits that waits for so long. */
RIPOSTE_PRIVATE_INLINE riposte_deadline_t ch_deadline(sysinterval_t timeout)
{
    if (timeout == TIME_INFINITE)
        return RIPOSTE_FOREVER;
    if (timeout == TIME_IMMEDIATE)
        return RIPOSTE_IMMEDIATE;
    return riposte_clock() + ch_nanoseconds(timeout);
}

/* Whole ticks of a number of nanoseconds. */
uint64_t ch_ticks_of(uint64_t nanoseconds);

/* The system time before it wraps. */
uint64_t ch_ticks(void);

/** Tells the system time. It wraps.
 *
 * @return Ticks since the kernel's start.
 * @blocks Never.
 * @from Any thread. */
systime_t chVTGetSystemTimeX(void);
#define chVTGetSystemTime() chVTGetSystemTimeX()

typedef uint64_t systimestamp_t;

/** Tells the system time in 64 bits, which do not wrap.
 *
 * @return Ticks since chVTResetTimeStamp, or the kernel's start.
 * @blocks Never.
 * @from Any thread. */
systimestamp_t chVTGetTimeStamp(void);
#define chVTGetTimeStampI() chVTGetTimeStamp()

/** Counts the time of chVTGetTimeStamp from now.
 *
 * @blocks Never.
 * @from Any thread, while no other calls it or chVTGetTimeStamp. */
void chVTResetTimeStamp(void);
#define chVTResetTimeStampI() chVTResetTimeStamp()

/** Tells how much later `end` is than `start`.
 *
 * @return Ticks. */
RIPOSTE_PRIVATE_INLINE sysinterval_t chTimeDiffX(systime_t start, systime_t end)
{
    return end - start;
}

/** Tells the time an interval after another.
 *
 * @return The time. */
RIPOSTE_PRIVATE_INLINE systime_t chTimeAddX(systime_t time, sysinterval_t interval)
{
    return time + interval;
}

/** Tells whether a time is at or after `start` and before `end`, which may be after a wrap.
 *
 * @return Whether it is. */
RIPOSTE_PRIVATE_INLINE bool chTimeIsInRangeX(systime_t time, systime_t start, systime_t end)
{
    return chTimeDiffX(start, time) < chTimeDiffX(start, end);
}

/** Tells how long ago a time was.
 *
 * @return Ticks.
 * @blocks Never. */
#define chVTTimeElapsedSinceX(start) chTimeDiffX((start), chVTGetSystemTimeX())

/** Tells whether it is now `start` or later, and before `end`.
 *
 * @return Whether it is.
 * @blocks Never. */
#define chVTIsSystemTimeWithinX(start, end) chTimeIsInRangeX(chVTGetSystemTimeX(), (start), (end))
#define chVTIsSystemTimeWithin(start, end) chVTIsSystemTimeWithinX((start), (end))

/* What was converted. More than there may be stops the process. */
uint32_t ch_converted(time_conv_t value, uint32_t most);

/* The conversions as functions, which look at what the macros cut off. */
#define CH_CONVERSION(name, to, from, convert, units, most)                                          \
    RIPOSTE_PRIVATE_INLINE to name(from value)                                                       \
    {                                                                                                \
        return ch_converted(convert(value, units), (most));                                          \
    }
CH_CONVERSION(chTimeS2I, sysinterval_t, time_secs_t, CH_TICKS, 1, TIME_MAX_INTERVAL)
CH_CONVERSION(chTimeMS2I, sysinterval_t, time_msecs_t, CH_TICKS, 1000, TIME_MAX_INTERVAL)
CH_CONVERSION(chTimeUS2I, sysinterval_t, time_usecs_t, CH_TICKS, 1000000, TIME_MAX_INTERVAL)
CH_CONVERSION(chTimeI2S, time_secs_t, sysinterval_t, CH_UNITS, 1, UINT32_MAX)
CH_CONVERSION(chTimeI2MS, time_msecs_t, sysinterval_t, CH_UNITS, 1000, UINT32_MAX)
CH_CONVERSION(chTimeI2US, time_usecs_t, sysinterval_t, CH_UNITS, 1000000, UINT32_MAX)
#undef CH_CONVERSION

#endif
