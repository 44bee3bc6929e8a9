//! System calls on ARMv7-M.
//!
//! A call is `svc 0` with the eight message registers in r4 to r11 and the extra registers in
//! r0 to r3 and r12, which the hardware's frame brings back. LLVM keeps r6 and r7 for itself, so
//! each stub pushes the two and carries their values in r0 and r1, or where a moment is there, in lr
//! and r12. The floating-point registers are clobbered too: the stub says so, and the kernel needs
//! to save none of them on a voluntary switch.
//!
//! The invariant behind every `unsafe` here: the kernel writes no memory of the process but the
//! buffer that the call names, which the caller holds as `&mut` for the time of the call (or gave
//! up, with [`super::Range`]'s lifetime kept by the public function above), and it changes no
//! register that the stub does not list.

use core::arch::{asm, naked_asm};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering};

use riposte_abi::call::number;
use riposte_abi::register::{CALL, GENERATION, INFO, WORD0, WORD1, WORD2, WORD3, WORD4};

use super::{Extra, Range, Registers};
use crate::words::pad;

/// `asm!` of a system call: the eight message registers are listed as clobbered at least, and
/// so are the floating-point registers.
macro_rules! trap {
    ([$($line:literal),* $(,)?], $($operands:tt)*) => {
        asm!(
            $($line,)*
            $($operands)*
            out("d0") _, out("d1") _, out("d2") _, out("d3") _,
            out("d4") _, out("d5") _, out("d6") _, out("d7") _,
            out("d8") _, out("d9") _, out("d10") _, out("d11") _,
            out("d12") _, out("d13") _, out("d14") _, out("d15") _,
        )
    };
}

/// Any call, with all registers in and out. The others are shorter forms of it.
#[inline(never)]
pub fn call(mut registers: Registers, extra: Extra) -> Registers {
    let mut pair = [registers[INFO], registers[GENERATION]];
    // SAFETY: see the module's invariant. `pair` is read before and written after the call only,
    // through lr, which the hardware's frame preserves.
    unsafe {
        trap!(
            [
                "push {{r6, r7}}",
                "ldrd r6, r7, [lr]",
                "svc 0",
                "strd r6, r7, [lr]",
                "pop {{r6, r7}}",
            ],
            in("lr") &raw mut pair,
            in("r0") extra[0],
            in("r1") extra[1],
            in("r2") extra[2],
            in("r3") extra[3],
            in("r12") extra[4],
            inlateout("r4") registers[CALL],
            inlateout("r5") registers[WORD0],
            inlateout("r8") registers[WORD1],
            inlateout("r9") registers[WORD2],
            inlateout("r10") registers[WORD3],
            inlateout("r11") registers[WORD4],
        );
    }
    registers[INFO] = pair[0];
    registers[GENERATION] = pair[1];
    registers
}

/// Zeros for the message words that a caller does not use: one load clears them all.
static ZEROS: [u32; 5] = [0; 5];

/// The same value, which the compiler then keeps in a register rather than build it again for
/// each turn of a loop: the extra registers and lr survive a call.
#[inline(always)]
#[allow(
    clippy::pointers_in_nomem_asm_block,
    reason = "nobody follows the pointer"
)]
fn kept(mut value: *const [u32; 5]) -> *const [u32; 5] {
    // SAFETY: no instruction at all.
    unsafe {
        asm!("/* {0} */", inlateout(reg) value, options(pure, nomem, nostack, preserves_flags))
    };
    value
}

/// A stub for each number of words, 0 to 5: `$form` with the instruction that clears the words
/// which are not used (through lr, which the hardware's frame brings back), with the registers
/// and positions of those that are used, and with the registers of those that are not.
#[rustfmt::skip]
macro_rules! for_each_length {
    ($form:ident, $length:expr) => {
        match $length {
            0 => $form!("ldm lr, {{r5, r8, r9, r10, r11}}", [in("lr") kept(&raw const ZEROS),], [], [("r5", WORD0) ("r8", WORD1) ("r9", WORD2) ("r10", WORD3) ("r11", WORD4)]),
            1 => $form!("ldm lr, {{r8, r9, r10, r11}}", [in("lr") kept(&raw const ZEROS),], [("r5", 0, WORD0)], [("r8", WORD1) ("r9", WORD2) ("r10", WORD3) ("r11", WORD4)]),
            2 => $form!("ldm lr, {{r9, r10, r11}}", [in("lr") kept(&raw const ZEROS),], [("r5", 0, WORD0) ("r8", 1, WORD1)], [("r9", WORD2) ("r10", WORD3) ("r11", WORD4)]),
            3 => $form!("ldm lr, {{r10, r11}}", [in("lr") kept(&raw const ZEROS),], [("r5", 0, WORD0) ("r8", 1, WORD1) ("r9", 2, WORD2)], [("r10", WORD3) ("r11", WORD4)]),
            4 => $form!("mov r11, #0", [], [("r5", 0, WORD0) ("r8", 1, WORD1) ("r9", 2, WORD2) ("r10", 3, WORD3)], [("r11", WORD4)]),
            _ => $form!("", [], [("r5", 0, WORD0) ("r8", 1, WORD1) ("r9", 2, WORD2) ("r10", 3, WORD3) ("r11", 4, WORD4)], []),
        }
    };
}

/// Sends `N` words, with no reply buffer. Returns `CALL`, `INFO` and the words of the reply;
/// `GENERATION` is not reported.
#[inline(always)]
pub fn send_words<const N: usize>(call: u32, words: [u32; N]) -> Registers {
    let words = pad(words);
    let mut out = [0; 8];
    macro_rules! form {
        ($load:literal, [$($zeros:tt)*], [$(($used:tt, $word:literal, $out:ident))*], [$(($unused:tt, $cleared:ident))*]) => {
            // SAFETY: see the module's invariant; no memory is named.
            unsafe {
                trap!(
                    [
                        $load,
                        "push {{r6, r7}}",
                        "movs r6, #{length}",
                        "svc 0",
                        "mov r0, r6",
                        "pop {{r6, r7}}",
                    ],
                    length = const N * 4,
                    $($zeros)*
                    $(inlateout($used) words[$word] => out[$out],)*
                    $(lateout($unused) out[$cleared],)*
                    lateout("r0") out[INFO],
                    in("r3") kept(core::ptr::null()),
                    inlateout("r4") call => out[CALL],
                );
            }
        };
    }
    for_each_length!(form, N);
    out
}

/// Answers the client that the token in `tag` and `generation` names with `N` words and status 0,
/// and waits for the next message, without a buffer.
#[inline(always)]
pub fn reply_words_receive<const N: usize>(
    call: u32,
    tag: u32,
    generation: u32,
    words: [u32; N],
) -> Registers {
    let words = pad(words);
    let mut out = [0; 8];
    macro_rules! form {
        ($load:literal, [$($zeros:tt)*], [$(($used:tt, $word:literal, $out:ident))*], [$(($unused:tt, $cleared:ident))*]) => {
            // SAFETY: see the module's invariant; no memory is named.
            unsafe {
                trap!(
                    [
                        $load,
                        "push {{r6, r7}}",
                        "mov r6, r0",
                        "mov r7, r1",
                        "svc 0",
                        "mov r0, r6",
                        "mov r1, r7",
                        "pop {{r6, r7}}",
                    ],
                    $($zeros)*
                    $(inlateout($used) words[$word] => out[$out],)*
                    $(lateout($unused) out[$cleared],)*
                    inlateout("r0") tag | (N as u32 * 4) => out[INFO],
                    inlateout("r1") generation => out[GENERATION],
                    in("r3") kept(core::ptr::null()),
                    inlateout("r4") call => out[CALL],
                );
            }
        };
    }
    for_each_length!(form, N);
    out
}

/// Sends the bytes of `message`; `reply` is the reply buffer. Nobody reads the words that name
/// nothing.
#[inline(always)]
pub fn send_bytes(call: u32, message: Range, reply: Range) -> Registers {
    let mut out = [0; 8];
    // SAFETY: see the module's invariant; the caller holds `reply` exclusively.
    unsafe {
        trap!(
            [
                "push {{r6, r7}}",
                "movs r6, #0",
                "svc 0",
                "mov r0, r6",
                "mov r1, r7",
                "pop {{r6, r7}}",
            ],
            lateout("r0") out[INFO],
            lateout("r1") out[GENERATION],
            in("r2") reply.address,
            in("r3") reply.length,
            inlateout("r4") call => out[CALL],
            inlateout("r5") message.address => out[WORD0],
            inlateout("r8") message.length => out[WORD1],
            lateout("r9") out[WORD2],
            lateout("r10") out[WORD3],
            lateout("r11") out[WORD4],
        );
    }
    out
}

/// Answers the client that the token in `tag` and `generation` names with the bytes of `answer`
/// and status 0, and waits for the next message. Nobody reads the words that name nothing.
#[inline(always)]
pub fn reply_bytes_receive(
    call: u32,
    tag: u32,
    generation: u32,
    answer: Range,
    buffer: Range,
) -> Registers {
    let mut out = [0; 8];
    // SAFETY: see the module's invariant; the caller holds `buffer` exclusively.
    unsafe {
        trap!(
            [
                "push {{r6, r7}}",
                "mov r6, r0",
                "mov r7, r1",
                "svc 0",
                "mov r0, r6",
                "mov r1, r7",
                "pop {{r6, r7}}",
            ],
            inlateout("r0") tag => out[INFO],
            inlateout("r1") generation => out[GENERATION],
            in("r2") buffer.address,
            in("r3") buffer.length,
            inlateout("r4") call => out[CALL],
            inlateout("r5") answer.address => out[WORD0],
            inlateout("r8") answer.length => out[WORD1],
            lateout("r9") out[WORD2],
            lateout("r10") out[WORD3],
            lateout("r11") out[WORD4],
        );
    }
    out
}

/// Sends `words` or, if `call` says so, the range or the parts that its first two name; `info`
/// holds the length and the flags; `reply` is the reply buffer.
#[inline(always)]
pub fn send(call: u32, info: u32, words: [u32; 5], reply: Range) -> Registers {
    let mut out = [0; 8];
    // SAFETY: see the module's invariant; the caller holds `reply` exclusively.
    unsafe {
        trap!(
            [
                "push {{r6, r7}}",
                "mov r6, r0",
                "svc 0",
                "mov r0, r6",
                "mov r1, r7",
                "pop {{r6, r7}}",
            ],
            inlateout("r0") info => out[INFO],
            lateout("r1") out[GENERATION],
            in("r2") reply.address,
            in("r3") reply.length,
            inlateout("r4") call => out[CALL],
            inlateout("r5") words[0] => out[WORD0],
            inlateout("r8") words[1] => out[WORD1],
            inlateout("r9") words[2] => out[WORD2],
            inlateout("r10") words[3] => out[WORD3],
            inlateout("r11") words[4] => out[WORD4],
        );
    }
    out
}

/// A call with a moment, which is its deadline if `info` says so; `buffer` takes what does not come
/// back in registers.
#[inline(always)]
pub fn timed(call: u32, info: u32, words: [u32; 5], moment: [u32; 2], buffer: Range) -> Registers {
    let mut out = [0; 8];
    // SAFETY: see the module's invariant; the caller holds `buffer` exclusively.
    unsafe {
        trap!(
            [
                "push {{r6, r7}}",
                "mov r6, lr",
                "svc 0",
                "mov lr, r6",
                "mov r12, r7",
                "pop {{r6, r7}}",
            ],
            inlateout("lr") info => out[INFO],
            lateout("r12") out[GENERATION],
            in("r0") moment[0],
            in("r1") moment[1],
            in("r2") buffer.address,
            in("r3") buffer.length,
            inlateout("r4") call => out[CALL],
            inlateout("r5") words[0] => out[WORD0],
            inlateout("r8") words[1] => out[WORD1],
            inlateout("r9") words[2] => out[WORD2],
            inlateout("r10") words[3] => out[WORD3],
            inlateout("r11") words[4] => out[WORD4],
        );
    }
    out
}

/// Waits for a message; `buffer` takes what does not come in registers.
#[inline(always)]
pub fn receive(call: u32, buffer: Range) -> Registers {
    let mut out = [0; 8];
    // SAFETY: see the module's invariant; the caller holds `buffer` exclusively.
    unsafe {
        trap!(
            [
                "push {{r6, r7}}",
                "movs r6, #0",
                "svc 0",
                "mov r0, r6",
                "mov r1, r7",
                "pop {{r6, r7}}",
            ],
            lateout("r0") out[INFO],
            lateout("r1") out[GENERATION],
            in("r2") buffer.address,
            in("r3") buffer.length,
            inlateout("r4") call => out[CALL],
            lateout("r5") out[WORD0],
            lateout("r8") out[WORD1],
            lateout("r9") out[WORD2],
            lateout("r10") out[WORD3],
            lateout("r11") out[WORD4],
        );
    }
    out
}

/// As [`receive`], and acknowledges the interrupt with this handle.
#[inline(always)]
pub fn acknowledge_and_receive(call: u32, interrupt: u32, buffer: Range) -> Registers {
    let mut out = [0; 8];
    // SAFETY: see the module's invariant; the caller holds `buffer` exclusively.
    unsafe {
        trap!(
            [
                "push {{r6, r7}}",
                "movs r6, #{acknowledge}",
                "svc 0",
                "mov r0, r6",
                "mov r1, r7",
                "pop {{r6, r7}}",
            ],
            acknowledge = const riposte_abi::info::ACKNOWLEDGE,
            lateout("r0") out[INFO],
            lateout("r1") out[GENERATION],
            in("r2") buffer.address,
            in("r3") buffer.length,
            inlateout("r4") call => out[CALL],
            lateout("r5") out[WORD0],
            lateout("r8") out[WORD1],
            lateout("r9") out[WORD2],
            inlateout("r10") interrupt => out[WORD3],
            lateout("r11") out[WORD4],
        );
    }
    out
}

/// Answers the client that the token in `info` and `generation` names and waits for the next
/// message; `status` must be there if `info` says so.
#[inline(always)]
pub fn reply_receive(
    call: u32,
    info: u32,
    generation: u32,
    words: [u32; 5],
    buffer: Range,
    status: Option<u32>,
) -> Registers {
    let mut out = [0; 8];
    let status = status.map_or(MaybeUninit::uninit(), MaybeUninit::new);
    // SAFETY: see the module's invariant; the caller holds `buffer` exclusively. An r12 without a
    // value reaches nobody: the kernel reads it only if `info` has the STATUS flag.
    unsafe {
        trap!(
            [
                "push {{r6, r7}}",
                "mov r6, r0",
                "mov r7, r1",
                "svc 0",
                "mov r0, r6",
                "mov r1, r7",
                "pop {{r6, r7}}",
            ],
            inlateout("r0") info => out[INFO],
            inlateout("r1") generation => out[GENERATION],
            in("r2") buffer.address,
            in("r3") buffer.length,
            in("r12") status,
            inlateout("r4") call => out[CALL],
            inlateout("r5") words[0] => out[WORD0],
            inlateout("r8") words[1] => out[WORD1],
            inlateout("r9") words[2] => out[WORD2],
            inlateout("r10") words[3] => out[WORD3],
            inlateout("r11") words[4] => out[WORD4],
        );
    }
    out
}

/// The call `number` about one object, a word's address or a handle, with one more number. Returns
/// `CALL`, which is 0 unless the call has failed, and the first two words.
#[inline(always)]
pub fn about(number: u32, object: u32, value: u32) -> (u32, [u32; 2]) {
    let (status, first, second);
    // SAFETY: see the module's invariant; the kernel writes no memory but the word, which is atomic.
    unsafe {
        trap!(
            [
                "push {{r6, r7}}",
                "movs r6, #0",
                "svc 0",
                "pop {{r6, r7}}",
            ],
            inlateout("r4") number => status,
            inlateout("r5") object => first,
            inlateout("r8") value => second,
            lateout("r9") _, lateout("r10") _, lateout("r11") _,
        );
    }
    (status, [first, second])
}

/// A call that takes its number alone and gives nothing back.
#[inline(always)]
fn bare<const NUMBER: u32>() {
    // SAFETY: see the module's invariant; no memory is named.
    unsafe {
        trap!(
            [
                "push {{r6, r7}}",
                "movs r4, #{number}",
                "movs r6, #0",
                "svc 0",
                "pop {{r6, r7}}",
            ],
            number = const NUMBER,
            out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
}

/// The call that does nothing.
#[inline(always)]
pub fn null() {
    bare::<{ number::NULL }>();
}

/// Lets the next ready thread of the same priority run.
#[inline(always)]
pub fn yield_now() {
    bare::<{ number::YIELD }>();
}

/// Where the kernel starts the main thread: r0 holds the address of the process-info table, r2 the
/// thread's id.
///
/// # Safety
/// For the kernel alone, once per start of the process, before any other thread of it runs: it
/// gives `.data` and `.bss` their first values.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn _riposte_start(info: u32, index: u32, id: u32) -> ! {
    naked_asm!(
        // A backtrace ends here, not at the address that happens to be in the register.
        ".cfi_sections .debug_frame",
        ".cfi_startproc",
        ".cfi_undefined lr",
        riposte_abi::place_data_armv7m!(),
        "bl {enter}",
        ".cfi_endproc",
        enter = sym super::start::enter,
    )
}

/// Bytes that one turn of the copy's loop moves.
const TURN: usize = 512;

/// Copies blocks of 32 bytes: a load and a store of eight registers each, as in the kernel's own
/// copy of messages.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `count` blocks, and they don't overlap.
#[inline(never)]
pub unsafe fn copy_blocks(mut to: *mut [u32; 8], mut from: *const [u32; 8], mut count: usize) {
    const BLOCKS: usize = TURN / 32;
    if count >= BLOCKS {
        // SAFETY: the caller's promise, for as many turns as whole ones fit; r6 and r7, which no
        // operand may be, stay as they are.
        unsafe {
            asm!(
                "2:",
                ".rept {blocks}",
                "ldm r1!, {{r3-r5, r8-r12}}",
                "stm r0!, {{r3-r5, r8-r12}}",
                ".endr",
                "subs r2, #{blocks}",
                "bne 2b",
                blocks = const BLOCKS,
                inout("r0") to,
                inout("r1") from,
                inout("r2") count - count % BLOCKS => _,
                out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _,
                out("r10") _, out("r11") _, out("r12") _,
                options(nostack),
            );
        }
        count %= BLOCKS;
    }
    if count != 0 {
        // SAFETY: the caller's promise.
        unsafe { to.copy_from_nonoverlapping(from, count) };
    }
}

/// Instructions that were executed, modulo 2^32: this processor does not count them.
#[inline(always)]
pub fn instructions() -> Option<u32> {
    None
}

/// The index of the running thread in its process: a table tells it by the stack pointer. The image
/// builder makes it, of the stacks as they lie.
#[inline(always)]
pub fn thread_index() -> usize {
    let index;
    // SAFETY: reads the byte for the granule in which the stack pointer is: every stack of the process
    // has some. What it says never changes.
    unsafe {
        asm!(
            "mov  {0}, sp",
            "movw {1}, #:lower16:__thread_shift",
            "lsr  {0}, {0}, {1}",
            "movw {1}, #:lower16:__thread_granules",
            "movt {1}, #:upper16:__thread_granules",
            "ldrb {0}, [{1}, {0}]",
            out(reg) index,
            out(reg) _,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    index
}

/// Whether a thread is found wherever its stack pointer is: whether it is the only one.
pub fn stack_is_free() -> bool {
    unsafe extern "C" {
        static __thread_shift: u8;
    }
    // No address has a bit there: the table has one byte for all.
    (&raw const __thread_shift).addr() == 32
}

/// The id of the running thread.
#[inline(always)]
pub fn thread_id() -> u32 {
    let id;
    // SAFETY: reads the word that [`begin_thread`] has set for this thread, and that nobody else does
    // while it lives.
    unsafe {
        asm!(
            "movw {1}, #:lower16:__thread_ids",
            "movt {1}, #:upper16:__thread_ids",
            "ldr  {1}, [{1}, {0}, lsl #2]",
            in(reg) thread_index(),
            out(reg) id,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    id
}

/// The thread pointer of the running thread, which compilers of C ask for to find its thread-local storage: the linker
/// script lays out one for each thread, one behind the other.
///
/// # Safety
/// For what a compiler makes: it changes no register but r0, r12 and the flags.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __aeabi_read_tp() {
    naked_asm!(
        "movw r12, #:lower16:__thread_shift",
        "mov  r0, sp",
        "lsr  r0, r0, r12",
        "movw r12, #:lower16:__thread_granules",
        "movt r12, #:upper16:__thread_granules",
        "ldrb r0, [r12, r0]",
        "movw r12, #:lower16:__thread_storage_stride",
        "movt r12, #:upper16:__thread_storage_stride",
        "mul  r0, r0, r12",
        "movw r12, #:lower16:__thread_pointer",
        "movt r12, #:upper16:__thread_pointer",
        "add  r0, r0, r12",
        "bx   lr",
    )
}

/// The running thread has this index and this id. For its first instructions. (A call of its own, since
/// [`thread_id`] tells the compiler of no memory: nothing that reads comes before what this writes.)
///
/// # Safety
/// They are what the kernel has started the thread with.
#[inline(never)]
pub unsafe fn begin_thread(index: usize, id: u32) {
    unsafe extern "C" {
        static __thread_ids: AtomicU32;
    }
    // SAFETY: the linker script gives each thread of the process a word there; the index is one of a
    // thread by the caller's promise.
    let word = unsafe { &*(&raw const __thread_ids).add(index) };
    word.store(id, Ordering::Relaxed);
}

/// A function where the kernel begins handlers: with the signal in r0, its word in r1, and the frame at the stack
/// pointer, which is what ends one. It calls `$dispatch`, after `$before`. If the thread may have executed nothing else
/// yet, not even [`begin_thread`], its index and id are in r2 and r3, and it is told first who it is. (That holds since all
/// signals are masked while one is handled, until its handler says otherwise.)
#[doc(hidden)]
#[macro_export]
macro_rules! signal_entry {
    ($name:ident, $dispatch:path $(, $before:literal)?) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() -> ! {
            core::arch::naked_asm!(
                "cbz   r3, 7f",
                "movw  r12, #:lower16:__thread_ids",
                "movt  r12, #:upper16:__thread_ids",
                "str   r3, [r12, r2, lsl #2]",
                "7:",
                $($before,)?
                "bl    {dispatch}",
                "mov   r5, sp",
                "movw  r4, #{low}",
                "movt  r4, #{high}",
                "movs  r6, #0",
                "svc   0",
                "udf   #0",
                dispatch = sym $dispatch,
                low = const $crate::signal::END & 0xFFFF,
                high = const $crate::signal::END >> 16,
            )
        }
    };
}

signal_entry!(handle_signal, super::signal::dispatch);

/// The address of what the kernel calls to have a signal handled.
pub fn signal_entry() -> u32 {
    (handle_signal as *const ()).addr() as u32
}
