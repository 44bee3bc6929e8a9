/* What becomes of signals: actions, and their dispatcher, to which the kernel brings each. */

#include "signals.h"

#include "../cancel/cancel.h"
#include "../pthread/thread.h"

/* Guards the actions. Who has it masks all signals, so that no handler interrupts it. */
static riposte_mutex_t lock = RIPOSTE_MUTEX;
static struct sigaction actions[SIGRTMAX + 1];
static bool has_signals;

/* What has been done in the calling thread, or in this handler of it, since it began to wait: whether a handler ran, and one
 * without SA_RESTART. */
enum { HANDLED = 1, FAILS = 2 };
static _Thread_local volatile uint8_t done;
/* How often a handler has run in it. */
static _Thread_local volatile uint32_t ever;

/* How often the calling thread's signals were deferred that are not admitted again. */
static _Thread_local uint8_t deferred;

/* Of an application without signals, and of those below SIGRTMIN, of which one waits: what handlers that run in the calling
 * thread mask, and what waits for their end. */
static _Thread_local struct {
    uint32_t masked, waiting;
} handlers;

bool posix_has_signals(void)
{
    return has_signals;
}

uint64_t posix_signals_defer(void)
{
    uint64_t masked = 0;
    if (has_signals)
        riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, ~UINT64_C(1), &masked, NULL);
    deferred++;
    return masked;
}

void posix_signals_admit(uint64_t masked)
{
    deferred--;
    if (has_signals)
        riposte_signal_mask(RIPOSTE_SIGNAL_HOW_SET, masked, NULL, NULL);
}

bool posix_signals_are_deferred(void)
{
    return deferred != 0;
}

/* A program begins with nothing masked, before its main function and its other threads. */
static __attribute__((constructor)) void begin(void)
{
    has_signals = riposte_private_signal_dispatch(posix_signal_act) == RIPOSTE_OK;
    if (has_signals)
        posix_set_mask(0);
}

riposte_error_t posix_raise(uint32_t number)
{
    if (has_signals)
        return riposte_signal_send_thread(riposte_thread_current(), number, 0);
    posix_signal_act_now(number, 0);
    return RIPOSTE_OK;
}

/* Does what waits for the end of a handler that masked it. */
static void act_on_waiting(void)
{
    uint32_t next;
    while ((next = handlers.waiting & ~handlers.masked) != 0) {
        const uint32_t number = (uint32_t)__builtin_ctz(next);
        handlers.waiting &= ~(UINT32_C(1) << number);
        posix_signal_act(number, 0, NULL);
    }
}

void posix_signal_act_now(uint32_t number, uint32_t word)
{
    if (number < SIGRTMIN && handlers.masked >> number & 1) {
        handlers.waiting |= UINT32_C(1) << number;
        return;
    }
    posix_signal_act(number, word, NULL);
    /* Here, and not as the handler ends: one that brings its own signal about goes no deeper. */
    act_on_waiting();
}

uint64_t posix_jump_masked(void)
{
    uint64_t masked = handlers.masked;
    if (has_signals)
        riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, 0, &masked, NULL);
    return masked;
}

void posix_jump_mask(uint64_t masked)
{
    if (has_signals) {
        posix_set_mask(masked);
        return;
    }
    handlers.masked = (uint32_t)masked;
    act_on_waiting();
}

void posix_begin_wait(void)
{
    done = 0;
}

bool posix_was_handled(void)
{
    return done & HANDLED;
}

uint32_t posix_signals_handled(void)
{
    return ever;
}

bool posix_again(bool restarts)
{
    if (posix_cancel_ends_wait && posix_cancel_ends_wait())
        return false;
    return !(done & (restarts ? FAILS : HANDLED));
}

/* Of those that end no program some stop it or let it go on, elsewhere: there is no job control here. */
static bool is_harmless(uint32_t number)
{
    const uint64_t set = SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGSTOP)
                         | SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU);
    return set >> number & 1;
}

static bool is_ignored(const struct sigaction *action, uint32_t number)
{
    return action->sa_handler == SIG_IGN || (action->sa_handler == SIG_DFL && is_harmless(number));
}

void posix_signal_info(uint32_t number, int code, uint32_t word, siginfo_t *info)
{
    *info = (siginfo_t){0};
    info->si_signo = (int)number;
    info->si_code = code ? code : number < SIGRTMIN ? SI_USER : SI_QUEUE;
    info->si_value.sival_int = (int)word;
}

/* A handler that is to run. */
struct run {
    const struct sigaction *action;
    uint32_t *frame;
    uint32_t number, word;
    int code;
    /* In it, and before it. */
    uint64_t masked, before;
};

/* Calls one that wants to know more. */
static __attribute__((noinline)) void inform(const struct run *it)
{
    ucontext_t context = {.uc_stack.ss_flags = SS_DISABLE, .uc_mcontext.__frame = it->frame};
    siginfo_t info;
    /* There is no signal 0, whatever the kernel has there. */
    context.uc_sigmask = it->before & ~UINT64_C(1);
    posix_signal_info(it->number, it->code, it->word, &info);
    it->action->sa_sigaction((int)it->number, &info, &context);
}

static void run(void *argument)
{
    const struct run *it = argument;
    if (it->frame)
        riposte_signal_mask(RIPOSTE_SIGNAL_HOW_SET, it->masked, NULL, NULL);
    else
        handlers.masked = (uint32_t)it->masked;
    if (it->action->sa_flags & SA_SIGINFO)
        inform(it);
    else
        it->action->sa_handler((int)it->number);
}

void posix_signal_act(uint32_t number, uint32_t word, uint32_t *frame)
{
    struct sigaction action;
    struct run handler = {&action, frame, number, word, 0, 0, 0};
    const uint32_t before = handlers.masked;
    const uint8_t done_before = done;

    if (number == SIGNAL_CANCEL && posix_cancel_note) {
        posix_cancel_note(frame);
        return;
    }
    riposte_mutex_lock(&lock);
    action = actions[number];
    if (action.sa_flags & SA_RESETHAND && action.sa_handler != SIG_IGN) {
        actions[number].sa_handler = SIG_DFL;
        actions[number].sa_flags &= ~SA_SIGINFO;
    }
    riposte_mutex_unlock(&lock);
    if (posix_event_take)
        handler.code = posix_event_take(number, &handler.word);
    if (is_ignored(&action, number))
        return;
    if (action.sa_handler == SIG_DFL)
        riposte_exit((int)(128 + number));
    handler.before = frame ? frame[0] | (uint64_t)frame[1] << 32 : before;
    handler.masked = handler.before | action.sa_mask;
    if (!(action.sa_flags & SA_NODEFER))
        handler.masked |= SIGNAL_BIT(number);
    handler.masked &= ~SIGNAL_NEVER;
    if (!(action.sa_flags & SA_ONSTACK && posix_on_other_stack && posix_on_other_stack(run, &handler)))
        run(&handler);
    handlers.masked = before;
    ever++;
    /* What interrupted the handler itself is over with it. */
    done = done_before | HANDLED | (action.sa_flags & SA_RESTART ? 0 : FAILS);
    if (frame && posix_cancel_go_on)
        posix_cancel_go_on(frame);
}

/* Takes what waits of a signal for the process, or the calling thread. All signals are masked. */
static void discard(uint32_t number)
{
    uint32_t word;
    if (number < SIGRTMIN)
        handlers.waiting &= ~(UINT32_C(1) << number);
    while (has_signals && riposte_signal_wait_until(SIGNAL_BIT(number), RIPOSTE_IMMEDIATE, &number, &word) == RIPOSTE_OK)
        if (posix_event_take)
            posix_event_take(number, &word);
}

int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict before)
{
    struct sigaction is;
    uint64_t mask;
    if (!is_signal(number) || (action && SIGNAL_NEVER >> number & 1))
        return posix_fail(EINVAL);
    /* The new one may lie where the old one is to be stored. */
    if (action)
        is = *action;
    if (has_signals)
        riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, ~UINT64_C(1), &mask, NULL);
    riposte_mutex_lock(&lock);
    if (before)
        *before = actions[number];
    if (action)
        actions[number] = is;
    riposte_mutex_unlock(&lock);
    if (action && is_ignored(&is, (uint32_t)number))
        discard((uint32_t)number);
    if (has_signals)
        riposte_signal_mask(RIPOSTE_SIGNAL_HOW_SET, mask, NULL, NULL);
    return 0;
}

void (*signal(int number, void (*handler)(int)))(int)
{
    struct sigaction action = {0}, before;
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    return sigaction(number, &action, &before) ? SIG_ERR : before.sa_handler;
}

/* Of stdio.c: what abort does before it ends the process, whatever is masked. The handler that may call it finds none. */
void posix_abort(void);

void posix_abort(void)
{
    const sigset_t it = SIGNAL_BIT(SIGABRT);
    struct sigaction action;
    sigaction(SIGABRT, NULL, &action);
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
        return;
    action.sa_flags |= SA_RESETHAND;
    sigaction(SIGABRT, &action, NULL);
    handlers.masked &= ~(uint32_t)it;
    if (has_signals)
        riposte_signal_mask(RIPOSTE_SIGNAL_HOW_UNBLOCK, it, NULL, NULL);
    posix_raise(SIGABRT);
}
