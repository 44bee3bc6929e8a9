/* Jumps that bring back what was masked. In a program without signals there is nothing to bring back. */

#include <setjmp.h>

#include "signals.h"

void __sigsetjmp_mask(sigjmp_buf where, int saves)
{
    where[0].__saves = saves;
    where[0].__here = __builtin_frame_address(0);
    where[0].__masked = saves && posix_jump_masked ? posix_jump_masked() : 0;
}

void siglongjmp(sigjmp_buf where, int value)
{
    if (posix_leave_other_stack)
        posix_leave_other_stack(where, value);
    if (where[0].__saves && posix_jump_mask)
        posix_jump_mask(where[0].__masked);
    longjmp(where[0].__registers, value);
}
