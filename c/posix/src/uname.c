/* uname, and confstr. */

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int uname(struct utsname *name)
{
    static const struct utsname here = {
        "Riposte",
        "riposte",
        "1",
        "1",
#if defined(__riscv)
        "riscv32",
#else
        "armv7m",
#endif
    };
    *name = here;
    return 0;
}

/* There are no utilities, so that none are found anywhere. */
size_t confstr(int name, char *text, size_t size)
{
    if (name != _CS_PATH) {
        errno = EINVAL;
        return 0;
    }
    if (size)
        text[0] = '\0';
    return 1;
}
