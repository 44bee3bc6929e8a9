//! Trap entries and exits: where a process's registers become the kernel's decision and back.
//!
//! The main stack is empty while a process runs, and the [`Kernel`] lies right above it: on entry,
//! the word at `sp` is [`Kernel::current`].
//!
//! The board's image defines the functions named here with [`traps`](crate::traps), for its own
//! kernel and board.

use core::{arch::naked_asm, cell::Cell, mem::offset_of};

use riposte_kernel::{
    Kernel, Thread,
    limits::{FUTEXES, INTERRUPTS, MEMORY_MESSAGES},
};

use crate::mpu::REGIONS;

const FRAME: usize = offset_of!(Thread, frame);
const TAG: usize = offset_of!(Thread, tag);
const RESUME: usize = offset_of!(Thread, resume);
const PLAIN: usize = offset_of!(Thread, plain);

/// The last call without a handle that has a way of its own.
const LAST_NUMBER: u32 = {
    use riposte_abi::call::number;
    if FUTEXES == 0 {
        number::REPLY_BYTES
    } else {
        number::FUTEX_GIVE
    }
};

/// What is added to the operation of a loan to make its mark.
const MARK: u32 = {
    use riposte_abi::{call::operation, info};
    assert!(info::LENT_MUT - info::LENT == operation::LEND_MUT - operation::LEND);
    info::LENT - operation::LEND
};

const _: () = {
    assert!(offset_of!(Block, kernel) == 0 && offset_of!(Kernel, current) == 0);
    assert!(offset_of!(Thread, registers) == 0);
    assert!(offset_of!(Thread, protection) == FRAME + 4);
    assert!(offset_of!(Thread, generation) == TAG + 4);
};

#[allow(
    improper_ctypes,
    reason = "references to kernel objects are just addresses to the trap code"
)]
unsafe extern "C" {
    /// [`riposte_kernel::fast::send`]: the server in the low half, the badge in the high one.
    fn riposte_fast_send(client: &'static Thread, call: u32, info: u32) -> u64;
    /// [`riposte_kernel::fast::reply_receive`]: the client, and its `INFO`.
    fn riposte_fast_reply(server: &'static Thread, call: u32) -> u64;
    /// [`riposte_kernel::fast::send_bytes`]: the server, or null.
    fn riposte_fast_send_bytes(client: &'static Thread) -> *const Thread;
    /// [`riposte_kernel::fast::reply_bytes_receive`]: the client, or null.
    fn riposte_fast_reply_bytes(server: &'static Thread) -> *const Thread;
    /// [`riposte_kernel::fast::reply_bytes`]: not null, and the bytes that were taken; or null.
    fn riposte_fast_reply_bytes_alone(server: &'static Thread) -> u64;
    /// [`riposte_kernel::fast::reply`]: the thread to run, or null.
    fn riposte_fast_reply_alone(server: &'static Thread) -> *const Thread;
    /// [`riposte_kernel::fast::receive`]: the thread to run, or null.
    fn riposte_fast_receive(server: &'static Thread, call: u32, info: u32) -> *const Thread;
    /// [`riposte_kernel::fast::interrupt::acknowledge`]: the thread to run, or null.
    fn riposte_fast_acknowledge(
        handler: &'static Thread,
        call: u32,
        interrupt: u32,
    ) -> *const Thread;
    /// [`riposte_kernel::fast::reply_words_to_bytes`]: the client, or null.
    fn riposte_fast_reply_mixed(server: &'static Thread) -> *const Thread;
    /// [`riposte_kernel::fast::lend::lend`], with `WORD0` and `WORD1` saved: the server, and the badge;
    /// or null.
    fn riposte_fast_lend(client: &'static Thread, call: u32, info: u32) -> u64;
    /// [`riposte_kernel::fast::lend::give_back`]: the client, and its `INFO`; or null.
    fn riposte_fast_give_back(
        server: &'static Thread,
        call: u32,
        info: u32,
        generation: u32,
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
    fn riposte_fast_wake(
        thread: &'static Thread,
        address: u32,
        kernel: &'static Kernel,
    ) -> *const Thread;
    /// [`riposte_kernel::fast::futex::wake_anywhere`]: the thread to run instead of this one; or 1, and
    /// how many were woken; or null.
    fn riposte_fast_wake_anywhere(thread: &'static Thread, address: u32, most: u32) -> u64;
    /// [`riposte_kernel::fast::futex::add`].
    fn riposte_fast_add(thread: &'static Thread, address: u32) -> bool;
    /// [`riposte_kernel::fast::interrupt::pend`].
    fn riposte_fast_pend(thread: &'static Thread, interrupt: u32) -> bool;
    /// [`riposte_kernel::fast::give_way`]: the thread to run, or null.
    fn riposte_fast_yield(thread: &'static Thread, kernel: &'static Kernel) -> *const Thread;
    /// Any other call of the running thread; returns the thread to run.
    fn riposte_call() -> *const Thread;
    /// A call of a thread that has the FPU; makes its frame plain, or refuses to.
    fn riposte_discard_fpu(thread: &'static Thread) -> bool;
    /// The clock's interrupt; returns the thread to run.
    fn riposte_clock() -> *const Thread;
    /// The interrupt of a process, by its exception number; returns the thread to run.
    fn riposte_interrupt(exception: u32) -> *const Thread;
    /// A fault of the running thread; returns the thread to run.
    fn riposte_fault() -> *const Thread;
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

/// Writes the protection image at `lr` to the MPU. Uses r0 to r3 and r12.
macro_rules! protect {
    () => {
        concat!(
            "ldr   r1, 90f\n",
            "ldm   lr!, {{r0, r2, r3, r12}}\n",
            "stm   r1!, {{r0, r2, r3, r12}}\n",
            "ldm   lr!, {{r0, r2, r3, r12}}\n",
            "stm   r1, {{r0, r2, r3, r12}}\n",
            ".if {regions} > 4\n",
            "sub   r1, #16\n",
            "ldm   lr!, {{r0, r2, r3, r12}}\n",
            "stm   r1!, {{r0, r2, r3, r12}}\n",
            "ldm   lr!, {{r0, r2, r3, r12}}\n",
            "stm   r1, {{r0, r2, r3, r12}}\n",
            ".endif\n",
            "dsb\n",
        )
    };
}

/// Resumes the thread in r0 by the short way: its message registers are in place.
macro_rules! switch {
    () => {
        concat!(
            "str   r0, [sp]\n",
            "ldrd  r1, lr, [r0, #{frame}]\n",
            "msr   psp, r1\n",
            protect!(),
            "ldr   pc, 91f\n",
        )
    };
}

/// Writes the protection image at `lr` to the MPU by way of r4 to r11, which are free here: the
/// message registers of the thread in r0 are saved, and are loaded then. Uses r1.
macro_rules! protect_and_load {
    () => {
        concat!(
            "ldr   r1, 90f\n",
            ".if {regions} > 4\n",
            "ldm   lr!, {{r4-r11}}\n",
            "stm   r1, {{r4-r11}}\n",
            ".endif\n",
            "ldm   lr, {{r4-r11}}\n",
            "stm   r1, {{r4-r11}}\n",
            "dsb\n",
            "ldm   r0, {{r4-r11}}\n",
        )
    };
}

/// Resumes the thread in r0, which a call has suspended: its message registers are saved.
macro_rules! resume {
    () => {
        concat!(
            "str   r0, [sp]\n",
            "ldrd  r1, lr, [r0, #{frame}]\n",
            "msr   psp, r1\n",
            protect_and_load!(),
            "ldr   pc, 91f\n",
        )
    };
}

/// Resumes the thread in r0 with all that the kernel saved of it, however it was suspended.
macro_rules! restore {
    () => {
        concat!(
            "ldrd  r1, lr, [r0, #{frame}]\n",
            "msr   psp, r1\n",
            protect_and_load!(),
            "ldr   pc, [r0, #{resume}]\n",
        )
    };
}

/// `SVCall`: a system call of a thread without the FPU.
///
/// # Safety
/// For the vector table only.
#[unsafe(naked)]
pub unsafe extern "C" fn system_call() {
    naked_asm!(
        "ldr   r0, [sp]",
        "mrs   r3, psp",
        "lsrs  r1, r4, #28",
        "str   r3, [r0, #{frame}]",
        "tbh   [pc, r1, lsl #1]",
        // A byte would not reach all of them.
        "10:",
        // By operation, as `riposte_abi::call::operation` numbers them.
        ".short (20f-10b)/2, (21f-10b)/2, (22f-10b)/2, (40f-10b)/2",
        ".if {carried}",
        ".short (61f-10b)/2, (25f-10b)/2, (25f-10b)/2, (40f-10b)/2",
        ".else",
        ".short (61f-10b)/2, (40f-10b)/2, (40f-10b)/2, (40f-10b)/2",
        ".endif",
        ".short (28f-10b)/2, (29f-10b)/2, (40f-10b)/2, (40f-10b)/2",
        ".short (40f-10b)/2, (40f-10b)/2, (40f-10b)/2, (40f-10b)/2",
        // OTHER: null returns at once, yield and the plain answers have ways of their own.
        "20:",
        "cmp   r4, #{last_number}",
        ".if {futexes}",
        "bhi   40f",
        ".else",
        "bhi   70f",
        ".endif",
        "tbh   [pc, r4, lsl #1]",
        "11:",
        // By number, as `riposte_abi::call::number` has them.
        ".short (12f-11b)/2, (23f-11b)/2",
        ".rept {reply_number} - {yield_number} - 1",
        ".short (40f-11b)/2",
        ".endr",
        ".short (62f-11b)/2, (63f-11b)/2",
        ".if {futexes}",
        ".rept {wait_number} - {reply_bytes_number} - 1",
        ".short (40f-11b)/2",
        ".endr",
        ".short (65f-11b)/2, (66f-11b)/2",
        ".rept {pend_number} - {wait_number} - 2",
        ".short (40f-11b)/2",
        ".endr",
        ".short (70f-11b)/2",
        ".rept {last_number} - {pend_number} - 1",
        ".short (40f-11b)/2",
        ".endr",
        ".short (72f-11b)/2",
        ".endif",
        "12:",
        "bx    lr",
        // SEND
        "21:",
        "mov   r1, r4",
        "mov   r2, r6",
        "bl    {send}",
        "cbz   r0, 30f",
        "ldr   r3, [sp]",
        "mov   r4, r1",
        "ldrd  r2, r7, [r3, #{tag}]",
        "orr   r6, r2",
        switch!(),
        // SEND, refused: the message registers are still the caller's.
        "30:",
        "ldr   r0, [sp]",
        // All other calls.
        "40:",
        "stm   r0, {{r4-r11}}",
        "41:",
        "ldr   r0, [sp]",
        "movs  r1, #1",
        "strb  r1, [r0, #{plain}]",
        "bl    {call}",
        "b     {restore}",
        // REPLY_RECEIVE
        "28:",
        "stm   r0, {{r4-r7}}",
        "mov   r1, r4",
        "bl    {reply}",
        "cbz   r0, 31f",
        "mov   r6, r1",
        "movs  r4, #0",
        switch!(),
        // REPLY_RECEIVE, refused: perhaps because the client has lent memory, or sent bytes.
        "31:",
        "ldr   r0, [sp]",
        ".if {carried}",
        "mov   r1, r4",
        "mov   r2, r6",
        "mov   r3, r7",
        "bl    {give_back}",
        "cbz   r0, 33f",
        "mov   r6, r1",
        "movs  r4, #0",
        "movs  r7, #0",
        "b     35f",
        "33:",
        "ldr   r0, [sp]",
        ".endif",
        "stm   r0, {{r4-r11}}",
        "bl    {reply_mixed}",
        "b     32f",
        // LEND, LEND_MUT: where addresses are not translated, `WORD0` stays.
        ".if {carried}",
        "25:",
        "str   r5, [r0, #{word0}]",
        "str   r8, [r0, #{word1}]",
        "mov   r1, r4",
        "mov   r2, r6",
        "bl    {lend}",
        "cbz   r0, 34f",
        "ldr   r3, [sp]",
        "lsrs  r6, r4, #{operation_shift}",
        "mov   r4, r1",
        "ldrd  r2, r7, [r3, #{tag}]",
        "adds  r6, #{mark}",
        "orrs  r6, r2",
        "35:",
        switch!(),
        "34:",
        "b     30b",
        ".endif",
        // SEND_BYTES
        "22:",
        "stm   r0, {{r4-r11}}",
        "bl    {send_bytes}",
        "cbz   r0, 44f",
        resume!(),
        "44:",
        "b     41b",
        // REPLY
        "62:",
        "stm   r0, {{r4-r11}}",
        "b     64f",
        // REPLY_BYTES
        "63:",
        "stm   r0, {{r4-r11}}",
        "bl    {reply_bytes_alone}",
        "cbz   r0, 64f",
        // The server goes on.
        "mov   r5, r1",
        "movs  r4, #0",
        "movs  r6, #0",
        "movs  r7, #0",
        "mov   r8, r4",
        "mov   r9, r4",
        "mov   r10, r4",
        "mov   r11, r4",
        "ldr   pc, 91f",
        // REPLY_BYTES, refused
        "64:",
        "ldr   r0, [sp]",
        "bl    {reply_alone}",
        "b     32f",
        // RECEIVE
        "61:",
        "stm   r0, {{r4-r11}}",
        "mov   r1, r4",
        ".if {interrupts}",
        "cmp   r6, #{acknowledged}",
        "beq   74f",
        ".endif",
        "mov   r2, r6",
        "bl    {receive}",
        "48:",
        "cbz   r0, 47f",
        "str   r0, [sp]",
        restore!(),
        "47:",
        "b     41b",
        ".if {interrupts}",
        // RECEIVE that acknowledges an interrupt
        "74:",
        "mov   r2, r10",
        "bl    {acknowledge}",
        "b     48b",
        ".endif",
        ".if {futexes}",
        // FUTEX_WAIT: when it goes on it finds that all is well. (A call with flags has no way here.)
        "65:",
        "ldr   r3, [sp, #{foremost}]",
        "cbnz  r6, 67f",
        "mov   r1, r5",
        "mov   r2, r8",
        "cbz   r3, 79f",
        "bl    {wait}",
        "cbz   r0, 68f",
        "76:",
        "ldr   r1, [sp]",
        "movs  r4, #0",
        "stm   r1, {{r4-r11}}",
        "str   r0, [sp]",
        restore!(),
        "68:",
        "ldr   r0, [sp]",
        "mov   r1, r5",
        "mov   r2, r8",
        "79:",
        "bl    {wait_anywhere}",
        "cmp   r0, #0",
        "bne   76b",
        "ldr   r0, [sp]",
        "67:",
        "b     40b",
        // FUTEX_WAKE
        "66:",
        "cmp   r8, #0",
        "beq   67b",
        // FUTEX_GIVE
        "72:",
        "ldr   r3, [sp, #{foremost}]",
        "cmp   r6, #0",
        "bne   67b",
        "mov   r1, r5",
        "cbnz  r3, 80f",
        "mov   r2, sp",
        "bl    {wake}",
        "cmp   r0, #1",
        "bne   69f",
        "movs  r4, #0",
        "movs  r5, #1",
        "ldr   pc, 91f",
        "69:",
        "cbnz  r0, 74f",
        "ldr   r0, [sp]",
        "mov   r1, r5",
        "80:",
        "mov   r2, r8",
        "cmp   r4, #{give_number}",
        "it    eq",
        "moveq r2, #1",
        "bl    {wake_anywhere}",
        "cmp   r0, #1",
        "bne   73f",
        "cbnz  r1, 75f",
        "cmp   r4, #{give_number}",
        "bne   75f",
        // Nobody waits for the unit.
        "ldr   r0, [sp]",
        "mov   r1, r5",
        "bl    {add}",
        "cbz   r0, 73f",
        "movs  r1, #0",
        "75:",
        "movs  r4, #0",
        "mov   r5, r1",
        "ldr   pc, 91f",
        "73:",
        "cbnz  r0, 74f",
        "ldr   r0, [sp]",
        "b     40b",
        // The caller has woken one, which runs now.
        "74:",
        "ldr   r1, [sp]",
        "movs  r4, #0",
        "movs  r5, #1",
        "stm   r1, {{r4-r11}}",
        "str   r0, [sp]",
        "b     {restore}",
        ".endif",
        // YIELD: it returns nothing, so that the caller may find in its message registers what it found
        // there when it last went on.
        "23:",
        "mov   r1, sp",
        "bl    {give_way}",
        "cbz   r0, 81f",
        "str   r0, [sp]",
        restore!(),
        "81:",
        "b     30b",
        // INTERRUPT_PEND: the thread goes on, until the interrupt comes.
        "70:",
        ".if {interrupts}",
        ".ifeq {futexes}",
        "cmp   r4, #{pend_number}",
        "bne   71f",
        ".endif",
        "mov   r1, r5",
        "bl    {pend}",
        "cbz   r0, 72f",
        "movs  r4, #0",
        "movs  r5, #0",
        "movs  r6, #0",
        "ldr   pc, 91f",
        "72:",
        "ldr   r0, [sp]",
        "71:",
        ".endif",
        "b     40b",
        "32:",
        "cbz   r0, 45f",
        "str   r0, [sp]",
        "b     {restore}",
        "45:",
        "b     41b",
        // REPLY_BYTES_RECEIVE
        "29:",
        "stm   r0, {{r4-r11}}",
        "bl    {reply_bytes}",
        "cbz   r0, 46f",
        resume!(),
        "46:",
        "b     41b",
        ".balign 4",
        "90: .word 0xE000ED9C",
        "91: .word {plain_return}",
        frame = const FRAME,
        tag = const TAG,
        plain = const PLAIN,
        resume = const RESUME,
        regions = const REGIONS,
        plain_return = const crate::PLAIN_RETURN,
        yield_number = const riposte_abi::call::number::YIELD,
        reply_number = const riposte_abi::call::number::REPLY,
        interrupts = const INTERRUPTS as usize,
        pend_number = const riposte_abi::call::number::INTERRUPT_PEND,
        pend = sym riposte_fast_pend,
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
        last_number = const LAST_NUMBER,
        give_number = const riposte_abi::call::number::FUTEX_GIVE,
        foremost = const Kernel::FOREMOST,
        wait = sym riposte_fast_wait,
        wait_anywhere = sym riposte_fast_wait_anywhere,
        wake = sym riposte_fast_wake,
        wake_anywhere = sym riposte_fast_wake_anywhere,
        add = sym riposte_fast_add,
        operation_shift = const riposte_abi::call::OPERATION_SHIFT,
        mark = const MARK,
        word0 = const riposte_abi::register::WORD0 * 4,
        word1 = const riposte_abi::register::WORD1 * 4,
        lend = sym riposte_fast_lend,
        give_back = sym riposte_fast_give_back,
        give_way = sym riposte_fast_yield,
        call = sym riposte_call,
        restore = sym restore,
    )
}

const _: () = {
    use riposte_abi::call::{number, operation};
    assert!(operation::OTHER == 0 && operation::SEND == 1 && operation::SEND_BYTES == 2);
    assert!(operation::LEND == 5 && operation::LEND_MUT == 6);
    assert!(operation::REPLY_RECEIVE == 8 && operation::REPLY_BYTES_RECEIVE == 9);
    assert!(operation::RECEIVE == 4);
    assert!(number::NULL == 0 && number::YIELD == 1);
    assert!(number::REPLY_BYTES == number::REPLY + 1);
    assert!(number::FUTEX_WAKE == number::FUTEX_WAIT + 1);
    assert!(number::FUTEX_GIVE > number::INTERRUPT_PEND);
};

/// Entries for a thread that has the FPU: give it up, then go on as any other. If it can't, it goes
/// on without its call.
macro_rules! with_fpu {
    ($(#[$doc:meta])* $name:ident, $then:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// For the vector table only.
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            naked_asm!(
                "ldr   r0, [sp]",
                "mrs   r3, psp",
                "str   r3, [r0, #{frame}]",
                "str   lr, [r0, #{resume}]",
                "bl    {discard}",
                "mov   r1, r0",
                "ldr   r0, [sp]",
                "cbz   r1, 30f",
                "ldr   r1, [r0, #{frame}]",
                "msr   psp, r1",
                "mvn   lr, #2",
                "b     {then}",
                "30:",
                "ldr   pc, [r0, #{resume}]",
                frame = const FRAME,
                resume = const RESUME,
                discard = sym riposte_discard_fpu,
                then = sym $then,
            )
        }
    };
}

with_fpu!(
    /// `SVCall` of a thread that has the FPU.
    system_call_with_fpu,
    system_call
);
with_fpu!(
    /// `SVCall` of the floor, of a thread that has the FPU.
    floor_with_fpu,
    floor
);

/// Resumes the thread in r0 with all that the kernel saved of it.
#[unsafe(naked)]
unsafe extern "C" fn restore() {
    naked_asm!(
        restore!(),
        ".balign 4",
        "90: .word 0xE000ED9C",
        frame = const FRAME,
        resume = const RESUME,
        regions = const REGIONS,
    )
}

/// The clock's interrupt.
///
/// # Safety
/// For the vector table only.
#[unsafe(naked)]
pub unsafe extern "C" fn clock() {
    naked_asm!(
        "ldr   r0, [sp]",
        "mrs   r3, psp",
        "str   r3, [r0, #{frame}]",
        "str   lr, [r0, #{resume}]",
        "stm   r0, {{r4-r11}}",
        "bl    {clock}",
        "b     {restore}",
        frame = const FRAME,
        resume = const RESUME,
        clock = sym riposte_clock,
        restore = sym restore,
    )
}

/// An interrupt of a process.
///
/// # Safety
/// For the vector table only.
#[unsafe(naked)]
pub unsafe extern "C" fn interrupt() {
    naked_asm!(
        "ldr   r0, [sp]",
        "mrs   r3, psp",
        "str   r3, [r0, #{frame}]",
        "str   lr, [r0, #{resume}]",
        "stm   r0, {{r4-r11}}",
        "mrs   r0, ipsr",
        "bl    {interrupt}",
        "b     {restore}",
        frame = const FRAME,
        resume = const RESUME,
        interrupt = sym riposte_interrupt,
        restore = sym restore,
    )
}

/// MemManage, BusFault, UsageFault, and HardFault that escalated from thread mode.
///
/// A frame whose status names an exception makes the processor refuse the return to thread mode,
/// and an emulator may then use the main stack as that exception would: what the thread wrote
/// there is left behind, and the stack begins anew.
///
/// # Safety
/// For the vector table only.
#[unsafe(naked)]
pub unsafe extern "C" fn fault() {
    naked_asm!(
        "tst   lr, #8",
        "beq   2f",
        "1:",
        "ldr   r0, 91f",
        "mov   sp, r0",
        "ldr   r0, [sp]",
        "mrs   r3, psp",
        "str   r3, [r0, #{frame}]",
        "str   lr, [r0, #{resume}]",
        "stm   r0, {{r4-r11}}",
        "bl    {fault}",
        "b     {restore}",
        // In the kernel: at the beginning of a trap it may be the thread's, whose store has failed late.
        "2:",
        "ldrd  r0, r1, [sp, #{pc}]",
        "push  {{r3, lr}}",
        "bl    {is_of_thread}",
        "pop   {{r3, lr}}",
        "cmp   r0, #0",
        "beq   {kernel_fault}",
        // What was to be that trap goes on as the fault.
        "adr   r0, 1b",
        "str   r0, [sp, #{pc}]",
        "bx    lr",
        ".balign 4",
        "91: .word {stack_top}",
        frame = const FRAME,
        resume = const RESUME,
        pc = const crate::machine::frame::PC * 4,
        is_of_thread = sym crate::fault::is_of_thread,
        fault = sym riposte_fault,
        kernel_fault = sym riposte_kernel_fault,
        restore = sym restore,
        stack_top = sym __kernel_stack_top,
    )
}

/// `SVCall` of the floor: the same trap, stack and protection switch to the other one of two
/// threads ([`Block::partners`]), and no kernel logic. That is what a call does that answers and
/// waits at a channel in an odd slot; four instructions tell it from the others, which are served as
/// ever.
///
/// # Safety
/// For the vector table of a floor image only, in which only the two threads make such calls.
#[unsafe(naked)]
pub unsafe extern "C" fn floor() {
    naked_asm!(
        "cmp   r4, #0",
        "bpl   {system_call}",
        "lsls  r1, r4, #31",
        "bpl   {system_call}",
        "ldr   r0, [sp]",
        "mrs   r3, psp",
        "str   r3, [r0, #{frame}]",
        "ldr   r1, [sp, #{partners}]",
        "eors  r0, r1",
        switch!(),
        ".balign 4",
        "90: .word 0xE000ED9C",
        "91: .word {plain_return}",
        frame = const FRAME,
        plain_return = const crate::PLAIN_RETURN,
        partners = const offset_of!(Block, partners),
        regions = const REGIONS,
        system_call = sym system_call,
    )
}

/// `PendSV`, taken once: forgets the start-up code's stack and privilege, and runs the first
/// thread.
///
/// # Safety
/// For the vector table only; everything that processes need is set up.
#[unsafe(naked)]
pub unsafe extern "C" fn begin() {
    naked_asm!(
        "ldr   r0, 91f",
        "mov   sp, r0",
        "movs  r1, #1",
        "msr   control, r1",
        "isb",
        "bl    {begin}",
        "b     {restore}",
        ".balign 4",
        "91: .word {stack_top}",
        begin = sym riposte_begin,
        restore = sym restore,
        stack_top = sym __kernel_stack_top,
    )
}

/// Defines what the trap entries call, for the static [`Block`] `$block` on board `$board`, whose
/// vector tables are `$vectors` (without) and `$vectors_fpu` (with the FPU), and whose threads'
/// floating-point registers are saved in `$saved`. `$floor` says whether this is a floor image.
#[macro_export]
macro_rules! traps {
    ($block:path, $board:ty, $vectors:path, $vectors_fpu:path, $saved:path, $floor:path) => {
        #[allow(
            improper_ctypes_definitions,
            reason = "as at the trap code's declarations"
        )]
        const _: () = {
            use $crate::trap::handlers;

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_send(
                client: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> u64 {
                handlers::fast::send(client, call, info, handlers::refuse, handlers::pack)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_reply(server: &'static handlers::Thread, call: u32) -> u64 {
                handlers::fast::reply_receive(
                    server,
                    call,
                    || server.registers[handlers::register::INFO].get(),
                    || server.registers[handlers::register::GENERATION].get(),
                    handlers::refuse,
                    handlers::pack,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_send_bytes(
                client: &'static handlers::Thread,
            ) -> *const handlers::Thread {
                handlers::fast::send_bytes(
                    &handlers::machine::<$board>(),
                    client,
                    move |register| client.registers[register].get(),
                    |thread, arrival| arrival.save(thread),
                    handlers::refuse_pointer,
                    core::ptr::from_ref,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_reply_bytes(
                server: &'static handlers::Thread,
            ) -> *const handlers::Thread {
                handlers::fast::reply_bytes_receive(
                    &handlers::machine::<$board>(),
                    server,
                    move |register| server.registers[register].get(),
                    |thread, arrival| arrival.save(thread),
                    handlers::refuse_pointer,
                    core::ptr::from_ref,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_reply_bytes_alone(server: &'static handlers::Thread) -> u64 {
                handlers::fast::reply_bytes(
                    &$block.kernel,
                    &handlers::machine::<$board>(),
                    server,
                    |register| server.registers[register].get(),
                    handlers::refuse,
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
                server: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> *const handlers::Thread {
                let may_run = handlers::needs_no_fpu::<$board>;
                let next = handlers::fast::receive(&$block.kernel, server, call, info, may_run);
                handlers::pointer(next)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_acknowledge(
                handler: &'static handlers::Thread,
                call: u32,
                interrupt: u32,
            ) -> *const handlers::Thread {
                let next = handlers::fast::interrupt::acknowledge(
                    &$block.kernel,
                    &handlers::machine::<$board>(),
                    handler,
                    (call, interrupt),
                    handlers::needs_no_fpu::<$board>,
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
                client: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> u64 {
                handlers::fast::lend::lend(
                    &handlers::machine::<$board>(),
                    client,
                    handlers::memory(client, call, info),
                    handlers::refuse,
                    |server, badge, _| handlers::pack(server, badge),
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_give_back(
                server: &'static handlers::Thread,
                call: u32,
                info: u32,
                generation: u32,
            ) -> u64 {
                handlers::fast::lend::give_back(
                    &handlers::machine::<$board>(),
                    server,
                    call,
                    info,
                    generation,
                    handlers::refuse,
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
                    handlers::needs_no_fpu::<$board>,
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
                    handlers::needs_no_fpu::<$board>,
                );
                handlers::pointer(next)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fast_wake(
                thread: &'static handlers::Thread,
                address: u32,
                kernel: &'static handlers::Kernel,
            ) -> *const handlers::Thread {
                handlers::fast::futex::wake(
                    kernel,
                    thread,
                    address,
                    handlers::needs_no_fpu::<$board>,
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
                    handlers::needs_no_fpu::<$board>,
                    handlers::refuse,
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
                kernel: &'static handlers::Kernel,
            ) -> *const handlers::Thread {
                let may_run = handlers::needs_no_fpu::<$board>;
                handlers::pointer(handlers::fast::give_way(kernel, thread, may_run))
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_call() -> *const handlers::Thread {
                handlers::call::<$board>(
                    &$block.kernel,
                    handlers::fpu::<$board>(&$vectors, &$vectors_fpu, &$saved),
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_clock() -> *const handlers::Thread {
                handlers::clock::<$board>(
                    &$block.kernel,
                    handlers::fpu::<$board>(&$vectors, &$vectors_fpu, &$saved),
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_interrupt(exception: u32) -> *const handlers::Thread {
                handlers::interrupt::<$board>(
                    &$block.kernel,
                    handlers::fpu::<$board>(&$vectors, &$vectors_fpu, &$saved),
                    exception,
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fault() -> *const handlers::Thread {
                handlers::fault::<$board>(
                    &$block.kernel,
                    handlers::fpu::<$board>(&$vectors, &$vectors_fpu, &$saved),
                )
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_begin() -> *const handlers::Thread {
                handlers::begin::<$board>(&$block, $floor)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_discard_fpu(thread: &'static handlers::Thread) -> bool {
                handlers::fpu::<$board>(&$vectors, &$vectors_fpu, &$saved).discard(thread)
            }
        };
    };
}

#[doc(hidden)]
pub mod handlers {
    //! What [`traps`](crate::traps) expands to calls of.

    pub use riposte_abi::register;
    pub use riposte_kernel::{Kernel, Port, Thread, fast};

    use crate::{
        Board, Machine, NO_FLOATING_POINT, Vectors,
        fault::Cause,
        fpu::{self, Saved},
        machine::{frame, frame_word, set_frame_word},
        trap::Block,
    };

    /// The two vector tables and the threads' saved registers; nothing on a board without FPU.
    #[derive(Clone, Copy)]
    pub struct Fpu {
        has: bool,
        vectors: usize,
        vectors_with: usize,
        saved: &'static [Saved],
    }

    pub fn fpu<B: Board>(
        vectors: &'static Vectors,
        with: &'static Vectors,
        saved: &'static [Saved],
    ) -> Fpu {
        Fpu {
            has: B::FPU,
            vectors: core::ptr::from_ref(vectors).addr(),
            vectors_with: core::ptr::from_ref(with).addr(),
            saved,
        }
    }

    impl Fpu {
        pub fn discard(self, thread: &Thread) -> bool {
            self.has && fpu::discard(thread, self.vectors)
        }

        /// The unit follows from `before` to `after`.
        #[inline(always)]
        fn follow(self, before: &'static Thread, after: &'static Thread) {
            if self.has && !before.is(after) {
                self.hand_over(before, after);
            }
        }

        #[inline(never)]
        fn hand_over(self, before: &'static Thread, after: &'static Thread) {
            if fpu::is_on()
                && let Some(saved) = self.saved.get(usize::from(before.index))
            {
                fpu::suspend(before, saved, self.vectors);
            }
            if let Some(saved) = self.saved.get(usize::from(after.index)) {
                fpu::resume(after, saved, self.vectors_with);
            }
        }
    }

    #[inline(always)]
    pub fn pack(thread: &'static Thread, word: u32) -> u64 {
        (core::ptr::from_ref(thread).addr() as u64) | u64::from(word) << 32
    }

    /// A refusal: 0, made where the compiler can't see that it is a constant. Otherwise it would
    /// keep a zero in a register all along the successful path.
    #[inline(always)]
    pub fn refuse() -> u64 {
        let (low, high): (u32, u32);
        // SAFETY: sets a register; the high half, which nobody looks at, is whatever it was.
        unsafe {
            core::arch::asm!("movs r0, #0", lateout("r0") low, lateout("r1") high, options(nomem, nostack));
        }
        u64::from(low) | u64::from(high) << 32
    }

    /// The message registers of a loan: two as they were passed, those that say which memory saved.
    #[inline(always)]
    pub fn memory(client: &'static Thread, call: u32, info: u32) -> impl Fn(usize) -> u32 {
        move |position| match position {
            register::CALL => call,
            register::INFO => info,
            _ => client.registers[position].get(),
        }
    }

    /// [`refuse`], where a pointer is returned.
    #[inline(always)]
    pub fn refuse_pointer() -> *const Thread {
        core::ptr::without_provenance(refuse() as usize)
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

    /// Whether `thread` was not preempted with floating-point registers, which come back by the slow
    /// path alone.
    #[inline(always)]
    pub fn needs_no_fpu<B: Board>(thread: &'static Thread) -> bool {
        !B::FPU || thread.resume.get() & NO_FLOATING_POINT != 0
    }

    pub fn machine<B: Board>() -> Machine<B> {
        // SAFETY: called from the trap entries only.
        unsafe { Machine::new() }
    }

    pub fn begin<B: Board>(block: &'static Block, floor: bool) -> *const Thread {
        if let (true, [first, second, ..]) = (floor, block.kernel.tables().threads) {
            block
                .partners
                .set(core::ptr::from_ref(first).addr() ^ core::ptr::from_ref(second).addr());
        }
        block.kernel.start(&machine::<B>())
    }

    pub fn call<B: Board>(kernel: &'static Kernel, fpu: Fpu) -> *const Thread {
        let before = kernel.current.get();
        let Some(after) = kernel.call(&machine::<B>()) else {
            // The same call again, once the interrupt is served.
            set_frame_word(
                before,
                frame::PC,
                frame_word(before, frame::PC).wrapping_sub(2),
            );
            return before;
        };
        fpu.follow(before, after);
        after
    }

    pub fn clock<B: Board>(kernel: &'static Kernel, fpu: Fpu) -> *const Thread {
        let before = kernel.current.get();
        let machine = machine::<B>();
        let after = fast::alarm::alarm(kernel, &machine).unwrap_or_else(|| kernel.alarm(&machine));
        fpu.follow(before, after);
        after
    }

    /// Exceptions before the first interrupt.
    const SYSTEM: u32 = 16;

    pub fn interrupt<B: Board>(kernel: &'static Kernel, fpu: Fpu, exception: u32) -> *const Thread {
        let before = kernel.current.get();
        let line = exception - SYSTEM;
        let machine = machine::<B>();
        machine.mask(line as u16);
        let after = fast::interrupt::interrupt(kernel, line as usize)
            .unwrap_or_else(|| kernel.interrupt(&machine, line as usize));
        fpu.follow(before, after);
        after
    }

    pub fn fault<B: Board>(kernel: &'static Kernel, fpu: Fpu) -> *const Thread {
        let before = kernel.current.get();
        let cause = Cause::take();
        if fpu.has && cause.wants_fpu() && !fpu::is_on() {
            fpu::switch_on(fpu.vectors_with);
            return before;
        }
        let description = cause.describe(before);
        if fpu.has && fpu::is_on() {
            fpu::abandon(fpu.vectors);
        }
        let after = kernel.fault(&machine::<B>(), description);
        fpu.follow(before, after);
        after
    }
}
