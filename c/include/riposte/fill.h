/* A memset of few bytes, without a call: included by riposte.h.
 *
 * GCC for Cortex-M calls memset even for a handful of bytes, where Rust's compiler (and GCC for RISC-V)
 * stores them at once: forty instructions for the 32 bytes of a reply. */

#ifndef RIPOSTE_FILL_H
#define RIPOSTE_FILL_H

#include <string.h>

#if defined(__arm__) && defined(__OPTIMIZE__)

/* The library's. */
extern void *riposte_memset(void *to, int value, size_t length) __asm__("memset");

__attribute__((gnu_inline, always_inline)) extern inline void *memset(void *to, int value, size_t length)
{
    if (__builtin_constant_p(length) && length <= 32) {
        const uint32_t word = (uint8_t)value * UINT32_C(0x01010101);
        char *bytes = (char *)to;
        size_t done;
#pragma GCC unroll 8
        for (done = 0; done + 4 <= length; done += 4)
            __builtin_memcpy(bytes + done, &word, 4);
        if (length & 2)
            __builtin_memcpy(bytes + (length & ~(size_t)3), &word, 2);
        if (length & 1)
            bytes[length - 1] = (char)value;
        return to;
    }
    return riposte_memset(to, value, length);
}

#endif

#endif
