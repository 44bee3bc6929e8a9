//! The memory functions that the compiler calls. The kernel moves little of its own, so that the
//! smallest form that moves words is right; messages have a copy of their own.

use core::arch::naked_asm;

/// Copies `n` bytes; a word at a time where all are aligned.
///
/// # Safety
/// As C's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    naked_asm!(
        "orr   r3, r0, r1",
        "orr   r3, r2",
        "lsls  r3, r3, #30",
        "mov   r12, r0",
        "bne   3f",
        "1:",
        "subs  r2, #4",
        "itt   pl",
        "ldrpl r3, [r1], #4",
        "strpl r3, [r12], #4",
        "bhi   1b",
        "bx    lr",
        "2:",
        "ldrb  r3, [r1], #1",
        "strb  r3, [r12], #1",
        "3:",
        "subs  r2, #1",
        "bpl   2b",
        "bx    lr",
    )
}

/// Sets `n` bytes to `value`; words of zeros a word at a time, as the kernel's own cells are.
///
/// # Safety
/// As C's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, value: i32, n: usize) -> *mut u8 {
    naked_asm!(
        "orr   r3, r0, r2",
        "lsls  r3, r3, #30",
        "orr   r3, r1",
        "mov   r12, r0",
        "cbnz  r3, 3f",
        "1:",
        "subs  r2, #4",
        "it    pl",
        "strpl r1, [r12], #4",
        "bhi   1b",
        "bx    lr",
        "2:",
        "strb  r1, [r12], #1",
        "3:",
        "subs  r2, #1",
        "bpl   2b",
        "bx    lr",
    )
}

/// ARM's names for the two, whatever the alignment.
macro_rules! named {
    ($($name:ident = $function:ident;)*) => {
        $(
            /// # Safety
            /// As C's.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                naked_asm!("b {function}", function = sym $function)
            }
        )*
    };
}

named! {
    __aeabi_memcpy = memcpy;
    __aeabi_memcpy4 = memcpy;
    __aeabi_memcpy8 = memcpy;
}

/// ARM's clearing of `n` bytes, whatever the alignment.
macro_rules! clearing {
    ($($name:ident)*) => {
        $(
            /// # Safety
            /// As C's `memset` to 0.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name(to: *mut u8, n: usize) {
                naked_asm!("mov r2, r1", "movs r1, #0", "b {memset}", memset = sym memset)
            }
        )*
    };
}

clearing! { __aeabi_memclr __aeabi_memclr4 __aeabi_memclr8 }
