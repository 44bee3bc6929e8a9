/* <signal.h>: signals, over the kernel's. docs/src/posix.md says what each function does here. The numbers are those of
 * the Rust library, and of other processes. */

#ifndef _SIGNAL_H_
#define _SIGNAL_H_

#include <sys/cdefs.h>
#include <sys/features.h>
#include <sys/types.h>
#include <sys/_sigset.h>
#include <sys/_timespec.h>
#include <riposte/pthread_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef _SIGSET_T_DECLARED
#define _SIGSET_T_DECLARED
typedef __sigset_t sigset_t;
#endif

typedef int sig_atomic_t;

#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
#define SIGCONT 18
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGURG 23
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGPOLL 29
#define SIGSYS 31
/* These are queued, each with a value. */
#define SIGRTMIN 32
#define SIGRTMAX 63
#define NSIG 64

#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
#define SIG_ERR ((void (*)(int))-1)
/* What sigset takes, and returns, of a signal that is masked. */
#define SIG_HOLD ((void (*)(int))2)

/* What sigprocmask does with a set. */
#define SIG_SETMASK 0
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2

#define SA_NOCLDSTOP 0x01
#define SA_SIGINFO 0x02
#define SA_RESTART 0x04
#define SA_NODEFER 0x08
#define SA_RESETHAND 0x10
#define SA_ONSTACK 0x20
/* Has no effect: children are waited for. */
#define SA_NOCLDWAIT 0x40

/* Room for a handler's frame and one small function's below it. */
#define MINSIGSTKSZ 512
#define SIGSTKSZ 1024
#define SS_ONSTACK 1
#define SS_DISABLE 2

/* Of si_code: how a signal came. */
#define SI_USER 1
#define SI_QUEUE 2
#define SI_TIMER 3
#define SI_ASYNCIO 4
#define SI_MESGQ 5

/* Of si_code, too: why the system has sent one. Here faults stop a program, and send nothing; SIGCHLD says SI_USER. */
#define ILL_ILLOPC 0x11
#define ILL_ILLOPN 0x12
#define ILL_ILLADR 0x13
#define ILL_ILLTRP 0x14
#define ILL_PRVOPC 0x15
#define ILL_PRVREG 0x16
#define ILL_COPROC 0x17
#define ILL_BADSTK 0x18
#define FPE_INTDIV 0x21
#define FPE_INTOVF 0x22
#define FPE_FLTDIV 0x23
#define FPE_FLTOVF 0x24
#define FPE_FLTUND 0x25
#define FPE_FLTRES 0x26
#define FPE_FLTINV 0x27
#define FPE_FLTSUB 0x28
#define SEGV_MAPERR 0x31
#define SEGV_ACCERR 0x32
#define BUS_ADRALN 0x41
#define BUS_ADRERR 0x42
#define BUS_OBJERR 0x43
#define TRAP_BRKPT 0x51
#define TRAP_TRACE 0x52
#define CLD_EXITED 0x61
#define CLD_KILLED 0x62
#define CLD_DUMPED 0x63
#define CLD_TRAPPED 0x64
#define CLD_STOPPED 0x65
#define CLD_CONTINUED 0x66
#define POLL_IN 0x71
#define POLL_OUT 0x72
#define POLL_MSG 0x73
#define POLL_ERR 0x74
#define POLL_PRI 0x75
#define POLL_HUP 0x76

#define SIGEV_NONE 1
#define SIGEV_SIGNAL 2
#define SIGEV_THREAD 3

union sigval {
    int sival_int;
    void *sival_ptr;
};

struct sigevent {
    int sigev_notify;
    int sigev_signo;
    union sigval sigev_value;
    void (*sigev_notify_function)(union sigval);
    pthread_attr_t *sigev_notify_attributes;
};

typedef struct {
    int si_signo, si_code, si_errno;
    /* Nobody tells who has sent it, nor of faults and children: these are 0. */
    pid_t si_pid;
    uid_t si_uid;
    void *si_addr;
    int si_status;
    long si_band;
    union sigval si_value;
} siginfo_t;

struct sigaction {
    union {
        void (*__plain)(int);
        void (*__informed)(int, siginfo_t *, void *);
    } __handler;
    int sa_flags;
    sigset_t sa_mask;
};
#define sa_handler __handler.__plain
#define sa_sigaction __handler.__informed

typedef struct {
    void *ss_sp;
    int ss_flags;
    size_t ss_size;
} stack_t;

/* What a handler with SA_SIGINFO has interrupted: its third argument. Nothing is changed by changing it. */
typedef struct {
    /* The kernel's frame of what is interrupted; NULL in an application without signals, whose handlers are called. */
    __uint32_t *__frame;
} mcontext_t;
typedef struct __ucontext {
    struct __ucontext *uc_link;
    /* Masked before, and behind the handler. */
    sigset_t uc_sigmask;
    stack_t uc_stack;
    mcontext_t uc_mcontext;
} ucontext_t;

int kill(pid_t process, int signal);
int killpg(pid_t group, int signal);
void psiginfo(const siginfo_t *info, const char *message);
void psignal(int signal, const char *message);
int pthread_kill(pthread_t thread, int signal);
int pthread_sigmask(int how, const sigset_t *__restrict set, sigset_t *__restrict before);
int raise(int signal);
int sigaction(int signal, const struct sigaction *__restrict action, struct sigaction *__restrict before);
int sigaddset(sigset_t *set, int signal);
int sigaltstack(const stack_t *__restrict stack, stack_t *__restrict before);
int sigdelset(sigset_t *set, int signal);
int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sighold(int signal);
int sigignore(int signal);
int siginterrupt(int signal, int interrupts);
int sigismember(const sigset_t *set, int signal);
void (*signal(int signal, void (*handler)(int)))(int);
int sigpause(int signal);
int sigpending(sigset_t *set);
int sigprocmask(int how, const sigset_t *__restrict set, sigset_t *__restrict before);
int sigqueue(pid_t process, int signal, union sigval value);
int sigrelse(int signal);
void (*sigset(int signal, void (*disposition)(int)))(int);
int sigsuspend(const sigset_t *set);
int sigtimedwait(const sigset_t *__restrict set, siginfo_t *__restrict info, const struct timespec *__restrict timeout);
int sigwait(const sigset_t *__restrict set, int *__restrict signal);
int sigwaitinfo(const sigset_t *__restrict set, siginfo_t *__restrict info);

#ifdef __cplusplus
}
#endif

#endif
