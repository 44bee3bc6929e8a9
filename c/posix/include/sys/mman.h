/* <sys/mman.h>: memory that processes share, of the manifest or made at run time, and copies of files. docs/src/posix.md says
 * what each function does here. */

#ifndef _SYS_MMAN_H_
#define _SYS_MMAN_H_

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4

#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 4
#define MAP_FAILED ((void *)-1)

#define MS_ASYNC 1
#define MS_SYNC 2
#define MS_INVALIDATE 4

#define MCL_CURRENT 1
#define MCL_FUTURE 2

int mlock(const void *address, size_t length);
int mlockall(int flags);
void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset);
int munlock(const void *address, size_t length);
int munlockall(void);
int munmap(void *address, size_t length);
int shm_open(const char *name, int flags, mode_t mode);
int shm_unlink(const char *name);

/* What is absent, which docs/src/posix.md says why. */
int mprotect(void *address, size_t length, int protection);
int msync(void *address, size_t length, int flags);

#ifdef __cplusplus
}
#endif

#endif
