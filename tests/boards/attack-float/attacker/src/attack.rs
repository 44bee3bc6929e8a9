//! The attacks. None of this is sound: that nothing comes of it is what is tested.
//!
//! The frame of a thread that uses floating point has 104 bytes, of which the processor stores 32
//! at once, at the low end; the others lie outside the thread's memory here.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering};

use riposte::Duration;
use riposte::abi::call::number;

/// Where the accomplice's stack pointer is to go, and whether it calls there.
static ORDER: AtomicU32 = AtomicU32::new(0);
static CALLS: AtomicU32 = AtomicU32::new(0);

/// The main thread's stack pointer in [`wait_in_reach`], and what its frame is to say.
static FRAME: AtomicU32 = AtomicU32::new(0);
static STATUS: AtomicU32 = AtomicU32::new(0);

/// Bytes of a frame with floating-point registers, and the word of it with the program status.
const EXTENDED: u32 = 104;
const XPSR: usize = 7;

/// Turns of a loop: some milliseconds, in which the judge wakes up.
const PAUSE: u32 = 4_000_000;

/// Bytes from the low end of a frame to where only its floating-point part lies.
const BEYOND: u32 = 72;

/// Performs the attack with this number; the victim's memory begins at `address`. The numbers are
/// those of the judge's list.
pub fn perform(attack: u32, address: u32) {
    match attack {
        0 => call_with_stack_at::<{ number::CLOCK }>(address + BEYOND),
        1 => wait_with_stack_at(address + BEYOND),
        2 | 3 => {
            CALLS.store(attack & 1, Ordering::Relaxed);
            ORDER.store(1, Ordering::Relaxed);
            let _ = riposte::sleep(Duration::from_millis(100));
        }
        4 => call_with_stack_at::<{ number::YIELD }>(address + BEYOND),
        5 => wait_in_reach(0x0100_0010),
        6 => wait_in_reach(0x0100_000B),
        7 => wait_in_reach(0),
        _ => {}
    }
}

/// Preempted here, the thread finds `status` in its frame, a program status that names an exception, or no Thumb code.
fn wait_in_reach(status: u32) {
    STATUS.store(status, Ordering::Relaxed);
    // SAFETY: see the module.
    unsafe {
        asm!(
            "vmov s0, {pause}",
            "str  sp, [{place}]",
            "2: subs {pause}, #1",
            "bne 2b",
            place = in(reg) FRAME.as_ptr(),
            pause = inout(reg) PAUSE => _,
            out("s0") _,
        );
    }
}

/// The accomplice's part of that: the main thread has been preempted with its stack pointer there.
fn forge() {
    let stack_pointer = FRAME.swap(0, Ordering::Relaxed);
    if stack_pointer != 0 {
        let frame = ((stack_pointer - EXTENDED) & !7) as *mut u32;
        // SAFETY: see the module.
        unsafe {
            frame
                .add(XPSR)
                .write_volatile(STATUS.load(Ordering::Relaxed))
        };
    }
}

/// The accomplice's part: its stack pointer stands just above the guard, so that the
/// floating-point part lies in the guard, and the rest below it.
pub fn take_part(stack_base: u32) {
    forge();
    if ORDER.swap(0, Ordering::Relaxed) == 0 {
        return;
    }
    if CALLS.load(Ordering::Relaxed) == 0 {
        wait_with_stack_at(stack_base + 64);
    } else {
        call_with_stack_at::<{ number::CLOCK }>(stack_base + 64);
    }
    riposte::exit(1);
}

macro_rules! with_stack_at {
    ($address:ident, [$($line:literal),+] $(, $($operands:tt)*)?) => {
        // SAFETY: see the module.
        unsafe {
            asm!(
                "vmov s0, {new}",
                "vmov s31, {new}",
                "mov {old}, sp",
                "mov sp, {new}",
                $($line,)+
                "mov sp, {old}",
                old = out(reg) _,
                new = in(reg) $address,
                out("s0") _, out("s31") _,
                $($($operands)*)?
            );
        }
    };
}

/// The kernel makes a plain frame of this one, at its high end. `CALL` is the number of a call
/// without arguments; r0, r1 and r12 keep what it changes.
fn call_with_stack_at<const CALL: u32>(address: u32) {
    with_stack_at!(
        address,
        [
            "mov r12, {old}",
            "mov r0, r6",
            "mov r1, r7",
            "movs r4, #{call}",
            "svc 0",
            "mov r6, r0",
            "mov r7, r1",
            "mov {old}, r12"
        ],
        call = const CALL,
        out("r0") _, out("r1") _, out("r12") _,
        out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
    );
}

/// Preempted here, the thread's floating-point registers have no room in its frame.
fn wait_with_stack_at(address: u32) {
    with_stack_at!(
        address,
        ["2: subs {pause}, #1", "bne 2b"],
        pause = inout(reg) PAUSE => _,
    );
}
