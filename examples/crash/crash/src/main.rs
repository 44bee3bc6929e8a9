//! Crashes in a different way each time it is started. Another process counts the starts, since
//! this one forgets everything when it crashes.
#![no_std]

use core::hint::black_box;

use riposte::println;

/// The boards' memories are aligned to this size, and the kernel lies first in each. (Where addresses
/// are translated, what is seen there is the process's own code.)
const MEMORY: usize = 4 << 20;

#[riposte::main]
fn main() {
    let ticker = riposte::connect("ticker").unwrap();
    // How often this was asked, and where a device is that the manifest gives only the other one.
    let [start, device, ..] = ticker.send_words([]).unwrap().words;
    match start {
        1 => {
            println!("crash: writes where it may not");
            // SAFETY: not sound at all. The memory protection stops it, which is the point.
            unsafe { forbidden().write_volatile(1) };
        }
        2 => {
            println!("crash: reads a device that is not its own");
            // SAFETY: as above.
            let _ = unsafe { (device as *const u32).read_volatile() };
        }
        3 => {
            println!("crash: overflows its stack");
            overflow(1);
        }
        4 => {
            println!("crash: panics");
            panic!("nothing is wrong, except \"this\"");
        }
        5 => {
            println!("crash: jumps into its own data");
            // Thumb code has the lowest bit of its address set.
            let data = black_box([0_u16; 4]);
            let place = data.as_ptr().wrapping_byte_add(1);
            // SAFETY: as above.
            let jump = unsafe { core::mem::transmute::<*const u16, extern "C" fn()>(place) };
            jump();
        }
        6 => {
            println!("crash: wants a connection that it was not given");
            riposte::connect("consle").unwrap();
        }
        7 => {
            println!("crash: ends, and says that something went wrong");
            riposte::exit(3);
        }
        _ => {
            println!("crash: has had enough");
            return;
        }
    }
    println!("crash: still here, which must not be");
}

/// An address that it may not write.
fn forbidden() -> *mut u32 {
    let own = 0_u32;
    ((&raw const own).addr() & !(MEMORY - 1)) as *mut u32
}

/// Needs ever more stack.
#[inline(never)]
fn overflow(depth: u32) -> u32 {
    let frame = black_box([depth; 16]);
    if depth == 0 {
        0
    } else {
        overflow(depth + 1) + frame[0]
    }
}
