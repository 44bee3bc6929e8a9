/* From the library's start to the program's main function. */

#include <stddef.h>

#include <riposte.h>

/* The program's: what it does not take is not looked at. */
int main(int argc, char **argv);

/* In programs that others spawn: their arguments. */
__attribute__((weak)) int posix_arguments(char ***argv);

/* In programs with handlers of signals: a thread begins with all of them masked, and then masks what who has started it does. */
__attribute__((weak)) riposte_error_t posix_create_masked(size_t entry, size_t body, void *argument,
                                                          const riposte_thread_settings_t *how,
                                                          riposte_thread_t *thread);
__attribute__((weak)) void *posix_inherit_mask(void *argument);

/* How riposte_thread_spawn starts a thread, which asks with the argument that it was handed for its own. */
riposte_error_t riposte_private_spare_create(size_t entry, size_t body, void *argument,
                                             const riposte_thread_settings_t *how, riposte_thread_t *thread)
{
    return (posix_create_masked ? posix_create_masked : riposte_private_thread_create)(entry, body, argument, how,
                                                                                      thread);
}

void *riposte_private_spare_inherit(void *argument)
{
    return posix_inherit_mask ? posix_inherit_mask(argument) : argument;
}

int riposte_private_main(void)
{
    static char *own[2];
    char **argv = own;
    int argc = 0;
    if (posix_arguments)
        argc = posix_arguments(&argv);
    /* One that was not spawned, or whose process manager does not know it any more. */
    if (!argc) {
        argv = own;
        own[0] = (char *)(uintptr_t)riposte_process_name();
        argc = 1;
    }
    return main(argc, argv);
}
