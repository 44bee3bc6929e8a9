/* <sys/stat.h>: the C library's, and what it declares for other systems. */

#ifndef RIPOSTE_POSIX_SYS_STAT_H
#define RIPOSTE_POSIX_SYS_STAT_H

/* What follows is no standard C, and is not warned of. */
#pragma GCC system_header
#include_next <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

int lstat(const char *__restrict path, struct stat *__restrict stat);

#ifdef __cplusplus
}
#endif

#endif
