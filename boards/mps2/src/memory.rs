//! The memory functions that the compiler calls. The kernel moves little of its own, so that the
//! smallest form is right; messages have a copy of their own.

use core::arch::naked_asm;

/// Copies `n` bytes.
///
/// # Safety
/// As C's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    naked_asm!(
        "mov   r12, r0",
        "1:",
        "subs  r2, #1",
        "it    mi",
        "bxmi  lr",
        "ldrb  r3, [r1], #1",
        "strb  r3, [r12], #1",
        "b     1b",
    )
}

/// Sets `n` bytes to `value`.
///
/// # Safety
/// As C's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, value: i32, n: usize) -> *mut u8 {
    naked_asm!(
        "mov   r12, r0",
        "1:",
        "subs  r2, #1",
        "it    mi",
        "bxmi  lr",
        "strb  r1, [r12], #1",
        "b     1b",
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
