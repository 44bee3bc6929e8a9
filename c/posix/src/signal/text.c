/* Signals in words. The C library's own counts them otherwise. */

#include <stdio.h>
#include <string.h>

#include "signals.h"

static const char *const texts[SIGRTMIN] = {
    [SIGHUP] = "Hangup",
    [SIGINT] = "Interrupt",
    [SIGQUIT] = "Quit",
    [SIGILL] = "Illegal instruction",
    [SIGTRAP] = "Trace trap",
    [SIGABRT] = "Aborted",
    [SIGBUS] = "Bus error",
    [SIGFPE] = "Arithmetic error",
    [SIGKILL] = "Killed",
    [SIGUSR1] = "User signal 1",
    [SIGSEGV] = "Invalid memory reference",
    [SIGUSR2] = "User signal 2",
    [SIGPIPE] = "Broken pipe",
    [SIGALRM] = "Alarm clock",
    [SIGTERM] = "Terminated",
    [SIGCHLD] = "Child ended",
    [SIGCONT] = "Continued",
    [SIGSTOP] = "Stopped",
    [SIGTSTP] = "Stopped by a terminal",
    [SIGTTIN] = "Stopped at terminal input",
    [SIGTTOU] = "Stopped at terminal output",
    [SIGURG] = "Urgent data",
    [SIGXCPU] = "Processor time limit exceeded",
    [SIGXFSZ] = "File size limit exceeded",
    [SIGVTALRM] = "Virtual timer expired",
    [SIGPROF] = "Profiling timer expired",
    [SIGPOLL] = "Input or output possible",
    [SIGSYS] = "Bad system call",
};

char *strsignal(int number)
{
    /* Not to be changed: that it is no constant is the standard's. */
    static char queued[] = "Queued signal 00";
    const unsigned from_first = (unsigned)(number - SIGRTMIN);
    if (is_in_range(number) && number < SIGRTMIN && texts[number])
        return (char *)(uintptr_t)texts[number];
    if (!is_in_range(number) || number < SIGRTMIN)
        return (char *)(uintptr_t)"Unknown signal";
    queued[sizeof queued - 3] = (char)('0' + from_first / 10);
    queued[sizeof queued - 2] = (char)('0' + from_first % 10);
    return queued;
}

void psignal(int number, const char *message)
{
    const bool has_message = message && *message;
    fprintf(stderr, "%s%s%s\n", has_message ? message : "", has_message ? ": " : "", strsignal(number));
}

void psiginfo(const siginfo_t *info, const char *message)
{
    psignal(info->si_signo, message);
}
