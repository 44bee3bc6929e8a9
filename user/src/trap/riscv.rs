//! System calls on RISC-V (RV32).
//!
//! A call is `ecall` with the eight message registers in s2 to s9 and the extra registers in s10,
//! s11 and a2 to a4. It clobbers everything but the stack pointer, s0, s1, gp and tp, and the stub
//! says so: the compiler saves what it still needs, and the kernel nothing.
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

/// `asm!` of a system call: the registers that no call keeps and that are none of its operands are
/// listed as clobbered, and those of `$free`.
macro_rules! trap {
    ([$($free:tt),*], $($operands:tt)*) => {
        asm!(
            "ecall",
            $($operands)*
            $(lateout($free) _,)*
            lateout("ra") _,
            lateout("t0") _, lateout("t1") _, lateout("t2") _, lateout("t3") _,
            lateout("t4") _, lateout("t5") _, lateout("t6") _,
            lateout("a0") _, lateout("a1") _,
            lateout("a5") _, lateout("a6") _, lateout("a7") _,
        )
    };
}

/// Any call, with all registers in and out. The others are shorter forms of it.
#[inline(never)]
pub fn call(mut registers: Registers, extra: Extra) -> Registers {
    // SAFETY: see the module's invariant.
    unsafe {
        trap!(
            [],
            inlateout("s10") extra[0] => _,
            inlateout("s11") extra[1] => _,
            inlateout("a2") extra[2] => _,
            inlateout("a3") extra[3] => _,
            inlateout("a4") extra[4] => _,
            inlateout("s2") registers[CALL],
            inlateout("s3") registers[WORD0],
            inlateout("s4") registers[INFO],
            inlateout("s5") registers[GENERATION],
            inlateout("s6") registers[WORD1],
            inlateout("s7") registers[WORD2],
            inlateout("s8") registers[WORD3],
            inlateout("s9") registers[WORD4],
        );
    }
    registers
}

/// Sends `N` words, with no reply buffer. Returns `CALL`, `INFO` and the words of the reply;
/// `GENERATION` is not reported.
#[inline(always)]
pub fn send_words<const N: usize>(call: u32, words: [u32; N]) -> Registers {
    let words = pad(words);
    let mut out = [0; 8];
    // SAFETY: see the module's invariant; no memory is named.
    unsafe {
        trap!(
            ["a2", "a4", "s5", "s10", "s11"],
            inlateout("a3") 0 => _,
            inlateout("s2") call => out[CALL],
            inlateout("s3") words[0] => out[WORD0],
            inlateout("s4") N as u32 * 4 => out[INFO],
            inlateout("s6") words[1] => out[WORD1],
            inlateout("s7") words[2] => out[WORD2],
            inlateout("s8") words[3] => out[WORD3],
            inlateout("s9") words[4] => out[WORD4],
        );
    }
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
    // SAFETY: see the module's invariant; no memory is named.
    unsafe {
        trap!(
            ["a2", "a4", "s10", "s11"],
            inlateout("a3") 0 => _,
            inlateout("s2") call => out[CALL],
            inlateout("s3") words[0] => out[WORD0],
            inlateout("s4") tag | (N as u32 * 4) => out[INFO],
            inlateout("s5") generation => out[GENERATION],
            inlateout("s6") words[1] => out[WORD1],
            inlateout("s7") words[2] => out[WORD2],
            inlateout("s8") words[3] => out[WORD3],
            inlateout("s9") words[4] => out[WORD4],
        );
    }
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
            ["a4", "s10", "s11"],
            inlateout("a2") reply.address => _,
            inlateout("a3") reply.length => _,
            inlateout("s2") call => out[CALL],
            inlateout("s3") message.address => out[WORD0],
            inlateout("s4") 0 => out[INFO],
            lateout("s5") out[GENERATION],
            inlateout("s6") message.length => out[WORD1],
            lateout("s7") out[WORD2],
            lateout("s8") out[WORD3],
            lateout("s9") out[WORD4],
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
            ["a4", "s10", "s11"],
            inlateout("a2") buffer.address => _,
            inlateout("a3") buffer.length => _,
            inlateout("s2") call => out[CALL],
            inlateout("s3") answer.address => out[WORD0],
            inlateout("s4") tag => out[INFO],
            inlateout("s5") generation => out[GENERATION],
            inlateout("s6") answer.length => out[WORD1],
            lateout("s7") out[WORD2],
            lateout("s8") out[WORD3],
            lateout("s9") out[WORD4],
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
            ["a4", "s10", "s11"],
            inlateout("a2") reply.address => _,
            inlateout("a3") reply.length => _,
            inlateout("s2") call => out[CALL],
            inlateout("s3") words[0] => out[WORD0],
            inlateout("s4") info => out[INFO],
            lateout("s5") out[GENERATION],
            inlateout("s6") words[1] => out[WORD1],
            inlateout("s7") words[2] => out[WORD2],
            inlateout("s8") words[3] => out[WORD3],
            inlateout("s9") words[4] => out[WORD4],
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
            ["a4"],
            inlateout("s10") moment[0] => _,
            inlateout("s11") moment[1] => _,
            inlateout("a2") buffer.address => _,
            inlateout("a3") buffer.length => _,
            inlateout("s2") call => out[CALL],
            inlateout("s3") words[0] => out[WORD0],
            inlateout("s4") info => out[INFO],
            lateout("s5") out[GENERATION],
            inlateout("s6") words[1] => out[WORD1],
            inlateout("s7") words[2] => out[WORD2],
            inlateout("s8") words[3] => out[WORD3],
            inlateout("s9") words[4] => out[WORD4],
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
            ["a4", "s10", "s11"],
            inlateout("a2") buffer.address => _,
            inlateout("a3") buffer.length => _,
            inlateout("s2") call => out[CALL],
            lateout("s3") out[WORD0],
            inlateout("s4") 0 => out[INFO],
            lateout("s5") out[GENERATION],
            lateout("s6") out[WORD1],
            lateout("s7") out[WORD2],
            lateout("s8") out[WORD3],
            lateout("s9") out[WORD4],
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
            ["a4", "s10", "s11"],
            inlateout("a2") buffer.address => _,
            inlateout("a3") buffer.length => _,
            inlateout("s2") call => out[CALL],
            lateout("s3") out[WORD0],
            inlateout("s4") riposte_abi::info::ACKNOWLEDGE => out[INFO],
            lateout("s5") out[GENERATION],
            lateout("s6") out[WORD1],
            lateout("s7") out[WORD2],
            inlateout("s8") interrupt => out[WORD3],
            lateout("s9") out[WORD4],
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
    // SAFETY: see the module's invariant; the caller holds `buffer` exclusively. An a4 without a
    // value reaches nobody: the kernel reads it only if `info` has the STATUS flag.
    unsafe {
        trap!(
            ["s10", "s11"],
            inlateout("a2") buffer.address => _,
            inlateout("a3") buffer.length => _,
            inlateout("a4") status => _,
            inlateout("s2") call => out[CALL],
            inlateout("s3") words[0] => out[WORD0],
            inlateout("s4") info => out[INFO],
            inlateout("s5") generation => out[GENERATION],
            inlateout("s6") words[1] => out[WORD1],
            inlateout("s7") words[2] => out[WORD2],
            inlateout("s8") words[3] => out[WORD3],
            inlateout("s9") words[4] => out[WORD4],
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
            ["a2", "a3", "a4", "s5", "s7", "s8", "s9", "s10", "s11"],
            inlateout("s2") number => status,
            inlateout("s3") object => first,
            inlateout("s4") 0 => _,
            inlateout("s6") value => second,
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
            ["a2", "a3", "a4", "s3", "s5", "s6", "s7", "s8", "s9", "s10", "s11"],
            inlateout("s2") NUMBER => _,
            inlateout("s4") 0 => _,
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

/// Where the kernel starts the main thread: a0 holds the address of the process-info table, a2
/// the thread's id.
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
        ".cfi_undefined ra",
        riposte_abi::place_data_riscv!(),
        "jal   {enter}",
        ".cfi_endproc",
        enter = sym super::start::enter,
    )
}

/// Copies 32 bytes at an offset, of which the first two words are loaded: each store comes with a load
/// before it, which a processor does while the store is on its way to the RAM (VexRiscv), and none
/// waits for its own. With `begins`, the two words behind them are loaded for the next.
#[rustfmt::skip]
macro_rules! block {
    ($offset:literal) => {
        concat!(
            block!(@ $offset),
            block!("sw", "t1", $offset, "24", "a0"), block!("sw", "t2", $offset, "28", "a0"),
        )
    };
    ($offset:literal, begins) => {
        concat!(
            block!(@ $offset),
            block!("lw", "a3", $offset, "32", "a1"), block!("sw", "t1", $offset, "24", "a0"),
            block!("lw", "a4", $offset, "36", "a1"), block!("sw", "t2", $offset, "28", "a0"),
        )
    };
    (@ $offset:literal) => {
        concat!(
            block!("lw", "a5", $offset, "8", "a1"), block!("sw", "a3", $offset, "0", "a0"),
            block!("lw", "a6", $offset, "12", "a1"), block!("sw", "a4", $offset, "4", "a0"),
            block!("lw", "a7", $offset, "16", "a1"), block!("sw", "a5", $offset, "8", "a0"),
            block!("lw", "t0", $offset, "20", "a1"), block!("sw", "a6", $offset, "12", "a0"),
            block!("lw", "t1", $offset, "24", "a1"), block!("sw", "a7", $offset, "16", "a0"),
            block!("lw", "t2", $offset, "28", "a1"), block!("sw", "t0", $offset, "20", "a0"),
        )
    };
    ($operation:literal, $register:literal, $offset:literal, $more:literal, $base:literal) => {
        concat!($operation, " ", $register, ", ", $offset, "+", $more, "(", $base, ")\n")
    };
}

/// Copies blocks of 32 bytes, four in a turn of the loop, as the kernel's own copy of messages does.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `count` blocks, and they don't overlap.
#[inline(never)]
pub unsafe fn copy_blocks(mut to: *mut [u32; 8], mut from: *const [u32; 8], mut count: usize) {
    const BLOCKS: usize = 4;
    if count >= BLOCKS {
        // SAFETY: the caller's promise, for as many turns as whole ones fit.
        unsafe {
            asm!(
                "2:",
                "lw   a3, 0(a1)",
                "lw   a4, 4(a1)",
                block!("0", begins),
                block!("32", begins),
                block!("64", begins),
                block!("96"),
                "addi a1, a1, 128",
                "addi a0, a0, 128",
                "bne  a1, a2, 2b",
                inout("a0") to,
                inout("a1") from,
                in("a2") from.add(count - count % BLOCKS),
                out("a3") _, out("a4") _, out("a5") _, out("a6") _, out("a7") _,
                out("t0") _, out("t1") _, out("t2") _,
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

/// Instructions that were executed, modulo 2^32. The boards whose processors have no atomic
/// instructions have no counters that a process may read either: it would fault.
#[inline(always)]
pub fn instructions() -> Option<u32> {
    if !cfg!(target_has_atomic = "32") {
        return None;
    }
    let count;
    // SAFETY: the kernel lets processes read the counter, and reading it changes nothing.
    unsafe { asm!("rdinstret {0}", out(reg) count, options(nomem, nostack, preserves_flags)) };
    Some(count)
}

/// The id of the running thread: the kernel keeps it in `gp`.
#[inline(always)]
pub fn thread_id() -> u32 {
    let id;
    // SAFETY: reads a register that nobody changes while the thread lives.
    unsafe { asm!("mv {0}, gp", out(reg) id, options(pure, nomem, nostack, preserves_flags)) };
    id
}

/// Whether a thread is found wherever its stack pointer is: a register tells.
pub fn stack_is_free() -> bool {
    true
}

/// Index of the process's main thread in the system. The C library reads it, too.
#[unsafe(export_name = "__riposte_first_thread")]
static FIRST: AtomicU32 = AtomicU32::new(0);

/// The index of the running thread in its process.
#[inline(always)]
pub fn thread_index() -> usize {
    let index = thread_id() & riposte_abi::thread::INDEX_MASK;
    index.wrapping_sub(FIRST.load(Ordering::Relaxed)) as usize
}

/// The running thread has this index and this id. For its first instructions.
///
/// # Safety
/// They are what the kernel has started the thread with: each thread's data is found by them.
pub unsafe fn begin_thread(index: usize, id: u32) {
    if index == 0 {
        FIRST.store(id & riposte_abi::thread::INDEX_MASK, Ordering::Relaxed);
    }
}

/// A function where the kernel begins handlers: with the signal in a0, its word in a1, and the frame at the stack
/// pointer, which is what ends one. It calls `$dispatch`, after `$before`.
#[doc(hidden)]
#[macro_export]
macro_rules! signal_entry {
    ($name:ident, $dispatch:path $(, $before:literal)?) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() -> ! {
            core::arch::naked_asm!(
                $($before,)?
                "call  {dispatch}",
                "mv    s3, sp",
                "li    s2, {call}",
                "li    s4, 0",
                "ecall",
                "unimp",
                dispatch = sym $dispatch,
                call = const $crate::signal::END,
            )
        }
    };
}

signal_entry!(handle_signal, super::signal::dispatch);

/// The address of what the kernel calls to have a signal handled.
pub fn signal_entry() -> u32 {
    (handle_signal as *const ()).addr() as u32
}
