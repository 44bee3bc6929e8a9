/* <stdio.h>: the C library's, and what POSIX has of streams beyond it. */

#ifndef RIPOSTE_POSIX_STDIO_H
#define RIPOSTE_POSIX_STDIO_H

/* What follows is no standard C, and is not warned of. */
#pragma GCC system_header
/* The C library's takes no position that is constant. */
#define fsetpos riposte_private_fsetpos
#include_next <stdio.h>
#undef fsetpos

#include <sys/features.h>

#ifdef __cplusplus
extern "C"
#endif
int fsetpos(FILE *stream, const fpos_t *position);

#if __POSIX_VISIBLE

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

void flockfile(FILE *stream);
int ftrylockfile(FILE *stream);
void funlockfile(FILE *stream);
int getc_unlocked(FILE *stream);
int getchar_unlocked(void);
int putc_unlocked(int letter, FILE *stream);
int putchar_unlocked(int letter);
int pclose(FILE *stream);
FILE *popen(const char *command, const char *mode);

#if __POSIX_VISIBLE >= 200809
int dprintf(int descriptor, const char *__restrict format, ...) __attribute__((__format__(__printf__, 2, 3)));
int vdprintf(int descriptor, const char *__restrict format, __builtin_va_list arguments)
    __attribute__((__format__(__printf__, 2, 0)));
ssize_t getdelim(char **__restrict line, size_t *__restrict size, int end, FILE *__restrict stream);
ssize_t getline(char **__restrict line, size_t *__restrict size, FILE *__restrict stream);
#endif

#ifdef __cplusplus
}
#endif

#endif
#endif
