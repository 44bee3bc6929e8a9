//! The attacks. None of this is sound: that nothing comes of it is what is tested.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering};

use riposte::Duration;

/// Where the main thread's stack pointer stands while it is blocked in [`sleep_in_reach`], and
/// what the accomplice is to write: word of the frame, value, and r0.
static FRAME: AtomicU32 = AtomicU32::new(0);
static WORD: AtomicU32 = AtomicU32::new(0);
static VALUE: AtomicU32 = AtomicU32::new(0);
static FIRST: AtomicU32 = AtomicU32::new(0);

const PC: u32 = 6;
const XPSR: u32 = 7;

/// Performs the attack with this number, at `address` if it needs one, with `value` if it needs
/// that. The numbers are those of the list. Whether nothing was gained.
pub fn perform(attack: u32, address: u32, value: u32) -> bool {
    match attack {
        0 => sleep_in_reach(XPSR, value, address),
        1 => sleep_in_reach(PC, value, address),
        2 => breakpoint_with_stack_at(address),
        3 => illegal_with_stack_at(address),
        4 => write_with_stack_at(address),
        5 => wait_with_stack_at(address),
        6 => end_the_run(),
        7 => jump(value),
        8 => call_with_stack_at(address),
        9 => store(address, value),
        _ => {}
    }
    true
}

/// The other thread's part, over and over: changes the frame of the main thread, once that is
/// blocked.
pub fn assist() {
    let frame = FRAME.swap(0, Ordering::Relaxed) as *mut u32;
    if !frame.is_null() {
        let word = WORD.load(Ordering::Relaxed) as usize;
        // SAFETY: see the module.
        unsafe {
            frame.write_volatile(FIRST.load(Ordering::Relaxed));
            frame
                .add(word)
                .write_volatile(VALUE.load(Ordering::Relaxed));
        }
    }
    riposte::yield_now();
}

/// Sleeps; the accomplice writes `value` into word `word` of what the processor has pushed, and
/// `first` where r0 lies.
fn sleep_in_reach(word: u32, value: u32, first: u32) {
    WORD.store(word, Ordering::Relaxed);
    VALUE.store(value, Ordering::Relaxed);
    FIRST.store(first, Ordering::Relaxed);
    let until = riposte::Instant::now() + Duration::from_millis(1);
    let until = until.as_nanos();
    // SAFETY: see the module.
    unsafe {
        asm!(
            "push {{r6, r7}}",
            "sub  r6, sp, #32",
            "bic  r6, r6, #7",
            "str  r6, [{place}]",
            "movs r6, #0",
            // It returns to a multiple of 4: in ARM code there is nothing else, and QEMU complains
            // of that first.
            ".balign 4",
            "nop",
            "svc  0",
            "pop  {{r6, r7}}",
            place = in(reg) FRAME.as_ptr(),
            in("r0") until as u32,
            in("r1") (until >> 32) as u32,
            inout("r4") riposte::abi::call::number::SLEEP => _,
            out("r5") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
}

macro_rules! with_stack_at {
    ($address:ident, [$($line:literal),+] $(, $($operands:tt)*)?) => {
        // SAFETY: see the module.
        unsafe {
            asm!(
                "mov {old}, sp",
                "mov sp, {new}",
                $($line,)+
                "mov sp, {old}",
                old = out(reg) _,
                new = in(reg) $address,
                $($($operands)*)?
            );
        }
    };
}

/// A hard fault whose frame can't be stored.
fn breakpoint_with_stack_at(address: u32) {
    with_stack_at!(address, ["bkpt #3"]);
}

/// A usage fault whose frame can't be stored: two faults at once.
fn illegal_with_stack_at(address: u32) {
    with_stack_at!(address, ["udf #7"]);
}

/// A memory fault whose frame can't be stored.
fn write_with_stack_at(address: u32) {
    with_stack_at!(address, ["str {new}, [{new}]"]);
}

/// The clock's interrupt finds no room for its frame.
fn wait_with_stack_at(address: u32) {
    with_stack_at!(address, ["2: b 2b"]);
}

fn call_with_stack_at(address: u32) {
    with_stack_at!(
        address,
        ["movs r4, #0", "svc 0"],
        out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
    );
}

/// Asks the emulator itself to stop, as the kernel does.
fn end_the_run() {
    // SAFETY: see the module.
    unsafe { asm!("bkpt #0xAB", in("r0") 0x18, in("r1") 0x20026) };
}

fn store(address: u32, value: u32) {
    // SAFETY: see the module.
    unsafe { (address as *mut u32).write_volatile(value) };
}

fn jump(address: u32) {
    // SAFETY: see the module.
    unsafe { asm!("bx {0}", in(reg) address) };
}
