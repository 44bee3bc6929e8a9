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
//! Of the kernel, this code knows the running thread, the resume record of each thread ([`Thread::frame`],
//! [`Thread::protection`], [`Thread::resume`], with its token), and where its message registers are saved. It
//! looks at nothing else, and decides nothing: what a call means is for [`Kernel::dispatch`].
//!
//! There are these ways in. The null call returns at once. SEND and REPLY_RECEIVE of words try their two
//! functions ([`riposte_kernel::words`]) with the message in its registers. All other calls, and what those two refuse, save the
//! message registers and enter the dispatcher; so do interrupts and faults, which save every register. There is one
//! way out, which loads what was saved, and a shorter one for a message that has stayed in its registers.
//!
//! The board's image defines the functions named here with [`traps`](crate::traps), for its own
//! kernel and board.

use core::{arch::naked_asm, cell::Cell, mem::offset_of};

use riposte_kernel::{
    Kernel, Thread, calls,
    limits::{INTERRUPTS, TRACE},
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
const POINTERS: usize = offset_of!(Context, pointers);
const WHOLE: usize = offset_of!(Context, whole);
const IMAGE: usize = offset_of!(Context, image);
const SEQUENCES: usize = offset_of!(Context, restartable);

/// Bytes of a restartable sequence.
const SEQUENCE: u32 = riposte_abi::RESTARTABLE_BYTES;

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
    /// [`riposte_kernel::words::send`]: the server, and the badge; or null. The arguments that count begin at a5, so that none
    /// has to give way to the result.
    fn riposte_send(_: u64, _: u64, _: u32, client: &'static Thread, call: u32, info: u32) -> u64;
    /// [`riposte_kernel::words::reply_receive`]: the client, and its `INFO`; or null, and `status`.
    fn riposte_reply_receive(
        _: u64,
        _: u32,
        generation: u32,
        status: u32,
        server: &'static Thread,
        call: u32,
        info: u32,
    ) -> u64;
    /// The table of calls ([`Kernel::serve`]): functions that take the running thread, its message registers saved,
    /// and return the thread to run.
    static riposte_calls: [usize; calls::CALLS];
    /// An interrupt, by `mcause`; returns the thread to run.
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
            "addi  t1, t1, 4\n", // behind the call
            "sw    t0, {frame}(a5)\n",
            "sw    t1, {resume}(a5)\n",
            // Where it wants bytes: a reply to it needs that.
            "sw    a2, {a2}(t2)\n",
            "sw    a3, {a3}(t2)\n",
            "sw    s0, {s0}(t2)\n",
            "sw    s1, {s1}(t2)\n",
        )
    };
}

/// Resumes the thread in a0, which a call has suspended, and whose context is in a1: its message registers are in
/// place.
macro_rules! switch {
    () => {
        concat!(
            "sw    a0, 0(sp)\n", // it runs from now on
            "lw    t4, {resume}(a0)\n",
            protect!(),
            "csrw  mepc, t4\n",
            "lw    sp, {frame}(a0)\n",
            "lw    s0, {s0}(a1)\n",
            "lw    s1, {s1}(a1)\n",
            "lw    gp, {pointers}(a1)\n",
            "lw    tp, {pointers} + 4(a1)\n",
            clear!(),
            "mret\n",
        )
    };
}

/// Clears what no call returns anything in, but for t0 to t4: nobody finds what the kernel or another process left.
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
            "li    s10, 0\n",
            "li    s11, 0\n",
        )
    };
}

/// Saves the message registers of the thread at register `$thread`.
macro_rules! save_message {
    ($thread:literal) => {
        concat!(
            "sw    s2, 0(",
            $thread,
            ")\n",
            "sw    s3, 4(",
            $thread,
            ")\n",
            "sw    s4, 8(",
            $thread,
            ")\n",
            "sw    s5, 12(",
            $thread,
            ")\n",
            "sw    s6, 16(",
            $thread,
            ")\n",
            "sw    s7, 20(",
            $thread,
            ")\n",
            "sw    s8, 24(",
            $thread,
            ")\n",
            "sw    s9, 28(",
            $thread,
            ")\n",
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
        // The registers are the caller's but for `sp`. Bits 31 and 28 of the call word tell the operations
        // apart that are worth it.
        ".globl riposte_system_call",
        "riposte_system_call:",
        ".if {traced}",
        "j     20f",
        ".else",
        "bltz  s2, 28f",
        "slli  t0, s2, 3",
        ".endif",
        ".if {vectored}",
        "bltz  t0, 10f",
        "j     20f",
        interrupt_table!(),
        "10:",
        ".else",
        "bgez  t0, 20f",
        ".endif",
        // SEND of words (and the other odd operations, which it refuses)
        suspend!(),
        "mv    a6, s2",
        "mv    a7, s4",
        "jal   {send}",
        "lw    a5, 0(sp)", // the client, whose token the server gets
        "beqz  a0, 30f",
        "mv    s2, a1",
        "lw    t0, {tag}(a5)",
        "lw    s5, {generation}(a5)",
        "lw    a1, {protection}(a0)",
        "or    s4, s4, t0",
        switch!(),
        // REPLY_RECEIVE of words (and REPLY_VECTOR_RECEIVE, which it refuses)
        ".balign 4",
        "28:",
        "slli  t0, s2, 3",
        "bltz  t0, 21f",
        suspend!(),
        "mv    a3, s5",
        "mv    a6, s2",
        "mv    a7, s4",
        "jal   {reply_receive}",
        "beqz  a0, 29f",
        "mv    s4, a1",
        "lw    a1, {protection}(a0)",
        "li    s2, 0", // its status
        switch!(),
        // REPLY_RECEIVE, refused: a4 was handed back.
        "29:",
        "lw    a5, 0(sp)",
        "lw    t2, {protection}(a5)",
        "sw    a1, {a4}(t2)",
        "j     31f",
        // The null call returns at once.
        ".balign 4",
        "20:",
        "bnez  s2, 21f",
        "csrr  t0, mepc",
        "addi  t0, t0, 4",
        "csrw  mepc, t0",
        "csrr  sp, mscratch",
        "mret",
        // The dispatcher serves all other calls. What it returns lies in the thread's saved registers.
        "21:",
        suspend!(),
        "sw    a4, {a4}(t2)",
        "sw    ra, {ra}(t2)",
        "j     31f",
        // SEND, refused: the message registers are still the caller's.
        "30:",
        "lw    t2, {protection}(a5)",
        "31:",
        save_message!("a5"),
        "sw    s10, {s10}(t2)",
        "sw    s11, {s11}(t2)",
        // Its entry in the table: the operation, or what follows them and the number.
        "srli  t0, s2, {operation_shift}",
        "bnez  t0, 32f",
        "li    t1, {numbers}",
        "bgeu  s2, t1, 32f", // t0 is that of no call
        "addi  t0, s2, {first_number}",
        "32:",
        "slli  t0, t0, 2",
        "lui   t1, %hi({calls})",
        "add   t0, t0, t1",
        "lw    t0, %lo({calls})(t0)",
        "mv    a0, a5",
        "jalr  t0",
        // The thread in a0 runs: mostly one that a call has suspended.
        "lw    a1, {protection}(a0)",
        "lw    t0, {whole}(a1)",
        "bnez  t0, {resume_whole}",
        load_message!(),
        switch!(),
        ".ifeq {vectored}",
        "50:",
        "j     {other}",
        ".endif",
        user_call = const crate::csr::cause::USER_CALL,
        timer = const crate::csr::cause::TIMER,
        external = const crate::csr::cause::EXTERNAL,
        interrupts = const INTERRUPTS as usize,
        traced = const TRACE as usize,
        vectored = const VECTORED,
        other = sym other,
        stack_top = sym __kernel_stack_top,
        frame = const FRAME,
        protection = const PROTECTION,
        resume = const RESUME,
        tag = const TAG,
        generation = const GENERATION,
        pointers = const POINTERS,
        whole = const WHOLE,
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
        send = sym riposte_send,
        reply_receive = sym riposte_reply_receive,
        calls = sym riposte_calls,
        operation_shift = const riposte_abi::call::OPERATION_SHIFT,
        numbers = const riposte_abi::call::number::COUNT,
        first_number = const calls::entry(0),
        resume_whole = sym resume_whole,
    )
}

const _: () = {
    use riposte_abi::call::{number, operation};
    assert!(calls::NO_CALL == 0);
    // Bit 28 is set in what is tried as SEND, and clear in what is tried as REPLY_RECEIVE.
    assert!(operation::SEND & 1 == 1 && operation::REPLY_RECEIVE & 1 == 0);
    assert!(operation::REPLY_RECEIVE & 8 != 0 && operation::SEND & 8 == 0);
    assert!(number::NULL == 0);
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
        "lw    a1, {protection}(a0)",
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
unsafe extern "C" fn resume() {
    naked_asm!(
        "lw    a1, {protection}(a0)",
        "lw    t0, {whole}(a1)",
        "bnez  t0, {resume_whole}",
        load_message!(),
        switch!(),
        protection = const PROTECTION,
        whole = const WHOLE,
        resume_whole = sym resume_whole,
        frame = const FRAME,
        resume = const RESUME,
        pointers = const POINTERS,
        image = const IMAGE,
        first = const FIRST,
        regions = const REGIONS,
        refresh = const REFRESH,
        rights = const RIGHTS,
        s0 = const at(saved::S0),
        s1 = const at(saved::S1),
    )
}

/// Where there are atomic instructions: ends whatever reservation the processor has. A thread that goes on between one
/// of its own and its store must not take for that what another one has left, before a call or an interrupt. A
/// store that is conditional and fails is what ends one. Uses t1.
macro_rules! end_reservation {
    () => {
        concat!(
            ".if {atomic}\n",
            ".option push\n",
            ".option arch, +a\n",
            "addi  t1, sp, -4\n",
            "sc.w  t1, zero, (t1)\n",
            ".option pop\n",
            ".endif\n",
        )
    };
}

/// Resumes the thread in a0, whose context is in a1 and which was interrupted, or has not begun, or repeats its call.
/// From now on it is suspended by calls.
#[unsafe(naked)]
#[unsafe(link_section = ".trap")]
unsafe extern "C" fn resume_whole() {
    naked_asm!(
        "sw    zero, {whole}(a1)",
        "sw    a0, 0(sp)", // it runs from now on
        end_reservation!(),
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
        atomic = const cfg!(target_feature = "a") as usize,
        whole = const WHOLE,
        frame = const FRAME,
        resume = const RESUME,
        pointers = const POINTERS,
        image = const IMAGE,
        first = const FIRST,
        regions = const REGIONS,
        refresh = const REFRESH,
        rights = const RIGHTS,
        saved = const at(0),
    )
}

/// If the interrupted thread is in one of its program's restartable sequences, it will begin that anew:
/// a sequence is [`SEQUENCE`] bytes at a multiple of that, and its last instruction is the only one
/// that changes what others see, so that nothing has happened yet. Its context is in t0 then; uses
/// t1 to t4. (A call is none of its instructions; and a fault stops the thread.)
macro_rules! rewind {
    () => {
        concat!(
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
        save_message!("t0"),
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
        "li    t1, 1",
        "sw    t1, {whole}(t0)",
        "csrr  a0, mcause",
        "bltz  a0, 1f",
        "csrr  a1, mtval",
        "jal   {fault}",
        "j     {leave}",
        "1:",
        rewind!(),
        "jal   {interrupt}",
        "j     {leave}",
        stack_top = sym __kernel_stack_top,
        frame = const FRAME,
        resume = const RESUME,
        whole = const WHOLE,
        protection = const PROTECTION,
        saved = const at(0),
        restartable = const RESTARTABLE,
        sequences = const SEQUENCES,
        sequence = const SEQUENCE,
        kernel_fault = sym kernel_fault,
        fault = sym riposte_fault,
        interrupt = sym riposte_interrupt,
        leave = sym resume,
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
        "j     {leave}",
        stack_top = sym __kernel_stack_top,
        begin = sym riposte_begin,
        leave = sym resume,
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
            extern "C" fn riposte_send(
                _: u64,
                _: u64,
                _: u32,
                client: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> u64 {
                let refuse = || handlers::refuse(0);
                handlers::words::send(client, call, info, refuse, handlers::pack)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_reply_receive(
                _: u64,
                _: u32,
                generation: u32,
                status: u32,
                server: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> u64 {
                handlers::words::reply_receive(
                    server,
                    call,
                    info,
                    generation,
                    || handlers::refuse(status),
                    handlers::pack,
                )
            }

            extern "C" fn call<const ENTRY: usize>(
                thread: &'static handlers::Thread,
            ) -> *const handlers::Thread {
                handlers::call::<$board, ENTRY>(&$block.kernel, thread)
            }

            #[unsafe(no_mangle)]
            #[used]
            static riposte_calls: [handlers::Call; handlers::calls::CALLS] =
                handlers::table_of_calls!(call);

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

    pub use riposte_kernel::{Kernel, Thread, calls, table_of_calls, words};

    use riposte_kernel::Event;

    use crate::{
        Board, Machine,
        csr::{cause, wait_for_interrupt},
        fault::describe,
        protection,
        trap::Block,
    };

    #[inline(always)]
    pub fn pack(thread: &'static Thread, word: u32) -> u64 {
        (core::ptr::from_ref(thread).addr() as u64) | u64::from(word) << 32
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
        block.kernel.dispatch(&machine::<B>(), Event::Start)
    }

    /// An entry of the table of calls.
    pub type Call = extern "C" fn(&'static Thread) -> *const Thread;

    #[inline(always)]
    pub fn call<B: Board, const ENTRY: usize>(
        kernel: &'static Kernel,
        thread: &'static Thread,
    ) -> *const Thread {
        kernel.serve::<ENTRY>(&machine::<B>(), thread)
    }

    pub fn interrupt<B: Board>(kernel: &'static Kernel, cause: u32) -> *const Thread {
        // Bit 31 only says that it is an interrupt.
        let event = if cause << 1 == cause::TIMER << 1 {
            Event::Clock
        } else {
            Event::Interrupt(B::take(cause))
        };
        kernel.dispatch(&machine::<B>(), event)
    }

    pub fn fault<B: Board>(kernel: &'static Kernel, cause: u32, value: u32) -> *const Thread {
        let thread = kernel.current.get();
        if cause == cause::ILLEGAL && kernel.is_idle(thread) {
            // It may not wait for an interrupt itself: that comes as soon as it goes on.
            wait_for_interrupt();
            return thread;
        }
        let description = describe(thread, cause, value);
        kernel.dispatch(&machine::<B>(), Event::Fault(description))
    }
}
