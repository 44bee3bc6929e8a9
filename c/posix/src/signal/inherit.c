/* What a thread that is started masks. Linked with all that handles signals, and nothing of POSIX else. */

#include "signals.h"

/* Absent in a program whose handlers are those of riposte_signal_handle: whether signals come to it, the kernel says. */
bool posix_has_signals(void) __attribute__((weak));

/* What a thread that has been started, and has not begun, is to be handed. */
struct inherited {
    uint32_t is_taken;
    void *argument;
    uint64_t masked;
};
/* The linker lays out one for each thread of the process: nobody who starts a thread, or begins, has two. */
static struct inherited inherited __attribute__((section(".bss.inherited")));
extern struct inherited __inherited_end[];

/* The first one. The compiler knows of no others. */
static struct inherited *all_inherited(void)
{
    struct inherited *first = &inherited;
    __asm__("" : "+r"(first));
    return first;
}

static bool may_have_signals(void)
{
    return !posix_has_signals || posix_has_signals();
}

void posix_set_mask(uint64_t masked)
{
    riposte_signal_mask(RIPOSTE_SIGNAL_HOW_SET, masked, NULL, NULL);
}

riposte_error_t posix_create_masked(size_t entry, size_t body, void *argument, const riposte_thread_settings_t *how,
                                    riposte_thread_t *thread)
{
    struct inherited *it = all_inherited();
    uint32_t nobody = 0;
    uint64_t masked = 0;
    riposte_error_t error;
    if (may_have_signals())
        riposte_signal_mask(RIPOSTE_SIGNAL_HOW_BLOCK, ~UINT64_C(1), &masked, NULL);
    while (!riposte_word_compare_exchange(&it->is_taken, &nobody, 1)) {
        it = it + 1 < __inherited_end ? it + 1 : all_inherited();
        nobody = 0;
    }
    it->argument = argument;
    it->masked = masked;
    error = riposte_private_thread_create(entry, body, it, how, thread);
    if (error != RIPOSTE_OK)
        riposte_word_store(&it->is_taken, 0);
    if (may_have_signals())
        posix_set_mask(masked);
    return error;
}

void *posix_inherit_mask(void *argument)
{
    struct inherited *const it = argument;
    const uint64_t masked = it->masked;
    argument = it->argument;
    riposte_word_store(&it->is_taken, 0);
    if (may_have_signals())
        posix_set_mask(masked);
    return argument;
}
