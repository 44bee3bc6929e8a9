/* From the library's start to the program's main function. */

#include <stddef.h>

#include <riposte.h>

/* The program's: what it does not take is not looked at. */
int main(int argc, char **argv);

/* In programs that others spawn: their arguments. */
__attribute__((weak)) int posix_arguments(char ***argv);

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
