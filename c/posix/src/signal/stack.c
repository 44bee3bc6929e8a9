/* Another stack for handlers: the kernel is told of it while a handler with SA_ONSTACK runs, so that those without it run
 * on the thread's own. */

#include <setjmp.h>

#include "signals.h"

static _Thread_local stack_t other;
/* Whose it is: a handler before a thread's first instruction finds what the thread's last life has left here. */
static _Thread_local uint32_t owner;

static stack_t own(void)
{
    return owner == riposte_private_own_id() ? other : (stack_t){NULL, SS_DISABLE, 0};
}

static bool holds(const stack_t *stack, uintptr_t place)
{
    const uintptr_t base = (uintptr_t)stack->ss_sp;
    return place >= base && place - base <= stack->ss_size;
}

static bool is_on(const stack_t *stack)
{
    return !(stack->ss_flags & SS_DISABLE) && holds(stack, (uintptr_t)__builtin_frame_address(0));
}

/* Calls `function` with `argument`, with the stack pointer at `top`. */
__attribute__((naked, noinline)) static void call_on(uintptr_t top, void (*function)(void *), void *argument)
{
    (void)top;
    (void)function;
    (void)argument;
#ifdef __arm__
    __asm__("push {r4, lr}\n"
            "mov  r4, sp\n"
            "mov  sp, r0\n"
            "mov  r0, r2\n"
            "blx  r1\n"
            "mov  sp, r4\n"
            "pop  {r4, pc}");
#else
    __asm__("addi sp, sp, -16\n"
            "sw   ra, 12(sp)\n"
            "sw   s0, 8(sp)\n"
            "mv   s0, sp\n"
            "mv   sp, a0\n"
            "mv   a0, a2\n"
            "jalr a1\n"
            "mv   sp, s0\n"
            "lw   s0, 8(sp)\n"
            "lw   ra, 12(sp)\n"
            "addi sp, sp, 16\n"
            "ret");
#endif
}

bool posix_on_other_stack(void (*function)(void *), void *argument)
{
    const stack_t stack = own();
    if (stack.ss_flags & SS_DISABLE || is_on(&stack))
        return false;
    if (riposte_signal_use_stack(stack.ss_sp, stack.ss_size) != RIPOSTE_OK)
        return false;
    call_on(((uintptr_t)stack.ss_sp + stack.ss_size) & ~(uintptr_t)15, function, argument);
    riposte_signal_use_stack(NULL, 0);
    return true;
}

/* Where to jump, and with what. */
struct jump {
    sigjmp_buf where;
    int value;
};

/* On the stack of the place to jump to, with all signals masked. */
static __attribute__((noreturn)) void jump(void *argument)
{
    /* What comes with the mask may be handled on the other stack, and write over what lies there. */
    struct jump it = *(const struct jump *)argument;
    riposte_signal_use_stack(NULL, 0);
    posix_set_mask(it.where[0].__masked);
    longjmp(it.where[0].__registers, it.value);
}

void posix_leave_other_stack(sigjmp_buf where, int value)
{
    const stack_t stack = own();
    struct jump it = {{where[0]}, value};
    uint64_t masked;
    if (stack.ss_flags & SS_DISABLE || holds(&stack, (uintptr_t)where[0].__here))
        return;
    /* A handler may have left it by longjmp. */
    if (!is_on(&stack)) {
        riposte_signal_use_stack(NULL, 0);
        return;
    }
    /* For a signal that came amid this the kernel would find room on neither stack. */
    riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, ~UINT64_C(1), &masked, NULL);
    if (!it.where[0].__saves)
        it.where[0].__masked = masked;
    /* All below is of functions that are left. */
    call_on((uintptr_t)where[0].__here & ~(uintptr_t)15, jump, &it);
}

int sigaltstack(const stack_t *restrict stack, stack_t *restrict before)
{
    const stack_t was = own();
    const bool is_in_use = is_on(&was);
    if (!posix_has_signals())
        return posix_fail(ENOSYS);
    if (stack) {
        if (is_in_use)
            return posix_fail(EPERM);
        if (stack->ss_flags & ~SS_DISABLE)
            return posix_fail(EINVAL);
        if (!(stack->ss_flags & SS_DISABLE)) {
            if (stack->ss_size < MINSIGSTKSZ)
                return posix_fail(ENOMEM);
            /* Whether the kernel would take it; it has it while a handler runs there. */
            if (riposte_signal_use_stack(stack->ss_sp, stack->ss_size) != RIPOSTE_OK)
                return posix_fail(ENOMEM);
        }
        /* A handler may have left one by longjmp. */
        riposte_signal_use_stack(NULL, 0);
        other = stack->ss_flags & SS_DISABLE ? (stack_t){NULL, SS_DISABLE, 0} : *stack;
        owner = riposte_private_own_id();
    }
    if (before) {
        *before = was;
        before->ss_flags |= is_in_use ? SS_ONSTACK : 0;
    }
    return 0;
}
