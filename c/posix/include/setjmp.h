/* <setjmp.h>: the C library's, and jumps that bring back what was masked. */

#ifndef RIPOSTE_POSIX_SETJMP_H
#define RIPOSTE_POSIX_SETJMP_H

/* What follows is no standard C, and is not warned of. */
#pragma GCC system_header
#include_next <setjmp.h>

#if __POSIX_VISIBLE

#include <sys/_sigset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    jmp_buf __registers;
    __sigset_t __masked;
    /* Whether that is to be brought back, and on which stack it was. */
    int __saves;
    const void *__here;
} sigjmp_buf[1];

void __sigsetjmp_mask(sigjmp_buf where, int saves);
void siglongjmp(sigjmp_buf where, int value) __attribute__((__noreturn__));

#define sigsetjmp(where, saves) (__sigsetjmp_mask((where), (saves)), setjmp((where)[0].__registers))

#ifdef __cplusplus
}
#endif

#endif
#endif
