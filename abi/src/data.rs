//! How the first values of data lie in an image, and the code that a processor runs first to put them in place.
//!
//! Most of a program's data is zero, and is not stored. At the symbol `__data_load` lie words: one that says how many
//! words of zeros come next (its upper half), and how many words follow it that are not (its lower half); then these;
//! and so on, until a 0. What is behind them is zero, up to `__bss_end`. The image builder packs the data of the kernel
//! and of each process so. Symbols and data are aligned to words.

/// The code for Armv7-M, with no data in use yet: it changes `r1` and `r3` to `r5`.
#[macro_export]
macro_rules! place_data_armv7m {
    () => {
        "movw  r1, #:lower16:__data_start
         movt  r1, #:upper16:__data_start
         movw  r5, #:lower16:__bss_end
         movt  r5, #:upper16:__bss_end
         mov   r4, r1
         movs  r3, #0
         b     81f
         80: str r3, [r4], #4
         81: cmp r4, r5
         blo   80b
         movw  r3, #:lower16:__data_load
         movt  r3, #:upper16:__data_load
         b     84f
         82: lsrs r5, r4, #16
         add   r1, r1, r5, lsl #2
         uxth  r4, r4
         83: ldr r5, [r3], #4
         str   r5, [r1], #4
         subs  r4, #1
         bne   83b
         84: ldr r4, [r3], #4
         cmp   r4, #0
         bne   82b"
    };
}

/// The code for RISC-V, with no data in use yet: it changes `t0` to `t3`.
#[macro_export]
macro_rules! place_data_riscv {
    () => {
        "la    t0, __data_start
         la    t1, __bss_end
         j     81f
         80: sw zero, 0(t0)
         addi  t0, t0, 4
         81: bltu t0, t1, 80b
         la    t0, __data_start
         la    t2, __data_load
         j     84f
         82: srli t3, t1, 16
         slli  t3, t3, 2
         add   t0, t0, t3
         slli  t1, t1, 16
         srli  t1, t1, 16
         83: lw t3, 0(t2)
         sw    t3, 0(t0)
         addi  t0, t0, 4
         addi  t2, t2, 4
         addi  t1, t1, -1
         bnez  t1, 83b
         84: lw t1, 0(t2)
         addi  t2, t2, 4
         bnez  t1, 82b"
    };
}
