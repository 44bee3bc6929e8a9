//! Trap entries and exits: where a process's registers become the kernel's decision and back.
//!
//! The main stack is empty while a process runs, and the [`Kernel`] lies right above it: on entry,
//! the word at `sp` is [`Kernel::current`]. Of the kernel, this code knows that word, the resume record of
//! each thread ([`Thread::frame`], [`Thread::protection`], [`Thread::resume`], with its token), and where a
//! thread's message registers are saved. It looks at nothing else, and decides nothing: what a call means is
//! for [`Kernel::dispatch`].
//!
//! There are these ways in. The null call returns at once. SEND and REPLY_RECEIVE of words try their two
//! functions ([`riposte_kernel::words`]) with the message in its registers. All other calls, and what those two refuse, save
//! the message registers and enter the dispatcher; so do interrupts and faults. There is one way out, and a
//! shorter one for a message that has stayed in its registers.
//!
//! The board's image defines the functions named here with [`traps`](crate::traps), for its own
//! kernel and board.

use core::{arch::naked_asm, cell::Cell, mem::offset_of};

use riposte_kernel::{Kernel, Thread, calls, limits::TRACE};

use crate::mpu::REGIONS;

const FRAME: usize = offset_of!(Thread, frame);
const TAG: usize = offset_of!(Thread, tag);
const RESUME: usize = offset_of!(Thread, resume);

const _: () = {
    assert!(offset_of!(Block, kernel) == 0 && offset_of!(Kernel, current) == 0);
    assert!(offset_of!(Thread, registers) == 0);
    assert!(offset_of!(Thread, protection) == FRAME + 4);
    assert!(offset_of!(Thread, generation) == TAG + 4);
};

/// A number of a call without a handle is cut to so many bits: what is greater is the greatest of them.
const NUMBER_BITS: u32 = 6;

/// Entries of the table of calls here. Those of numbers that no call has refuse.
#[doc(hidden)]
pub const ENTRIES: usize = calls::entry(0) + (1 << NUMBER_BITS);

const _: () = assert!(ENTRIES > calls::CALLS, "the greatest number is no call's");

#[allow(
    improper_ctypes,
    reason = "references to kernel objects are just addresses to the trap code"
)]
unsafe extern "C" {
    /// [`riposte_kernel::words::send`]: the server in the low half, the badge in the high one; or 0.
    fn riposte_send(client: &'static Thread, call: u32, info: u32) -> u64;
    /// [`riposte_kernel::words::reply_receive`]: the client, and its `INFO`; or 0.
    fn riposte_reply_receive(server: &'static Thread, call: u32, info: u32, generation: u32)
    -> u64;
    /// The table of calls ([`Kernel::serve`]): functions that take the running thread, its message registers saved,
    /// and return the thread to run.
    static riposte_calls: [usize; ENTRIES];
    /// A call of a thread that has the FPU; makes its frame plain, or refuses to.
    fn riposte_discard_fpu(thread: &'static Thread) -> bool;
    /// An interrupt, by its exception number; returns the thread to run.
    fn riposte_interrupt(exception: u32) -> *const Thread;
    /// The same, of the running thread with the FPU; but its process faults if its frame leads beyond its stack.
    fn riposte_interrupt_with_fpu(exception: u32) -> *const Thread;
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

/// Resumes the thread in r0, which a call has suspended, and whose message is in its registers.
macro_rules! switch {
    () => {
        concat!(
            "str   r0, [sp]\n", // it runs from now on
            "ldrd  r1, lr, [r0, #{frame}]\n",
            "msr   psp, r1\n",
            protect!(),
            // A call suspends no thread with any other frame.
            "ldr   pc, 91f\n",
        )
    };
}

/// The way out: resumes the thread in r0, which the dispatcher has named, with all that is saved of it. Its message
/// registers are free until they are loaded, and carry the protection image to the MPU before.
macro_rules! resume {
    () => {
        concat!(
            "str   r0, [sp]\n", // it runs from now on
            "ldrd  r1, lr, [r0, #{frame}]\n",
            "msr   psp, r1\n",
            "ldr   r1, 90f\n",
            ".if {regions} > 4\n",
            "ldm   lr!, {{r4-r11}}\n",
            "stm   r1, {{r4-r11}}\n",
            ".endif\n",
            "ldm   lr, {{r4-r11}}\n",
            "stm   r1, {{r4-r11}}\n",
            "dsb\n",
            "ldm   r0, {{r4-r11}}\n",
            "ldr   pc, [r0, #{resume}]\n",
        )
    };
}

/// Saves all of the interrupted thread that the exception's frame does not hold.
macro_rules! suspend {
    () => {
        concat!(
            "ldr   r0, [sp]\n",
            "mrs   r3, psp\n",
            "str   r3, [r0, #{frame}]\n",
            "str   lr, [r0, #{resume}]\n",
            "stm   r0, {{r4-r11}}\n",
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
        // By operation, as `riposte_abi::call::operation` numbers them: without a handle, SEND, REPLY_RECEIVE.
        "tbb   [pc, r1]",
        "10:",
        ".if {traced}",
        ".byte (20f-10b)/2, (40f-10b)/2, (40f-10b)/2, (40f-10b)/2",
        ".else",
        ".byte (20f-10b)/2, (21f-10b)/2, (40f-10b)/2, (40f-10b)/2",
        ".endif",
        ".byte (40f-10b)/2, (40f-10b)/2, (40f-10b)/2, (40f-10b)/2",
        ".if {traced}",
        ".byte (40f-10b)/2, (40f-10b)/2, (40f-10b)/2, (40f-10b)/2",
        ".else",
        ".byte (28f-10b)/2, (40f-10b)/2, (40f-10b)/2, (40f-10b)/2",
        ".endif",
        ".byte (40f-10b)/2, (40f-10b)/2, (40f-10b)/2, (40f-10b)/2",
        // Without a handle: the null call returns at once, and the others have entries of their own.
        "20:",
        "cbz   r4, 12f",
        "usat  r1, #{number_bits}, r4",
        "adds  r1, #{first_number}",
        // The table of calls serves all others.
        "40:",
        "stm   r0, {{r4-r11}}",
        "ldr   r2, 92f",
        "ldr   r2, [r2, r1, lsl #2]",
        "blx   r2",
        resume!(),
        "12:",
        "bx    lr",
        // Refused: the message registers are still the caller's.
        "30:",
        "ldr   r0, [sp]",
        "lsrs  r1, r4, #28",
        "b     40b",
        // SEND of words: r8 to r11 and r5 stay as they are, on success and on refusal.
        "21:",
        "mov   r1, r4",
        "mov   r2, r6",
        "bl    {send}",
        "cbnz  r0, 22f",
        "b     30b",
        "22:",
        "ldr   r3, [sp]", // the client, whose token the server gets
        "mov   r4, r1",
        "ldrd  r2, r7, [r3, #{tag}]",
        "orr   r6, r2",
        switch!(),
        // REPLY_RECEIVE of words
        "28:",
        "mov   r1, r4",
        "mov   r2, r6",
        "mov   r3, r7",
        "bl    {reply_receive}",
        "cbnz  r0, 29f",
        "b     30b",
        "29:",
        "mov   r6, r1",
        "movs  r4, #0", // its status
        switch!(),
        ".balign 4",
        "90: .word 0xE000ED9C",
        "91: .word {plain_return}",
        "92: .word {calls}",
        traced = const TRACE as usize,
        number_bits = const NUMBER_BITS,
        first_number = const calls::entry(0),
        calls = sym riposte_calls,
        frame = const FRAME,
        tag = const TAG,
        resume = const RESUME,
        regions = const REGIONS,
        plain_return = const crate::PLAIN_RETURN,
        send = sym riposte_send,
        reply_receive = sym riposte_reply_receive,
    )
}

const _: () = {
    use riposte_abi::call::{number, operation};
    assert!(operation::OTHER == 0 && operation::SEND == 1 && operation::REPLY_RECEIVE == 8);
    assert!(number::NULL == 0);
};

/// Entries for a thread that has the FPU: give it up, then go on as any other. If it can't, its process faults.
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
                "ldr   lr, [r0, #{resume}]",
                suspend!(),
                "bl    {fault}",
                "b     {leave}",
                frame = const FRAME,
                resume = const RESUME,
                discard = sym riposte_discard_fpu,
                fault = sym riposte_fault,
                leave = sym resume,
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
unsafe extern "C" fn resume() {
    naked_asm!(
        resume!(),
        ".balign 4",
        "90: .word 0xE000ED9C",
        frame = const FRAME,
        resume = const RESUME,
        regions = const REGIONS,
    )
}

/// Entries for an interrupt of the clock, or of a process.
macro_rules! interrupt {
    ($(#[$doc:meta])* $name:ident, $then:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// For the vector table only.
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            naked_asm!(
                suspend!(),
                "mrs   r0, ipsr",
                "bl    {interrupt}",
                "b     {leave}",
                frame = const FRAME,
                resume = const RESUME,
                interrupt = sym $then,
                leave = sym resume,
            )
        }
    };
}

interrupt!(
    /// An interrupt of a thread without the FPU.
    interrupt,
    riposte_interrupt
);
interrupt!(
    /// An interrupt of a thread that has the FPU.
    interrupt_with_fpu,
    riposte_interrupt_with_fpu
);

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
        suspend!(),
        "bl    {fault}",
        "b     {leave}",
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
        leave = sym resume,
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
        "b     {leave}",
        ".balign 4",
        "91: .word {stack_top}",
        begin = sym riposte_begin,
        leave = sym resume,
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
            extern "C" fn riposte_send(
                client: &'static handlers::Thread,
                call: u32,
                info: u32,
            ) -> u64 {
                handlers::words::send(client, call, info, handlers::refuse, handlers::pack)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_reply_receive(
                server: &'static handlers::Thread,
                call: u32,
                info: u32,
                generation: u32,
            ) -> u64 {
                handlers::words::reply_receive(
                    server,
                    call,
                    info,
                    generation,
                    handlers::refuse,
                    handlers::pack,
                )
            }

            extern "C" fn call<const ENTRY: usize>(
                thread: &'static handlers::Thread,
            ) -> *const handlers::Thread {
                handlers::call::<$board, ENTRY>(&$block.kernel, fpu(), thread)
            }

            #[unsafe(no_mangle)]
            #[used]
            static riposte_calls: [handlers::Call; handlers::ENTRIES] =
                handlers::whole(handlers::table_of_calls!(call));

            #[unsafe(no_mangle)]
            extern "C" fn riposte_interrupt(exception: u32) -> *const handlers::Thread {
                handlers::interrupt::<$board>(&$block.kernel, fpu(), exception)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_interrupt_with_fpu(exception: u32) -> *const handlers::Thread {
                if handlers::is_beyond_stack(&$block.kernel, exception) {
                    return riposte_fault();
                }
                riposte_interrupt(exception)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_fault() -> *const handlers::Thread {
                handlers::fault::<$board>(&$block.kernel, fpu())
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_begin() -> *const handlers::Thread {
                handlers::begin::<$board>(&$block, $floor)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_discard_fpu(thread: &'static handlers::Thread) -> bool {
                fpu().discard(thread)
            }

            #[unsafe(no_mangle)]
            extern "C" fn riposte_saved_fpu(index: usize) -> *mut u32 {
                handlers::saved_fpu(&$saved, index)
            }

            #[inline(always)]
            fn fpu() -> handlers::Fpu {
                handlers::fpu::<$board>(&$vectors, &$vectors_fpu, &$saved)
            }
        };
    };
}

#[doc(hidden)]
pub mod handlers {
    //! What [`traps`](crate::traps) expands to calls of.

    pub use super::ENTRIES;
    pub use riposte_kernel::{Kernel, Thread, calls, table_of_calls, words};

    use riposte_kernel::{Event, Port};

    use crate::{
        Board, Machine, NO_FLOATING_POINT, Vectors,
        fault::Cause,
        fpu::{self, Saved},
        nvic,
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

    pub fn saved_fpu(saved: &'static [Saved], index: usize) -> *mut u32 {
        saved.get(index).map_or(core::ptr::null_mut(), Saved::words)
    }

    impl Fpu {
        pub fn discard(self, thread: &Thread) -> bool {
            self.has && fpu::discard(thread, self.vectors)
        }

        /// `before` was interrupted, and `after` runs: if that is another one, the unit goes with it. If `before` has no
        /// registers in it, it may have begun anew, and has no unit then.
        #[inline(always)]
        fn follow(self, before: &'static Thread, after: &'static Thread) {
            let has_registers = before.resume.get() & NO_FLOATING_POINT == 0;
            if self.has && !(before.is(after) && has_registers) {
                self.take_from(before);
                self.give_to(after);
            }
        }

        #[inline(never)]
        fn take_from(self, before: &'static Thread) {
            if fpu::is_on()
                && let Some(saved) = self.saved.get(usize::from(before.index))
            {
                fpu::suspend(before, saved, self.vectors);
            }
        }

        /// If `after` was interrupted with floating-point registers, it has them back, and the unit.
        #[inline(always)]
        fn give_to(self, after: &'static Thread) {
            if self.has && after.resume.get() & NO_FLOATING_POINT == 0 {
                self.give_back_to(after);
            }
        }

        #[inline(never)]
        fn give_back_to(self, after: &'static Thread) {
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

    pub fn machine<B: Board>() -> Machine<B> {
        // SAFETY: called from the trap entries only.
        unsafe { Machine::new() }
    }

    pub fn begin<B: Board>(block: &'static Block, floor: bool) -> *const Thread {
        if B::FPU {
            fpu::begin();
        }
        if let (true, [first, second, ..]) = (floor, block.kernel.tables().threads) {
            block
                .partners
                .set(core::ptr::from_ref(first).addr() ^ core::ptr::from_ref(second).addr());
        }
        block.kernel.dispatch(&machine::<B>(), Event::Start)
    }

    /// An entry of the table of calls.
    pub type Call = extern "C" fn(&'static Thread) -> *const Thread;

    /// The table of calls with an entry of each number that the trap code may look up.
    #[must_use]
    pub const fn whole(calls: [Call; calls::CALLS]) -> [Call; ENTRIES] {
        let mut whole = [calls[calls::NO_CALL]; ENTRIES];
        let mut entry = 0;
        while entry < calls.len() {
            whole[entry] = calls[entry];
            entry += 1;
        }
        whole
    }

    #[inline(always)]
    pub fn call<B: Board, const ENTRY: usize>(
        kernel: &'static Kernel,
        fpu: Fpu,
        thread: &'static Thread,
    ) -> *const Thread {
        // The caller has no unit: the entry has discarded it.
        let after = kernel.serve::<ENTRY>(&machine::<B>(), thread);
        fpu.give_to(after);
        after
    }

    /// Exceptions before the first interrupt.
    const SYSTEM: u32 = 16;

    #[inline(always)]
    pub fn interrupt<B: Board>(kernel: &'static Kernel, fpu: Fpu, exception: u32) -> *const Thread {
        let before = kernel.current.get();
        let line = exception - SYSTEM;
        let machine = machine::<B>();
        let event = if line == B::CLOCK {
            Event::Clock
        } else {
            machine.mask(line as u16);
            Event::Interrupt(line as usize)
        };
        let after = kernel.dispatch(&machine, event);
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
        let description = cause.describe(before, fpu.has);
        if fpu.has && fpu::is_on() {
            fpu::abandon(fpu.vectors);
        }
        let after = kernel.dispatch(&machine::<B>(), Event::Fault(description));
        // Nothing of the unit's state is wanted any more.
        fpu.give_to(after);
        after
    }

    /// See [`fpu::is_beyond_stack`]: then the interrupt that found it comes again, to who runs next.
    pub fn is_beyond_stack(kernel: &'static Kernel, exception: u32) -> bool {
        let is = fpu::is_beyond_stack(kernel.current.get());
        if is {
            nvic::trigger(exception - SYSTEM);
        }
        is
    }
}
