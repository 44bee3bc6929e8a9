/* <sys/statvfs.h>: how much there is of a file system, and left. */

#ifndef _SYS_STATVFS_H
#define _SYS_STATVFS_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ST_RDONLY 1
#define ST_NOSUID 2

struct statvfs {
    unsigned long f_bsize;
    unsigned long f_frsize;
    fsblkcnt_t f_blocks;
    fsblkcnt_t f_bfree;
    /* What this process may still use: its share. */
    fsblkcnt_t f_bavail;
    /* Files and directories that this process may still make, all three. */
    fsfilcnt_t f_files;
    fsfilcnt_t f_ffree;
    fsfilcnt_t f_favail;
    unsigned long f_fsid;
    unsigned long f_flag;
    unsigned long f_namemax;
};

/* Tell of the file system that has what is open, or what a path leads to; ENOSYS of what is on none. */
int fstatvfs(int descriptor, struct statvfs *space);
int statvfs(const char *__restrict path, struct statvfs *__restrict space);

#ifdef __cplusplus
}
#endif

#endif
