#include "check.h"

static virtual_timer_t first, second;
static time_measurement_t measurement, other;

static void nothing(void *argument)
{
    (void)argument;
}

void times(void)
{
    sysinterval_t left = 0;
    systimestamp_t stamp;
    systime_t before;
    uint64_t moment;

    begin("it is told how long it is until a timer is due, and which is the first");
    chVTObjectInit(&first);
    chVTObjectInit(&second);
    CHECK(!chVTGetTimersStateI(&left) && left == 0 && !chVTGetTimersStateI(NULL));
    chVTSet(&second, TIME_S2I(9), nothing, NULL);
    chVTDoSetI(&first, TIME_S2I(5), nothing, NULL);
    left = chVTGetRemainingIntervalI(&first);
    moment = riposte_clock();
    CHECK(left > TIME_S2I(4) && left <= TIME_S2I(5));
    /* Rounded up: it is due by then. */
    CHECK(moment + left * UINT64_C(100000) >= first.when);
    CHECK(chVTGetRemainingIntervalI(&second) - left > TIME_S2I(3));
    CHECK(chVTGetTimersStateI(&left) && left > TIME_S2I(4) && left <= TIME_S2I(5) && chVTGetTimersStateI(NULL));
    CHECK(!chSysIntegrityCheckI(CH_INTEGRITY_RLIST | CH_INTEGRITY_VTLIST | CH_INTEGRITY_REGISTRY | CH_INTEGRITY_PORT));
    /* As if somebody had written over it. */
    first.when = second.when + 1;
    CHECK(chSysIntegrityCheckI(CH_INTEGRITY_VTLIST) && !chSysIntegrityCheckI(CH_INTEGRITY_REGISTRY));
    first.when = 0;
    CHECK(chVTGetRemainingIntervalI(&first) == 0);
    chVTDoResetI(&first);
    chVTReset(&second);
    CHECK(!chVTGetTimersStateI(NULL));
    end();

    begin("the longest delay of a timer is not over before its time");
    chVTSet(&first, TIME_MAX_INTERVAL, nothing, NULL);
    chThdSleepMilliseconds(1);
    CHECK(chVTIsArmed(&first) && chVTGetRemainingIntervalI(&first) > TIME_MAX_INTERVAL - 1000);
    chVTReset(&first);
    end();

    begin("a time stamp counts on from where it was reset");
    stamp = chVTGetTimeStamp();
    before = chVTGetSystemTimeX();
    CHECK((systime_t)stamp - before < 10 || before - (systime_t)stamp < 10);
    chThdSleep(20);
    CHECK(chVTGetTimeStampI() >= stamp + 20);
    chVTResetTimeStamp();
    CHECK(chVTGetTimeStamp() < 20);
    end();

    begin("a measurement keeps the best, the worst, the last and the sum");
    chTMObjectInit(&measurement);
    chTMObjectInit(&other);
    CHECK(measurement.n == 0 && measurement.best == UINT32_MAX && measurement.worst == 0);
    chTMStartMeasurementX(&measurement);
    chSysPolledDelayX(200000);
    chTMChainMeasurementToX(&measurement, &other);
    CHECK(measurement.n == 1 && measurement.last >= 200000 && measurement.best == measurement.last);
    chTMStartMeasurementX(&measurement);
    chTMStopMeasurementX(&measurement);
    chTMStopMeasurementX(&other);
    CHECK(measurement.n == 2 && measurement.last < 200000 && measurement.best == measurement.last);
    CHECK(measurement.worst >= 200000 && measurement.cumulative == (rttime_t)measurement.worst + measurement.best);
    CHECK(other.n == 1 && other.last >= measurement.last && other.best == other.worst);
    moment = riposte_clock();
    chSysPolledDelayX(100000);
    CHECK(riposte_clock() - moment >= 100000);
    CHECK(chSysIsCounterWithinX(2, (rtcnt_t)-3, 4) && !chSysIsCounterWithinX(4, (rtcnt_t)-3, 4));
    end();

    begin("the conversions of time are there as functions, and do not overflow where the macros do not");
    CHECK(chTimeS2I(3) == 30000 && chTimeMS2I(1) == 10 && chTimeUS2I(101) == 2);
    CHECK(chTimeI2S(10001) == 2 && chTimeI2MS(15) == 2 && chTimeI2US(3) == 300);
    CHECK(chTimeMS2I(400000000) == 4000000000 && chTimeUS2I(UINT32_MAX) == 42949673);
    end();
}
