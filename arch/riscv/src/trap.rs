//! Trap entries and exits: where a process's registers become the kernel's decision and back.
//!
//! The main stack is empty while a process runs, and the [`Kernel`] lies right above it: on entry,
//! the word at its end is [`Kernel::current`]. It ends at a multiple of 4096, so that one
//! instruction makes its address: nothing has to keep it, and `mscratch` is free to take the
//! process's stack pointer.
//!
//! Before another process runs, each register is the message's, or 0, or holds what that process
//! may know of itself: its program counter and the ranges of its own memory, as they were loaded
//! for the switch.
//!
//! The board's image defines the functions named here with [`traps`](crate::traps), for its own
//! kernel and board.

use core::{arch::naked_asm, cell::Cell, mem::offset_of};

use riposte_kernel::{
    Kernel, Thread,
    limits::{FUTEXES, INTERRUPTS, MEMORY_MESSAGES, TRANSLATED},
};

use crate::{
    Context,
    build::{REFRESH, REGIONS, RESTARTABLE, VECTORED},
    context::saved,
    protection::{FIRST, Image, RIGHTS, protect},
};

const FRAME: usize = offset_of!(Thread, frame);
const PROTECTION: usize = offset_of!(Thread, protection);
const TAG: usize = offset_of!(Thread, tag);
const GENERATION: usize = offset_of!(Thread, generation);
const RESUME: usize = offset_of!(Thread, resume);
const PLAIN: usize = offset_of!(Thread, plain);
const POINTERS: usize = offset_of!(Context, pointers);
const IMAGE: usize = offset_of!(Context, image);
const SEQUENCES: usize = offset_of!(Context, restartable);

/// Bytes of a restartable sequence.
const SEQUENCE: u32 = riposte_abi::RESTARTABLE_BYTES;

/// What is added to the operation of a loan to make its mark.
const MARK: u32 = {
    use riposte_abi::{call::operation, info};
    assert!(info::LENT_MUT - info::LENT == operation::LEND_MUT - operation::LEND);
    info::LENT - operation::LEND
};

/// Offset of a saved register in a [`Context`].
const fn at(position: usize) -> usize {
    offset_of!(Context, saved) + position * size_of::<u32>()
}

const _: () = {
    assert!(offset_of!(Block, kernel) == 0 && offset_of!(Kernel, current) == 0);
    assert!(offset_of!(Thread, registers) == 0);
    assert!(size_of::<Image>() >= (REGIONS + RIGHTS) * 4);
};

#[allow(
    improper_ctypes,
    reason = "references to kernel objects are just addresses to the trap code"
)]
unsafe extern "C" {
    /// [`riposte_kernel::fast::send`]: the server, and the badge. The arguments that count begin at
    /// a5, so that none has to give way to the result.
    fn riposte_fast_send(
        _: u64,
        _: u64,
        _: u32,
        client: &'static Thread,
        call: u32,
        info: u32,
    ) -> u64;
    /// [`riposte_kernel::fast::reply_receive`]: the client, and its `INFO`; or null, and `status`.
    fn riposte_fast_reply(
        _: u64,
        _: u32,
        generation: u32,
        status: u32,
        server: &'static Thread,
        call: u32,
        info: u32,
    ) -> u64;
    /// [`riposte_kernel::fast::send_bytes`]: the server, or null. Its `CALL` and `WORD0` are saved.
    fn riposte_fast_send_bytes(
        _: u64,
        _: u32,
        length: u32,
        address: u32,
        client: &'static Thread,
        call: u32,
        info: u32,
    ) -> *const Thread;
    /// [`riposte_kernel::fast::reply_bytes_receive`]: the client, or null. Its `WORD0` is saved.
    fn riposte_fast_reply_bytes(
        _: u64,
        generation: u32,
        length: u32,
        address: u32,
        server: &'static Thread,
        call: u32,
        info: u32,
    ) -> *const Thread;
    /// [`riposte_kernel::fast::reply_bytes`]: not null, and the bytes that were taken; or null, and
    /// `status`.
    fn riposte_fast_reply_bytes_alone(
        _: u64,
        length: u32,
        address: u32,
        status: u32,
        server: &'static Thread,
        generation: u32,
        info: u32,
    ) -> u64;
    /// [`riposte_kernel::fast::reply`]: the thread to run, or null.
    fn riposte_fast_reply_alone(server: &'static Thread) -> *const Thread;
    /// [`riposte_kernel::fast::receive`]: the thread to run, or null.
    fn riposte_fast_receive(
        _: u64,
        _: u64,
        _: u32,
        server: &'static Thread,
        call: u32,
        info: u32,
    ) -> *const Thread;
    /// [`riposte_kernel::fast::interrupt::acknowledge`]: the thread to run, or null.
    fn riposte_fast_acknowledge(
        _: u64,
        _: u64,
        interrupt: u32,
        handler: &'static Thread,
        call: u32,
    ) -> *const Thread;
    /// [`riposte_kernel::fast::reply_words_to_bytes`]: the client, or null.
    fn riposte_fast_reply_mixed(server: &'static Thread) -> *const Thread;
    /// [`riposte_kernel::fast::lend::lend`]: the server, and the badge; or null. Where the server sees
    /// the memory is saved as its `WORD0`, if addresses are translated.
    fn riposte_fast_lend(
        _: u64,
        _: u32,
        length: u32,
        address: u32,
        client: &'static Thread,
        call: u32,
        info: u32,
    ) -> u64;
    /// [`riposte_kernel::fast::lend::give_back`]: the client, and its `INFO`; or null.
    fn riposte_fast_give_back(
        _: u64,
        _: u32,
        generation: u32,
        _: u32,
        server: &'static Thread,
        call: u32,
        info: u32,
    ) -> u64;
    /// [`riposte_kernel::fast::futex::wait`]: the thread to run, or null.
    fn riposte_fast_wait(
        thread: &'static Thread,
        address: u32,
        expected: u32,
        next: &'static Thread,
    ) -> *const Thread;
    /// [`riposte_kernel::fast::futex::wait_anywhere`]: the thread to run, or null.
    fn riposte_fast_wait_anywhere(
        thread: &'static Thread,
        address: u32,
        expected: u32,
    ) -> *const Thread;
    /// [`riposte_kernel::fast::futex::wake`]: the thread to run instead of this one; or 1, if one was
    /// woken and this one goes on; or null.
    fn riposte_fast_wake(thread: &'static Thread, address: u32) -> *const Thread;
    /// [`riposte_kernel::fast::futex::wake_anywhere`]: the thread to run instead of this one; or 1, and
    /// how many were woken; or null.
    fn riposte_fast_wake_anywhere(thread: &'static Thread, address: u32, most: u32) -> u64;
    /// [`riposte_kernel::fast::futex::add`].
    fn riposte_fast_add(thread: &'static Thread, address: u32) -> bool;
    /// [`riposte_kernel::fast::interrupt::pend`].
    fn riposte_fast_pend(thread: &'static Thread, interrupt: u32) -> bool;
    /// [`riposte_kernel::fast::give_way`]: the thread to run, or null.
    fn riposte_fast_yield(thread: &'static Thread) -> *const Thread;
    /// Any other call of the running thread; returns the thread to run.
    fn riposte_call() -> *const Thread;
    /// The clock's interrupt; returns the thread to run.
    fn riposte_clock() -> *const Thread;
    /// The interrupt of a process, by `mcause`; returns the thread to run.
    fn riposte_interrupt(cause: u32) -> *const Thread;
    /// A fault of the running thread, by `mcause` and `mtval`; returns the thread to run.
    fn riposte_fault(cause: u32, value: u32) -> *const Thread;
    /// Starts all processes; returns the thread to run.
    fn riposte_begin() -> *const Thread;
    /// End of the main stack, where the image's kernel lies. Its address counts.
    static __kernel_stack_top: u32;
    /// A fault of the kernel itself.
    fn riposte_kernel_fault() -> !;
}

/// What lies at the end of the main stack.
#[repr(C)]
pub struct Block {
    /// The kernel.
    pub kernel: Kernel,
    /// In a floor image, the addresses of the two threads that take turns, XORed.
    pub partners: Cell<usize>,
}

/// Goes on at label 50 unless the trap is a system call, with all registers but `sp` as they were,
/// and the stack pointer in `mscratch`. (A branch to a symbol would be two instructions.)
macro_rules! tell_calls {
    () => {
        concat!(
            "csrw  mscratch, sp\n",
            "csrr  sp, mcause\n",
            "addi  sp, sp, -{user_call}\n",
            "bnez  sp, 50f\n",
        )
    };
}

/// If the processor has a table of interrupts ([`VECTORED`]), it begins with the entry: what a call
/// runs first must fit before the place of the machine timer's interrupt, which, with that of the
/// interrupt controller, is the only one that is enabled. The label 2 is the entry.
macro_rules! interrupt_table {
    () => {
        concat!(
            ".org  2b + 4 * {timer}\n",
            "csrw  mscratch, sp\n",
            "50:\n",
            "j     {other}\n",
            ".if {interrupts}\n",
            ".org  2b + 4 * {external}\n",
            "csrw  mscratch, sp\n",
            "j     {other}\n",
            ".endif\n",
        )
    };
}

/// Suspends the running thread, which has made a call: it is in a5 then, its context in t2. Uses
/// t0 and t1.
macro_rules! suspend {
    () => {
        concat!(
            "lui   sp, %hi({stack_top})\n",
            "lw    a5, 0(sp)\n",
            "csrr  t0, mscratch\n",
            "csrr  t1, mepc\n",
            "lw    t2, {protection}(a5)\n",
            "addi  t1, t1, 4\n",
            "sw    t0, {frame}(a5)\n",
            "sw    t1, {resume}(a5)\n",
            "sw    a2, {a2}(t2)\n",
            "sw    a3, {a3}(t2)\n",
            "sw    s0, {s0}(t2)\n",
            "sw    s1, {s1}(t2)\n",
        )
    };
}

/// Resumes the thread in a0, which a call has suspended: its message registers are in place.
macro_rules! switch {
    () => {
        concat!(
            "lw    a1, {protection}(a0)\n",
            "sw    a0, 0(sp)\n",
            "lw    t4, {resume}(a0)\n",
            protect!(),
            "csrw  mepc, t4\n",
            "lw    sp, {frame}(a0)\n",
            "lw    s0, {s0}(a1)\n",
            "lw    s1, {s1}(a1)\n",
            "lw    gp, {pointers}(a1)\n",
            "lw    tp, {pointers} + 4(a1)\n",
            clear!(),
            "li    s10, 0\n",
            "li    s11, 0\n",
            "mret\n",
        )
    };
}

/// Clears what no call returns anything in, but for t0 to t4.
macro_rules! clear {
    () => {
        concat!(
            "li    ra, 0\n",
            "li    a0, 0\n",
            "li    a1, 0\n",
            "li    a2, 0\n",
            "li    a3, 0\n",
            "li    a4, 0\n",
            "li    a5, 0\n",
            "li    a6, 0\n",
            "li    a7, 0\n",
            "li    t5, 0\n",
            "li    t6, 0\n",
        )
    };
}

/// The running thread goes on, behind a call whose message registers hold what it returns.
macro_rules! go_on {
    () => {
        concat!(
            clear!(),
            "li    t0, 0\n",
            "li    t1, 0\n",
            "li    t2, 0\n",
            "li    t3, 0\n",
            "li    t4, 0\n",
            "mret\n",
        )
    };
}

/// Saves the message registers of the thread in a0.
macro_rules! save_message {
    () => {
        concat!(
            "sw    s2, 0(a0)\n",
            "sw    s3, 4(a0)\n",
            "sw    s4, 8(a0)\n",
            "sw    s5, 12(a0)\n",
            "sw    s6, 16(a0)\n",
            "sw    s7, 20(a0)\n",
            "sw    s8, 24(a0)\n",
            "sw    s9, 28(a0)\n",
        )
    };
}

/// Loads the message registers of the thread in a0.
macro_rules! load_message {
    () => {
        concat!(
            "lw    s2, 0(a0)\n",
            "lw    s3, 4(a0)\n",
            "lw    s4, 8(a0)\n",
            "lw    s5, 12(a0)\n",
            "lw    s6, 16(a0)\n",
            "lw    s7, 20(a0)\n",
            "lw    s8, 24(a0)\n",
            "lw    s9, 28(a0)\n",
        )
    };
}

/// Resumes the thread in a0, which a call has suspended: its message registers are saved.
macro_rules! resume {
    () => {
        concat!(load_message!(), switch!())
    };
}

/// The trap entry.
///
/// # Safety
/// For `mtvec` only.
#[unsafe(naked)]
#[unsafe(link_section = ".trap.entry")]
pub unsafe extern "C" fn entry() {
    naked_asm!(
        "2:",
        tell_calls!(),
        // The registers are the caller's but for `sp`. Bits 31 and 28 of the call word tell the
        // operations apart that are worth it.
        ".globl riposte_system_call",
        "riposte_system_call:",
        "bltz  s2, 28f",
        "slli  t0, s2, 3",
        ".if {vectored}",
        "bltz  t0, 10f",
        "j     20f",
        interrupt_table!(),
        "10:",
        ".else",
        "bgez  t0, 20f",
        ".endif",
        // SEND (and SEND_VECTOR, which is refused)
        suspend!(),
        "mv    a6, s2",
        "mv    a7, s4",
        "jal   {send}",
        "lw    a5, 0(sp)",
        "beqz  a0, 32f",
        "mv    s2, a1",
        "lw    t0, {tag}(a5)",
        "lw    s5, {generation}(a5)",
        "or    s4, s4, t0",
        "25:",
        switch!(),
        // SEND, refused: perhaps because it is LEND. The message registers are still the caller's.
        "32:",
        ".if {carried}",
        "slli  t0, s2, 1",
        "bltz  t0, 65f",
        ".endif",
        "30:",
        "mv    a0, a5",
        save_message!(),
        "j     41f",
        // REPLY_RECEIVE (and REPLY_VECTOR_RECEIVE, which is refused)
        "28:",
        "slli  t0, s2, 3",
        "bltz  t0, 29f",
        suspend!(),
        "mv    a3, s5",
        "mv    a6, s2",
        "mv    a7, s4",
        "jal   {reply}",
        "beqz  a0, 31f",
        "34:",
        "mv    s4, a1",
        "li    s2, 0",
        switch!(),
        // REPLY_RECEIVE, refused: perhaps because the client has lent memory, or sent bytes.
        "31:",
        "lw    a0, 0(sp)",
        "lw    t2, {protection}(a0)",
        "sw    a1, {a4}(t2)",
        ".if {carried}",
        "mv    a5, a0",
        "mv    a3, s5",
        "mv    a6, s2",
        "mv    a7, s4",
        "jal   {give_back}",
        "beqz  a0, 33f",
        "li    s5, 0",
        "j     34b",
        "33:",
        "lw    a0, 0(sp)",
        ".endif",
        save_message!(),
        "jal   {reply_mixed}",
        "bnez  a0, {restore}",
        "41:",
        "lw    a0, 0(sp)",
        "lw    t2, {protection}(a0)",
        // All other calls, with the message saved.
        "40:",
        "sw    s10, {s10}(t2)",
        "sw    s11, {s11}(t2)",
        "jal   {call}",
        "j     {restore}",
        // OTHER, SEND_BYTES, RECEIVE
        "20:",
        "beqz  s2, 27f",
        "slli  t0, s2, 2",
        "bltz  t0, 22f",
        "addi  t0, s2, -{yield_number}",
        "beqz  t0, 23f",
        "addi  t0, s2, -{reply_bytes_number}",
        "beqz  t0, 62f",
        "slli  t0, s2, 1",
        "bltz  t0, 63f",
        ".if {futexes}",
        "addi  t0, s2, -{wait_number}",
        "beqz  t0, 66f",
        "addi  t0, s2, -{give_number}",
        "beqz  t0, 69f",
        ".endif",
        "addi  t0, s2, -{reply_number}",
        "beqz  t0, 61f",
        ".if {futexes}",
        "addi  t0, s2, -{wake_number}",
        "beqz  t0, 67f",
        ".endif",
        ".if {interrupts}",
        "addi  t0, s2, -{pend_number}",
        "beqz  t0, 53f",
        ".endif",
        "72:",
        suspend!(),
        "mv    a0, a5",
        save_message!(),
        "sw    ra, {ra}(t2)",
        "sw    a4, {a4}(t2)",
        "j     40b",
        // NULL
        "27:",
        "csrr  t0, mepc",
        "addi  t0, t0, 4",
        "csrw  mepc, t0",
        "csrr  sp, mscratch",
        "mret",
        // SEND_BYTES (and what has bit 30 too: LEND_MUT; LEND and MOVE come here from SEND)
        ".balign 4",
        "22:",
        suspend!(),
        "65:",
        "sw    s3, {word0}(a5)",
        "sw    s6, {word1}(a5)",
        "mv    a3, s6",
        "mv    a4, s3",
        "mv    a6, s2",
        "mv    a7, s4",
        ".if {carried}",
        "slli  t0, s2, 1",
        "bltz  t0, 24f",
        ".endif",
        "jal   {send_bytes}",
        "lw    a5, 0(sp)",
        "beqz  a0, 30b",
        // WORD1 is the same on both sides.
        "lw    s2, 0(a0)",
        "lw    s3, 4(a0)",
        "lw    t0, {tag}(a5)",
        "lw    s5, {generation}(a5)",
        "ori   s4, t0, {bytes}",
        "li    s7, 0",
        "li    s8, 0",
        "li    s9, 0",
        switch!(),
        // LEND, LEND_MUT (and MOVE, which is refused)
        ".if {carried}",
        "24:",
        "jal   {lend}",
        "lw    a5, 0(sp)",
        "beqz  a0, 30b",
        ".if {translated}",
        "lw    s3, {word0}(a0)",
        ".endif",
        "srli  s4, s2, {operation_shift}",
        "lw    t0, {tag}(a5)",
        "lw    s5, {generation}(a5)",
        "addi  s4, s4, {mark}",
        "mv    s2, a1",
        "or    s4, s4, t0",
        "j     25b",
        ".endif",
        // REPLY_BYTES_RECEIVE, REPLY_ERROR_RECEIVE
        ".balign 4",
        "29:",
        suspend!(),
        "sw    a4, {a4}(t2)",
        "mv    a2, s5",
        "mv    a3, s6",
        "mv    a4, s3",
        "mv    a6, s2",
        "mv    a7, s4",
        "jal   {reply_bytes}",
        "lw    a5, 0(sp)",
        "beqz  a0, 30b",
        // WORD1 is the same on both sides.
        "li    s2, 0",
        "lw    s3, 4(a0)",
        "li    s4, {bytes}",
        "lw    s5, 12(a0)",
        "li    s7, 0",
        "li    s8, 0",
        "li    s9, 0",
        switch!(),
        // YIELD
        ".balign 4",
        "23:",
        suspend!(),
        "mv    a0, a5",
        save_message!(),
        "jal   {give_way}",
        "bnez  a0, {restore}",
        "j     41b",
        // RECEIVE
        "63:",
        suspend!(),
        "mv    a6, s2",
        ".if {interrupts}",
        "addi  t0, s4, -{acknowledged}",
        "beqz  t0, 64f",
        ".endif",
        "mv    a7, s4",
        "jal   {receive}",
        "65:",
        "bnez  a0, {restore}",
        "lw    a5, 0(sp)",
        "j     30b",
        ".if {interrupts}",
        // RECEIVE that acknowledges an interrupt
        "64:",
        "mv    a4, s8",
        "jal   {acknowledge}",
        "j     65b",
        ".endif",
        // REPLY_BYTES
        "62:",
        "lui   sp, %hi({stack_top})",
        "lw    a5, 0(sp)",
        "mv    a2, s6",
        "mv    a3, s3",
        "mv    a6, s5",
        "mv    a7, s4",
        "jal   {reply_bytes_alone}",
        "beqz  a0, 64f",
        // The server goes on.
        "csrr  t0, mepc",
        "csrr  sp, mscratch",
        "addi  t0, t0, 4",
        "csrw  mepc, t0",
        "mv    s3, a1",
        "li    s2, 0",
        "li    s4, 0",
        "li    s5, 0",
        "li    s6, 0",
        "li    s7, 0",
        "li    s8, 0",
        "li    s9, 0",
        go_on!(),
        // REPLY_BYTES, refused
        "64:",
        "mv    a4, a1",
        // REPLY
        "61:",
        suspend!(),
        "sw    a4, {a4}(t2)",
        "mv    a0, a5",
        save_message!(),
        "jal   {reply_alone}",
        "bnez  a0, {restore}",
        "j     41b",
        ".if {futexes}",
        // FUTEX_WAIT: when it goes on it finds that all is well. (A call with flags has no way here.)
        "66:",
        suspend!(),
        "bnez  s4, 30b",
        "mv    a0, a5",
        "mv    a1, s3",
        "mv    a2, s6",
        "lw    a3, {foremost}(sp)",
        "beqz  a3, 77f",
        "jal   {wait}",
        "beqz  a0, 73f",
        "74:",
        "lw    a5, 0(sp)",
        "sw    zero, 0(a5)",
        "sw    zero, 8(a5)",
        "j     {restore}",
        "73:",
        "lw    a0, 0(sp)",
        "mv    a1, s3",
        "mv    a2, s6",
        "77:",
        "jal   {wait_anywhere}",
        "bnez  a0, 74b",
        "lw    a5, 0(sp)",
        "j     30b",
        // FUTEX_WAKE
        "67:",
        "beqz  s6, 72b",
        // FUTEX_GIVE
        "69:",
        "bnez  s4, 72b",
        "lui   sp, %hi({stack_top})",
        "lw    a0, 0(sp)",
        "mv    a1, s3",
        "lw    a3, {foremost}(sp)",
        "bnez  a3, 78f",
        "jal   {wake}",
        "li    a1, 1",
        "bne   a0, a1, 68f",
        "70:",
        "csrr  t0, mepc",
        "csrr  sp, mscratch",
        "addi  t0, t0, 4",
        "csrw  mepc, t0",
        "mv    s3, a1",
        "li    s2, 0",
        go_on!(),
        "68:",
        "bnez  a0, 75f",
        "lw    a0, 0(sp)",
        "mv    a1, s3",
        "78:",
        "mv    a2, s6",
        "addi  t0, s2, -{give_number}",
        "bnez  t0, 76f",
        "li    a2, 1",
        "76:",
        "jal   {wake_anywhere}",
        "addi  t0, a0, -1",
        "bnez  t0, 75f",
        "bnez  a1, 70b",
        "addi  t0, s2, -{give_number}",
        "bnez  t0, 70b",
        // Nobody waits for the unit.
        "lw    a0, 0(sp)",
        "mv    a1, s3",
        "jal   {add}",
        "li    a1, 0",
        "bnez  a0, 70b",
        "75:",
        "mv    a4, a0",
        suspend!(),
        "mv    a0, a4",
        "beqz  a0, 30b",
        // The caller has woken one, which runs now.
        "li    t0, 1",
        "sw    zero, 0(a5)",
        "sw    t0, 4(a5)",
        "sw    zero, 8(a5)",
        "j     {restore}",
        ".endif",
        // INTERRUPT_PEND: the thread goes on, until the interrupt comes.
        ".if {interrupts}",
        "53:",
        suspend!(),
        "sw    a4, {a4}(t2)",
        "mv    a0, a5",
        "mv    a1, s3",
        "jal   {pend}",
        "lw    a5, 0(sp)",
        "beqz  a0, 30b",
        "csrr  sp, mscratch",
        "lw    t0, {resume}(a5)",
        "csrw  mepc, t0",
        "li    s2, 0",
        "li    s3, 0",
        "li    s4, 0",
        go_on!(),
        ".endif",
        ".ifeq {vectored}",
        "50:",
        "j     {other}",
        ".endif",
        user_call = const crate::csr::cause::USER_CALL,
        timer = const crate::csr::cause::TIMER,
        external = const crate::csr::cause::EXTERNAL,
        interrupts = const INTERRUPTS as usize,
        vectored = const VECTORED,
        other = sym other,
        stack_top = sym __kernel_stack_top,
        frame = const FRAME,
        protection = const PROTECTION,
        resume = const RESUME,
        tag = const TAG,
        generation = const GENERATION,
        pointers = const POINTERS,
        image = const IMAGE,
        first = const FIRST,
        regions = const REGIONS,
        refresh = const REFRESH,
        rights = const RIGHTS,
        ra = const at(saved::RA),
        s0 = const at(saved::S0),
        s1 = const at(saved::S1),
        a2 = const at(saved::A0 + 2),
        a3 = const at(saved::A0 + 3),
        a4 = const at(saved::A0 + 4),
        s10 = const at(saved::S10),
        s11 = const at(saved::S11),
        word0 = const riposte_abi::register::WORD0 * 4,
        word1 = const riposte_abi::register::WORD1 * 4,
        bytes = const riposte_abi::info::BYTES,
        yield_number = const riposte_abi::call::number::YIELD,
        reply_number = const riposte_abi::call::number::REPLY,
        reply_bytes_number = const riposte_abi::call::number::REPLY_BYTES,
        send = sym riposte_fast_send,
        reply = sym riposte_fast_reply,
        send_bytes = sym riposte_fast_send_bytes,
        reply_bytes = sym riposte_fast_reply_bytes,
        reply_mixed = sym riposte_fast_reply_mixed,
        reply_bytes_alone = sym riposte_fast_reply_bytes_alone,
        reply_alone = sym riposte_fast_reply_alone,
        receive = sym riposte_fast_receive,
        acknowledge = sym riposte_fast_acknowledge,
        acknowledged = const riposte_abi::info::ACKNOWLEDGE,
        carried = const MEMORY_MESSAGES as usize,
        futexes = const FUTEXES,
        wait_number = const riposte_abi::call::number::FUTEX_WAIT,
        pend_number = const riposte_abi::call::number::INTERRUPT_PEND,
        pend = sym riposte_fast_pend,
        wake_number = const riposte_abi::call::number::FUTEX_WAKE,
        give_number = const riposte_abi::call::number::FUTEX_GIVE,
        foremost = const Kernel::FOREMOST,
        wait = sym riposte_fast_wait,
        wait_anywhere = sym riposte_fast_wait_anywhere,
        wake = sym riposte_fast_wake,
        wake_anywhere = sym riposte_fast_wake_anywhere,
        add = sym riposte_fast_add,
        translated = const TRANSLATED as usize,
        operation_shift = const riposte_abi::call::OPERATION_SHIFT,
        mark = const MARK,
        lend = sym riposte_fast_lend,
        give_back = sym riposte_fast_give_back,
        give_way = sym riposte_fast_yield,
        call = sym riposte_call,
        restore = sym restore,
    )
}

const _: () = {
    use riposte_abi::call::{number, operation};
    // Bit 28 is set in what is tried as SEND, and clear in what is tried as REPLY_RECEIVE. Among
    // the others without bit 31, bit 29 is set in what is tried as SEND_BYTES.
    assert!(operation::SEND & 1 == 1 && operation::REPLY_RECEIVE & 1 == 0);
    assert!(operation::OTHER & 1 == 0 && operation::RECEIVE & 1 == 0);
    assert!(operation::SEND_BYTES & 1 == 0 && operation::SEND_BYTES & 2 != 0);
    assert!(operation::RECEIVE & 2 == 0 && operation::OTHER & 2 == 0);
    // Bit 30 tells the operations that carry memory from SEND, SEND_BYTES and SEND_VECTOR.
    assert!(operation::LEND & 5 == 5 && operation::LEND_MUT & 7 == 6 && operation::MOVE & 5 == 5);
    assert!(operation::SEND & 4 == 0 && operation::SEND_BYTES & 4 == 0);
    assert!(operation::SEND_VECTOR & 4 == 0);
    assert!(operation::REPLY_BYTES_RECEIVE & 1 == 1);
    assert!(number::NULL == 0 && number::YIELD == 1);
    // Bit 30 alone tells RECEIVE from what is left then; LEND and the like are tried elsewhere.
    assert!(operation::RECEIVE == 4 && operation::LEND & 1 == 1 && operation::LEND_MUT & 2 != 0);
};

/// The trap entry of the floor: the same trap, stack and protection switch to the other one of two
/// threads ([`Block::partners`]), and no kernel logic. That is what a call does that answers and
/// waits at a channel in an odd slot; three instructions tell it from the others, which are served
/// as ever.
///
/// # Safety
/// For `mtvec` of a floor image only, in which only the two threads make such calls.
#[unsafe(naked)]
#[unsafe(link_section = ".trap.floor")]
pub unsafe extern "C" fn floor() {
    naked_asm!(
        "2:",
        tell_calls!(),
        "bgez  s2, 1f",
        "andi  t0, s2, 1",
        "beqz  t0, 1f",
        ".if {vectored}",
        "j     3f",
        interrupt_table!(),
        "3:",
        ".endif",
        suspend!(),
        // In a system of very many threads it is beyond what one instruction reaches.
        ".if {partners} < 2048",
        "lw    t0, {partners}(sp)",
        ".else",
        "li    t0, {partners}",
        "add   t0, t0, sp",
        "lw    t0, 0(t0)",
        ".endif",
        "xor   a0, a5, t0",
        switch!(),
        "1:",
        "j     riposte_system_call",
        ".ifeq {vectored}",
        "50:",
        "j     {other}",
        ".endif",
        user_call = const crate::csr::cause::USER_CALL,
        timer = const crate::csr::cause::TIMER,
        external = const crate::csr::cause::EXTERNAL,
        interrupts = const INTERRUPTS as usize,
        vectored = const VECTORED,
        other = sym other,
        stack_top = sym __kernel_stack_top,
        frame = const FRAME,
        protection = const PROTECTION,
        resume = const RESUME,
        pointers = const POINTERS,
        image = const IMAGE,
        first = const FIRST,
        regions = const REGIONS,
        refresh = const REFRESH,
        rights = const RIGHTS,
        s0 = const at(saved::S0),
        s1 = const at(saved::S1),
        a2 = const at(saved::A0 + 2),
        a3 = const at(saved::A0 + 3),
        partners = const offset_of!(Block, partners),
    )
}

/// Resumes the thread in a0 with all that the kernel saved of it, however it was suspended.
#[unsafe(naked)]
#[unsafe(link_section = ".trap")]
unsafe extern "C" fn restore() {
    naked_asm!(
        "lbu   t0, {plain}(a0)",
        "beqz  t0, 1f",
        resume!(),
        // Preempted, or it has not begun. From now on it is suspended by calls.
        "1:",
        "li    t0, 1",
        "sb    t0, {plain}(a0)",
        "sw    a0, 0(sp)",
        "lw    a1, {protection}(a0)",
        "lw    t4, {resume}(a0)",
        protect!(),
        "csrw  mepc, t4",
        "lw    sp, {frame}(a0)",
        load_message!(),
        "lw    ra, {saved}(a1)",
        "lw    t0, {saved} + 4(a1)",
        "lw    t1, {saved} + 8(a1)",
        "lw    t2, {saved} + 12(a1)",
        "lw    s0, {saved} + 16(a1)",
        "lw    s1, {saved} + 20(a1)",
        "lw    a0, {saved} + 24(a1)",
        "lw    a2, {saved} + 32(a1)",
        "lw    a3, {saved} + 36(a1)",
        "lw    a4, {saved} + 40(a1)",
        "lw    a5, {saved} + 44(a1)",
        "lw    a6, {saved} + 48(a1)",
        "lw    a7, {saved} + 52(a1)",
        "lw    s10, {saved} + 56(a1)",
        "lw    s11, {saved} + 60(a1)",
        "lw    t3, {saved} + 64(a1)",
        "lw    t4, {saved} + 68(a1)",
        "lw    t5, {saved} + 72(a1)",
        "lw    t6, {saved} + 76(a1)",
        "lw    gp, {pointers}(a1)",
        "lw    tp, {pointers} + 4(a1)",
        "lw    a1, {saved} + 28(a1)",
        "mret",
        plain = const PLAIN,
        frame = const FRAME,
        protection = const PROTECTION,
        resume = const RESUME,
        pointers = const POINTERS,
        image = const IMAGE,
        first = const FIRST,
        regions = const REGIONS,
        refresh = const REFRESH,
        rights = const RIGHTS,
        saved = const at(0),
        s0 = const at(saved::S0),
        s1 = const at(saved::S1),
    )
}

/// If the interrupted thread is in one of its program's restartable sequences, it will begin that anew:
/// a sequence is [`SEQUENCE`] bytes at a multiple of that, and its last instruction is the only one
/// that changes what others see, so that nothing has happened yet. Its context is in t0 then; uses
/// t1 to t4. (A call is none of its instructions; and a fault stops the thread.)
///
/// Where there are atomic instructions instead, it loses the word that it has reserved: the next thread
/// may leave a reservation of its own of the same word, and this one's store must not take that for
/// its own. A store that is conditional and fails is what ends one.
macro_rules! rewind {
    () => {
        concat!(
            ".if {atomic}\n",
            ".option push\n",
            ".option arch, +a\n",
            "addi  t1, sp, -4\n",
            "sc.w  t1, zero, (t1)\n",
            ".option pop\n",
            ".endif\n",
            ".if {restartable}\n",
            "lw    t1, 0(sp)\n",
            "lw    t2, {sequences}(t0)\n",
            "lw    t3, {resume}(t1)\n",
            "lw    t4, {sequences} + 4(t0)\n",
            "sub   t2, t3, t2\n",
            "bgeu  t2, t4, 2f\n",
            "andi  t3, t3, -{sequence}\n",
            "sw    t3, {resume}(t1)\n",
            "2:\n",
            ".endif\n",
        )
    };
}

/// A trap that is no system call: `sp` is in `mscratch`, all other registers are the thread's.
#[unsafe(naked)]
#[unsafe(link_section = ".trap")]
unsafe extern "C" fn other() {
    naked_asm!(
        "lui   sp, %hi({stack_top})",
        "sw    t0, -4(sp)",
        "sw    t1, -8(sp)",
        // The privilege before the trap.
        "csrr  t0, mstatus",
        "slli  t0, t0, 19",
        "srli  t0, t0, 30",
        "bnez  t0, {kernel_fault}",
        "lw    t0, 0(sp)",
        "csrr  t1, mscratch",
        "sw    t1, {frame}(t0)",
        "csrr  t1, mepc",
        "sw    t1, {resume}(t0)",
        "sb    zero, {plain}(t0)",
        "sw    s2, 0(t0)",
        "sw    s3, 4(t0)",
        "sw    s4, 8(t0)",
        "sw    s5, 12(t0)",
        "sw    s6, 16(t0)",
        "sw    s7, 20(t0)",
        "sw    s8, 24(t0)",
        "sw    s9, 28(t0)",
        "lw    t0, {protection}(t0)",
        "sw    ra, {saved}(t0)",
        "lw    t1, -4(sp)",
        "sw    t1, {saved} + 4(t0)",
        "lw    t1, -8(sp)",
        "sw    t1, {saved} + 8(t0)",
        "sw    t2, {saved} + 12(t0)",
        "sw    s0, {saved} + 16(t0)",
        "sw    s1, {saved} + 20(t0)",
        "sw    a0, {saved} + 24(t0)",
        "sw    a1, {saved} + 28(t0)",
        "sw    a2, {saved} + 32(t0)",
        "sw    a3, {saved} + 36(t0)",
        "sw    a4, {saved} + 40(t0)",
        "sw    a5, {saved} + 44(t0)",
        "sw    a6, {saved} + 48(t0)",
        "sw    a7, {saved} + 52(t0)",
        "sw    s10, {saved} + 56(t0)",
        "sw    s11, {saved} + 60(t0)",
        "sw    t3, {saved} + 64(t0)",
        "sw    t4, {saved} + 68(t0)",
        "sw    t5, {saved} + 72(t0)",
        "sw    t6, {saved} + 76(t0)",
        "csrr  a0, mcause",
        "bltz  a0, 1f",
        "csrr  a1, mtval",
        "jal   {fault}",
        "j     {restore}",
        "1:",
        rewind!(),
        ".if {interrupts}",
        "slli  t0, a0, 1",
        "addi  t0, t0, -2 * {timer}",
        "beqz  t0, 3f",
        "jal   {interrupt}",
        "j     {restore}",
        "3:",
        ".endif",
        // Without interrupts for processes, the machine timer's is the only one that is enabled.
        "jal   {clock}",
        "j     {restore}",
        stack_top = sym __kernel_stack_top,
        frame = const FRAME,
        resume = const RESUME,
        plain = const PLAIN,
        protection = const PROTECTION,
        saved = const at(0),
        restartable = const RESTARTABLE,
        sequences = const SEQUENCES,
        sequence = const SEQUENCE,
        atomic = const cfg!(target_feature = "a") as usize,
        kernel_fault = sym kernel_fault,
        fault = sym riposte_fault,
        interrupts = const INTERRUPTS as usize,
        timer = const crate::csr::cause::TIMER,
        interrupt = sym riposte_interrupt,
        clock = sym riposte_clock,
        restore = sym restore,
    )
}

#[unsafe(naked)]
#[unsafe(link_section = ".trap")]
unsafe extern "C" fn kernel_fault() {
    naked_asm!("j {kernel_fault}", kernel_fault = sym riposte_kernel_fault)
}

/// Forgets the start-up code's stack, and runs the first thread.
///
/// # Safety
/// Called once; everything that processes need is set up.
#[unsafe(naked)]
#[unsafe(link_section = ".trap")]
pub(crate) unsafe extern "C" fn begin() -> ! {
    naked_asm!(
        "lui   sp, %hi({stack_top})",
        "jal   {begin}",
        "j     {restore}",
        stack_top = sym __kernel_stack_top,
        begin = sym riposte_begin,
        restore = sym restore,
    )
}

/// Defines what the trap entries call, for the static [`Block`] `$block` on board `$board`. `$floor`
/// says whether this is a floor image.
#[macro_export]
macro_rules! traps {
    ($block:path, $board:ty, $floor:path) => {
        #[allow(
            improper_ctypes_definitions,
            reason = "as at the trap code's declarations"
        )]
        const _: () = {
            use $crate::trap::handlers;

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_send(
                _: u64,
                _: u64,
                _: u32,
                client: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> u64 {
                handlers::fast::send(client, call, info, || handlers::refuse(0), handlers::pack)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_reply(
                _: u64,
                _: u32,
                generation: u32,
                status: u32,
                server: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> u64 {
                handlers::fast::reply_receive(
                    server,
                    call,
                    || info,
                    || generation,
                    || handlers::refuse(status),
                    handlers::pack,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_send_bytes(
                _: u64,
                _: u32,
                length: u32,
                address: u32,
                client: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> *const handlers::Thread {
                handlers::fast::send_bytes(
                    &handlers::machine::<$board>(),
                    client,
                    handlers::bytes(call, info, 0, address, length),
                    |server, arrival| {
                        server.registers[handlers::register::CALL].set(arrival.call);
                        server.registers[handlers::register::WORD0].set(arrival.copied);
                    },
                    handlers::refuse_pointer,
                    core::ptr::from_ref,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_reply_bytes(
                _: u64,
                generation: u32,
                length: u32,
                address: u32,
                server: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> *const handlers::Thread {
                handlers::fast::reply_bytes_receive(
                    &handlers::machine::<$board>(),
                    server,
                    handlers::bytes(call, info, generation, address, length),
                    |client, arrival| {
                        client.registers[handlers::register::WORD0].set(arrival.copied);
                    },
                    handlers::refuse_pointer,
                    core::ptr::from_ref,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_reply_bytes_alone(
                _: u64,
                length: u32,
                address: u32,
                status: u32,
                server: &'static handlers::Thread,
                generation: u32,
                info: u32,
            ) -> u64 {
                handlers::fast::reply_bytes(
                    &$block.kernel,
                    &handlers::machine::<$board>(),
                    server,
                    handlers::bytes(0, info, generation, address, length),
                    || handlers::refuse(status),
                    |taken| 1 | u64::from(taken) << 32,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_reply_alone(
                server: &'static handlers::Thread,
            ) -> *const handlers::Thread {
                let machine = handlers::machine::<$board>();
                handlers::pointer(handlers::fast::reply(&$block.kernel, &machine, server))
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_receive(
                _: u64,
                _: u64,
                _: u32,
                server: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> *const handlers::Thread {
                let kernel = &$block.kernel;
                let next = handlers::fast::receive(kernel, server, call, info, |_| true);
                handlers::pointer(next)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_acknowledge(
                _: u64,
                _: u64,
                interrupt: u32,
                handler: &'static handlers::Thread,
                call: u32,
            ) -> *const handlers::Thread {
                let machine = handlers::machine::<$board>();
                let call = (call, interrupt);
                let next = handlers::fast::interrupt::acknowledge(
                    &$block.kernel,
                    &machine,
                    handler,
                    call,
                    |_| true,
                );
                handlers::pointer(next)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_reply_mixed(
                server: &'static handlers::Thread,
            ) -> *const handlers::Thread {
                handlers::pointer(handlers::fast::reply_words_to_bytes(server))
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_lend(
                _: u64,
                _: u32,
                length: u32,
                address: u32,
                client: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> u64 {
                handlers::fast::lend::lend(
                    &handlers::machine::<$board>(),
                    client,
                    handlers::bytes(call, info, 0, address, length),
                    handlers::refuse_loan,
                    handlers::pack_at,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_give_back(
                _: u64,
                _: u32,
                generation: u32,
                _: u32,
                server: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> u64 {
                handlers::fast::lend::give_back(
                    &handlers::machine::<$board>(),
                    server,
                    call,
                    info,
                    generation,
                    handlers::refuse_loan,
                    handlers::pack,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_wait(
                thread: &'static handlers::Thread,
                address: u32,
                expected: u32,
                next: &'static handlers::Thread,
            ) -> *const handlers::Thread {
                handlers::fast::futex::wait(
                    &$block.kernel,
                    &handlers::machine::<$board>(),
                    (thread, next),
                    (address, expected),
                    |_| true,
                    handlers::refuse_pointer,
                    core::ptr::from_ref,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_wait_anywhere(
                thread: &'static handlers::Thread,
                address: u32,
                expected: u32,
            ) -> *const handlers::Thread {
                let next = handlers::fast::futex::wait_anywhere(
                    &$block.kernel,
                    &handlers::machine::<$board>(),
                    thread,
                    (address, expected),
                    |_| true,
                );
                handlers::pointer(next)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_wake(
                thread: &'static handlers::Thread,
                address: u32,
            ) -> *const handlers::Thread {
                handlers::fast::futex::wake(
                    &$block.kernel,
                    thread,
                    address,
                    |_| true,
                    handlers::refuse_pointer,
                    handlers::one_or_next,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_wake_anywhere(
                thread: &'static handlers::Thread,
                address: u32,
                most: u32,
            ) -> u64 {
                handlers::fast::futex::wake_anywhere(
                    &$block.kernel,
                    thread,
                    (address, most),
                    |_| true,
                    || handlers::refuse(0),
                    handlers::pack_woken,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_add(
                thread: &'static handlers::Thread,
                address: u32,
            ) -> bool {
                handlers::fast::futex::add(&handlers::machine::<$board>(), thread, address)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_pend(
                thread: &'static handlers::Thread,
                interrupt: u32,
            ) -> bool {
                let machine = handlers::machine::<$board>();
                handlers::fast::interrupt::pend(&$block.kernel, &machine, thread, interrupt)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_yield(
                thread: &'static handlers::Thread,
            ) -> *const handlers::Thread {
                handlers::pointer(handlers::fast::give_way(&$block.kernel, thread, |_| true))
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_call() -> *const handlers::Thread {
                handlers::call::<$board>(&$block.kernel)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_clock() -> *const handlers::Thread {
                handlers::clock::<$board>(&$block.kernel)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_interrupt(cause: u32) -> *const handlers::Thread {
                handlers::interrupt::<$board>(&$block.kernel, cause)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fault(cause: u32, value: u32) -> *const handlers::Thread {
                handlers::fault::<$board>(&$block.kernel, cause, value)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_begin() -> *const handlers::Thread {
                handlers::begin::<$board>(&$block, $floor)
            }
        };
    };
}

#[doc(hidden)]
pub mod handlers {
    //! What [`traps`](crate::traps) expands to calls of.

    pub use riposte_abi::register;
    pub use riposte_kernel::{Kernel, Thread, fast};

    use riposte_kernel::limits::TRANSLATED;

    use crate::{Board, Machine, fault::describe, protection, trap::Block};

    /// Bytes of `ecall`.
    const CALL_BYTES: u32 = 4;

    #[inline(always)]
    pub fn pack(thread: &'static Thread, word: u32) -> u64 {
        (core::ptr::from_ref(thread).addr() as u64) | u64::from(word) << 32
    }

    /// As [`pack`], for a server that sees lent memory at `address`: which is where the client does
    /// if addresses are not translated, and in the register already.
    #[inline(always)]
    pub fn pack_at(server: &'static Thread, badge: u32, address: u32) -> u64 {
        if TRANSLATED {
            server.registers[register::WORD0].set(address);
        }
        pack(server, badge)
    }

    /// A refusal: null and `word`, made where the compiler can't see that null is a constant.
    /// Otherwise it would keep a zero in a register all along the successful path.
    #[inline(always)]
    pub fn refuse(word: u32) -> u64 {
        let (null, copy): (u32, u32);
        // SAFETY: sets the two registers of the result.
        unsafe {
            core::arch::asm!(
                "li a0, 0",
                "mv a1, {0}",
                in(reg) word,
                lateout("a0") null,
                lateout("a1") copy,
                options(nomem, nostack),
            );
        }
        u64::from(null) | u64::from(copy) << 32
    }

    /// [`refuse`], apart from the successful path.
    #[inline(always)]
    pub fn refuse_loan() -> u64 {
        core::hint::cold_path();
        refuse(0)
    }

    /// [`refuse`], where a pointer is returned.
    #[inline(always)]
    pub fn refuse_pointer() -> *const Thread {
        core::ptr::without_provenance(refuse(0) as usize)
    }

    /// The message registers of a call that names bytes, where they were passed.
    #[inline(always)]
    pub fn bytes(
        call: u32,
        info: u32,
        generation: u32,
        address: u32,
        length: u32,
    ) -> impl Fn(usize) -> u32 + Copy {
        move |position| match position {
            register::CALL => call,
            register::INFO => info,
            register::GENERATION => generation,
            register::WORD0 => address,
            _ => length,
        }
    }

    /// What the trap code is told of a wake that wakes one thread.
    #[inline(always)]
    pub fn one_or_next(woken: fast::futex::Woken) -> *const Thread {
        match woken {
            fast::futex::Woken::Few(count) => core::ptr::without_provenance(count as usize),
            fast::futex::Woken::Switch(next) => core::ptr::from_ref(next),
        }
    }

    /// What the trap code is told of a wake.
    #[inline(always)]
    pub fn pack_woken(woken: fast::futex::Woken) -> u64 {
        match woken {
            fast::futex::Woken::Few(count) => 1 | u64::from(count) << 32,
            fast::futex::Woken::Switch(next) => core::ptr::from_ref(next).addr() as u64,
        }
    }

    #[inline(always)]
    pub fn pointer(thread: Option<&'static Thread>) -> *const Thread {
        thread.map_or(core::ptr::null(), core::ptr::from_ref)
    }

    pub fn machine<B: Board>() -> Machine<B> {
        // SAFETY: called from the trap entries only.
        unsafe { Machine::new() }
    }

    pub fn begin<B: Board>(block: &'static Block, floor: bool) -> *const Thread {
        protection::begin(block.kernel.tables().threads);
        if let (true, [first, second, ..]) = (floor, block.kernel.tables().threads) {
            block
                .partners
                .set(core::ptr::from_ref(first).addr() ^ core::ptr::from_ref(second).addr());
        }
        block.kernel.start(&machine::<B>())
    }

    pub fn call<B: Board>(kernel: &'static Kernel) -> *const Thread {
        let before = kernel.current.get();
        kernel.call(&machine::<B>()).unwrap_or_else(|| {
            // The same call again, once the interrupt is served: with the extra registers, which
            // are among those that a preempted thread gets back.
            before
                .resume
                .set(before.resume.get().wrapping_sub(CALL_BYTES));
            before.plain.set(false);
            before
        })
    }

    pub fn clock<B: Board>(kernel: &'static Kernel) -> *const Thread {
        let machine = machine::<B>();
        fast::alarm::alarm(kernel, &machine).unwrap_or_else(|| kernel.alarm(&machine))
    }

    pub fn interrupt<B: Board>(kernel: &'static Kernel, cause: u32) -> *const Thread {
        let line = B::take(cause).into();
        fast::interrupt::interrupt(kernel, line)
            .unwrap_or_else(|| kernel.interrupt(&machine::<B>(), line))
    }

    pub fn fault<B: Board>(kernel: &'static Kernel, cause: u32, value: u32) -> *const Thread {
        let description = describe(kernel.current.get(), cause, value);
        kernel.fault(&machine::<B>(), description)
    }
}
