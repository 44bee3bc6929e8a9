/* <sys/utsname.h>: what runs here. */

#ifndef RIPOSTE_POSIX_SYS_UTSNAME_H
#define RIPOSTE_POSIX_SYS_UTSNAME_H

#ifdef __cplusplus
extern "C" {
#endif

struct utsname {
    char sysname[16];
    char nodename[16];
    char release[16];
    char version[16];
    char machine[16];
};

int uname(struct utsname *name);

#ifdef __cplusplus
}
#endif

#endif
