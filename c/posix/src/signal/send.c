/* Sending signals: to the own process and its threads, to those of the manifest, and to those that were spawned. */

#include <pthread.h>
#include <unistd.h>

#include "../process/manager.h"
#include "signals.h"

static const riposte_signal_target_t itself = {RIPOSTE_SIGNAL_OWN};

/* No process that begins with the system has a larger PID. */
#define PROCESSES 255

static int error_of(riposte_error_t error)
{
    switch (error) {
    case RIPOSTE_OK:
        return 0;
    case RIPOSTE_ERROR_EXHAUSTED:
        return EAGAIN;
    case RIPOSTE_ERROR_BAD_HANDLE:
    case RIPOSTE_ERROR_PEER_DIED:
        return ESRCH;
    case RIPOSTE_ERROR_NOT_PERMITTED:
        return EPERM;
    case RIPOSTE_ERROR_BAD_CALL:
        return ENOSYS;
    default:
        return EINVAL;
    }
}

/* A process that begins with the system has its place in the manifest, and 1, for its PID. */
static int send_by_name(pid_t process, int number, uint32_t word)
{
    const char *const name = riposte_name_of_process((uint32_t)process - 1);
    riposte_signal_target_t target;
    if (!name)
        return ESRCH;
    if (riposte_signal_target(name, &target) != RIPOSTE_OK)
        return EPERM;
    return number ? error_of(riposte_signal_send(target, (uint32_t)number, word)) : 0;
}

/* Whether that is a child that has ended, and that nobody has waited for yet. */
static bool has_ended(pid_t process)
{
    /* The next place of the manager's list, a PID, whose child it is, and whether it has ended. */
    uint32_t listed[4] = {0};
    ssize_t length;
    int looks = 0;
    do
        length = posix_ask_manager(MANAGER_LIST, listed[0], NULL, 0, listed, sizeof listed);
    while (length == sizeof listed && listed[1] != (uint32_t)process && ++looks < PROCESSES);
    return length == sizeof listed && listed[1] == (uint32_t)process && listed[3];
}

/* One that was spawned has one that its process manager knows. */
static int send_by_manager(pid_t process, int number)
{
    const ssize_t error = posix_ask_manager(MANAGER_KILL | (uint32_t)number << MANAGER_ARGUMENT, (uint32_t)process,
                                            NULL, 0, NULL, 0);
    /* It is there as long, and nothing comes of a signal. */
    if (error == -ESRCH && process > PROCESSES && has_ended(process))
        return 0;
    return error < 0 ? (int)-error : 0;
}

/* A personality's processes of other nodes: what became of a signal to one, an error or 0; -1 if the number is none of theirs. */
int posix_signal_elsewhere(pid_t process, int number, uint32_t word) __attribute__((weak));

static int send(pid_t process, int number, uint32_t word, bool has_value)
{
    int error;

    if (number && !is_signal(number))
        return EINVAL;
    if (process < 0)
        return process == -1 ? EPERM : ESRCH;
    /* The caller is alone in its group. */
    if (process == 0 || process == getpid()) {
        if (!number)
            return 0;
        if (!posix_has_signals()) {
            posix_signal_act_now((uint32_t)number, word);
            return 0;
        }
        return error_of(riposte_signal_send(itself, (uint32_t)number, word));
    }
    error = posix_signal_elsewhere ? posix_signal_elsewhere(process, number, word) : -1;
    if (error >= 0)
        return error;
    /* A process manager brings no values. Without a signal it says whether there is such a process. */
    error = number && has_value ? ENOSYS : send_by_manager(process, number);
    if (!error || process > PROCESSES)
        return error == ENOSYS ? ESRCH : error;
    return send_by_name(process, number, word);
}

int kill(pid_t process, int number)
{
    const int error = send(process, number, 0, false);
    return error ? posix_fail(error) : 0;
}

int sigqueue(pid_t process, int number, union sigval value)
{
    const int error = send(process, number, (uint32_t)value.sival_int, true);
    return error ? posix_fail(error) : 0;
}

int pthread_kill(pthread_t thread, int number)
{
    struct sched_param param;
    int policy;
    if (number && !is_signal(number))
        return EINVAL;
    if (!number)
        /* The caller is there, also where no thread's schedule can be asked for. */
        return pthread_equal(thread, pthread_self()) ? 0 : pthread_getschedparam(thread, &policy, &param);
    if (!posix_has_signals())
        return ENOSYS;
    return error_of(riposte_signal_send_thread((riposte_thread_t){thread}, (uint32_t)number, 0));
}

int raise(int number)
{
    int error = 0;
    if (number)
        error = is_signal(number) ? error_of(posix_raise((uint32_t)number)) : EINVAL;
    return error ? posix_fail(error) : 0;
}
