//! How the first values of data lie in an image, and the code that a processor runs first to put them in place.
//!
//! Most of a program's data is zero, and is not stored. At the symbol `__data_load` lie words: one that says how many
//! words of zeros come next (its upper half), and how many words follow it that are not (its lower half); then these;
//! and so on, until a 0. What is behind them is zero, up to `__bss_end`. The image builder packs the data of the kernel
//! and of each process so. Symbols and data are aligned to words.

/// The code for Armv7-M, with no data in use yet: it changes `r1` and `r3` to `r6`.
#[macro_export]
macro_rules! place_data_armv7m {
    () => {
        "movw  r1, #:lower16:__data_start
         movt  r1, #:upper16:__data_start
         movw  r3, #:lower16:__data_load
         movt  r3, #:upper16:__data_load
         movs  r6, #0
         b     84f
         80: lsrs r5, r4, #16
         beq   82f
         81: str r6, [r1], #4
         subs  r5, #1
         bne   81b
         82: uxth r4, r4
         83: ldr r5, [r3], #4
         str   r5, [r1], #4
         subs  r4, #1
         bne   83b
         84: ldr r4, [r3], #4
         cmp   r4, #0
         bne   80b
         movw  r5, #:lower16:__bss_end
         movt  r5, #:upper16:__bss_end
         b     86f
         85: str r6, [r1], #4
         86: cmp r1, r5
         blo   85b"
    };
}

/// The code for RISC-V, with no data in use yet: it changes `t0` to `t3`.
#[macro_export]
macro_rules! place_data_riscv {
    () => {
        "la    t0, __data_start
         la    t2, __data_load
         j     84f
         80: srli t3, t1, 16
         beqz  t3, 82f
         81: sw zero, 0(t0)
         addi  t0, t0, 4
         addi  t3, t3, -1
         bnez  t3, 81b
         82: slli t1, t1, 16
         srli  t1, t1, 16
         83: lw t3, 0(t2)
         sw    t3, 0(t0)
         addi  t0, t0, 4
         addi  t2, t2, 4
         addi  t1, t1, -1
         bnez  t1, 83b
         84: lw t1, 0(t2)
         addi  t2, t2, 4
         bnez  t1, 80b
         la    t1, __bss_end
         j     86f
         85: sw zero, 0(t0)
         addi  t0, t0, 4
         86: bltu t0, t1, 85b"
    };
}
