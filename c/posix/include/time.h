/* <time.h>: the C library's, and POSIX's clocks. */

#ifndef RIPOSTE_POSIX_TIME_H
#define RIPOSTE_POSIX_TIME_H

/* What follows is no standard C, and is not warned of. */
#pragma GCC system_header
#include_next <time.h>

/* The C library's own differs by processor. */
#undef CLOCKS_PER_SEC
#define CLOCKS_PER_SEC ((clock_t)1000000)

#if __ISO_C_VISIBLE >= 2011
#define TIME_UTC 1
#ifdef __cplusplus
extern "C"
#endif
int timespec_get(struct timespec *time, int base);
#endif

#if __POSIX_VISIBLE

#ifdef __cplusplus
extern "C" {
#endif

#define CLOCK_MONOTONIC ((clockid_t)4)

int clock_getcpuclockid(pid_t pid, clockid_t *clock);
int clock_getres(clockid_t clock, struct timespec *resolution);
int clock_gettime(clockid_t clock, struct timespec *time);
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
int clock_settime(clockid_t clock, const struct timespec *time);
struct sigevent;
int timer_create(clockid_t clock, struct sigevent *__restrict how, timer_t *__restrict timer);
int timer_delete(timer_t timer);
int timer_getoverrun(timer_t timer);
int timer_gettime(timer_t timer, struct itimerspec *value);
int timer_settime(timer_t timer, int flags, const struct itimerspec *__restrict value,
                  struct itimerspec *__restrict before);
int nanosleep(const struct timespec *time, struct timespec *left);

#ifdef __cplusplus
}
#endif

#endif
#endif
