//! The attacks. None of this is sound: that nothing comes of it is what is tested.

use core::arch::{asm, naked_asm};
use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};

use riposte::Duration;
use riposte::abi::call::{self, number, operation};

use super::code::{Table, execute};

/// Stands in the attacker's data.
static OWN: AtomicU32 = AtomicU32::new(0);

/// Performs the attack with this number, at `address` if it needs one, with `value` if it needs
/// that. The numbers are those of the list. Whether nothing was gained.
pub fn perform(attack: u32, address: u32, value: u32) -> bool {
    match attack {
        READ_REGISTER => gained(execute(Table::Reads, value, 0)),
        WRITE_REGISTER => gained(execute(Table::Writes, value, address)),
        HIGHER => gained(execute(Table::Higher, value, address)),
        HARMLESS => harmless(value),
        LOAD => gained(execute(Table::Loads, value, address)),
        STORE => gained(execute(Table::Stores, value, address)),
        // A store-conditional without a reservation fails wherever it goes: 1, not 0.
        ATOMIC => execute(Table::Atomics, value, address) == 1,
        COUNTER => {
            execute(Table::Counters, value, 0);
            true
        }
        UNIT => gained(execute(Table::Units, value, address)),
        JUMP => {
            jump(address.wrapping_add(value));
            false
        }
        JUMP_OWN => jump_into_own(value, address),
        STRADDLE_LOAD => gained(execute(Table::Loads, value % 8, address - value / 8)),
        STRADDLE_STORE => gained(execute(Table::Stores, value % 8, address - value / 8)),
        CALL_WITH_STACK => call_with_stack_at(address, value),
        WAIT_WITH_STACK => wait_with_stack_at(address),
        USE_STACK => {
            push_at(address);
            false
        }
        CALL_WITH_POINTERS => call_with_pointers(address, value),
        POINTERS => pointers_after_others(),
        _ => false,
    }
}

/// Numbers of the attacks.
pub(super) const READ_REGISTER: u32 = 0;
pub(super) const WRITE_REGISTER: u32 = 1;
pub(super) const HIGHER: u32 = 2;
pub(super) const HARMLESS: u32 = 3;
pub(super) const LOAD: u32 = 4;
pub(super) const STORE: u32 = 5;
pub(super) const ATOMIC: u32 = 6;
pub(super) const COUNTER: u32 = 7;
pub(super) const UNIT: u32 = 8;
pub(super) const JUMP: u32 = 9;
pub(super) const JUMP_OWN: u32 = 10;
pub(super) const STRADDLE_LOAD: u32 = 11;
pub(super) const STRADDLE_STORE: u32 = 12;
pub(super) const CALL_WITH_STACK: u32 = 13;
pub(super) const WAIT_WITH_STACK: u32 = 14;
pub(super) const USE_STACK: u32 = 15;
pub(super) const CALL_WITH_POINTERS: u32 = 16;
pub(super) const POINTERS: u32 = 17;

/// The other thread's part, over and over: its alarms end any wait for an interrupt.
pub fn assist() {
    let _ = riposte::sleep(Duration::from_micros(100));
}

/// What should have been stopped was not.
fn gained(_: u32) -> bool {
    false
}

fn harmless(value: u32) -> bool {
    // The other thread goes to sleep, so that there is an interrupt to wait for.
    let _ = riposte::sleep(Duration::from_micros(100));
    OWN.store(value, Ordering::Relaxed);
    execute(Table::Harmless, value, 77) == 77 && OWN.load(Ordering::Relaxed) == value
}

fn jump(address: u32) {
    // SAFETY: see the module. The place is in t0, as a call would have it in ra.
    unsafe { asm!("jalr {0}", in(reg) address, clobber_abi("C")) };
}

/// Into the middle of an instruction, into data, onto the stack, and to the end of its
/// memory.
fn jump_into_own(place: u32, end: u32) -> bool {
    const RETURN: u32 = 0x0000_8067;
    let stack = black_box([RETURN; 2]);
    match place {
        0 => {
            jump(middle as unsafe extern "C" fn() as usize as u32 + 2);
            return true;
        }
        1 => {
            OWN.store(RETURN, Ordering::Relaxed);
            jump(OWN.as_ptr().addr() as u32);
        }
        2 => jump(stack.as_ptr().addr() as u32),
        _ => jump(end),
    }
    false
}

/// Two returns where compressed instructions are known; where not, no instruction begins at the
/// second.
#[unsafe(naked)]
unsafe extern "C" fn middle() {
    naked_asm!(".balign 4", ".word 0x80828082", ".word 0x00008067")
}

/// Makes call `which` with the stack pointer at `address`: it comes back as it went, and so does s1.
fn call_with_stack_at(address: u32, which: u32) -> bool {
    let (found, kept);
    // SAFETY: see the module.
    unsafe {
        asm!(
            "addi sp, sp, -16",
            "sw   s1, 0(sp)",
            "mv   s1, sp",
            "mv   sp, a0",
            "ecall",
            "mv   a0, sp",
            "mv   sp, s1",
            "mv   a1, s1",
            "lw   s1, 0(sp)",
            "sub  a1, a1, sp",
            "addi sp, sp, 16",
            inlateout("a0") address => found,
            lateout("a1") kept,
            inlateout("s2") word(which) => _,
            inlateout("s4") 0 => _,
            inlateout("a2") 0 => _, inlateout("a3") 0 => _,
            out("ra") _, out("t0") _, out("t1") _, out("t2") _, out("t3") _, out("t4") _,
            out("t5") _, out("t6") _, out("a4") _, out("a5") _, out("a6") _, out("a7") _,
            out("s3") _, out("s5") _, out("s6") _, out("s7") _, out("s8") _, out("s9") _,
            out("s10") _, out("s11") _,
        );
    }
    let (found, kept): (u32, u32) = (found, kept);
    found == address && kept == 0
}

/// Words of calls on each path through the kernel.
fn word(which: u32) -> u32 {
    match which {
        0 => number::NULL,
        1 => number::YIELD,
        2 => number::CLOCK,
        3 => connected(operation::SEND),
        4 => connected(operation::LEND),
        // Refused ones.
        5 => call::word(operation::REPLY_RECEIVE, 0),
        6 => call::word(operation::SEND_BYTES, 0),
        _ => 0xEE,
    }
}

fn connected(operation: u32) -> u32 {
    call::word(operation, riposte::connect("keeper").unwrap().handle())
}

/// Goes on for several alarms with the stack pointer at `address`, which stays there.
fn wait_with_stack_at(address: u32) -> bool {
    let _ = riposte::sleep(Duration::from_micros(100));
    let found: u32;
    // SAFETY: see the module.
    unsafe {
        asm!(
            "mv   {old}, sp",
            "mv   sp, {new}",
            "2:",
            "addi {count}, {count}, -1",
            "bnez {count}, 2b",
            "mv   {new}, sp",
            "mv   sp, {old}",
            old = out(reg) _,
            new = inlateout(reg) address => found,
            count = inlateout(reg) 100_000 => _,
        );
    }
    found == address
}

fn push_at(address: u32) {
    // SAFETY: see the module.
    unsafe { super::push_at(address) };
}

/// Makes call `which` with gp and tp at `address`: they come back so, or as the thread began.
fn call_with_pointers(address: u32, which: u32) -> bool {
    let own = pointers();
    let (first, second): (u32, u32);
    // SAFETY: see the module. Nothing here uses either register, and they are put back.
    unsafe {
        asm!(
            "mv   gp, a0",
            "mv   tp, a0",
            "ecall",
            "mv   a0, gp",
            "mv   a1, tp",
            inlateout("a0") address => first,
            lateout("a1") second,
            inlateout("s2") word(which) => _,
            inlateout("s4") 0 => _,
            inlateout("a2") 0 => _, inlateout("a3") 0 => _,
            out("ra") _, out("t0") _, out("t1") _, out("t2") _, out("t3") _, out("t4") _,
            out("t5") _, out("t6") _, out("a4") _, out("a5") _, out("a6") _, out("a7") _,
            out("s3") _, out("s5") _, out("s6") _, out("s7") _, out("s8") _, out("s9") _,
            out("s10") _, out("s11") _,
        );
        asm!("mv gp, {0}", "mv tp, {1}", in(reg) own[0], in(reg) own[1]);
    }
    (first == address || first == own[0]) && (second == address || second == own[1])
}

/// Lets others run, who have gp and tp full of secrets. Here gp is the thread's id, and tp 0, as the program has
/// no thread-local storage.
fn pointers_after_others() -> bool {
    let own = pointers();
    let _ = riposte::sleep(Duration::from_micros(100));
    own[1] == 0 && pointers() == own
}

/// gp and tp.
fn pointers() -> [u32; 2] {
    let (first, second);
    // SAFETY: reads two registers.
    unsafe { asm!("mv {0}, gp", "mv {1}, tp", out(reg) first, out(reg) second) };
    [first, second]
}
