//! Does with the region what the judge says, and more than it may.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use region_orders::{
    BYTES, KERNEL_READS, KERNEL_WRITES, LOAD, MISSING, PEEK, POKE, REFUSED, RUN, STORE, WHERE,
    WORDS,
};
use riposte::{Event, Message, RegionError};

/// The words of the region that orders name.
type Words = [AtomicU32; 2048];

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    loop {
        let mut buffer = [0; BYTES];
        if let Ok(Event::Message(message)) = channel.receive(&mut buffer) {
            let mut answer = [0; BYTES];
            let result = obey(&message).to_le_bytes();
            answer[..4].copy_from_slice(&result);
            // The judge has another order if it does not wait for this one's answer any more.
            let _ = message.reply(&answer);
        }
    }
}

fn obey(message: &Message<'_>) -> u32 {
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(message.bytes().as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let [order, place, value, ..] = words;
    match order {
        LOAD => load(place),
        STORE => store(place, value),
        PEEK => peek(place),
        POKE => poke(place, value),
        RUN => run(place),
        KERNEL_WRITES => kernel_writes(message, place),
        KERNEL_READS => kernel_reads(message, place),
        WHERE => riposte::region("common").map_or(MISSING, |region| region.address()),
        _ => MISSING,
    }
}

fn load(offset: u32) -> u32 {
    let region = riposte::region("common");
    let word = region.map(|region| region.load(offset as usize));
    word.ok().flatten().unwrap_or(MISSING)
}

fn store(offset: u32, value: u32) -> u32 {
    let Ok(region) = riposte::region("common") else {
        return MISSING;
    };
    match region.cast::<Words>() {
        Ok(words) => {
            words[offset as usize / 4].store(value, Ordering::Release);
            0
        }
        Err(RegionError::ReadOnly) => REFUSED,
        Err(_) => MISSING,
    }
}

fn peek(address: u32) -> u32 {
    // SAFETY: where this is not allowed it must end the process, which is what the judge looks for.
    unsafe { (address as *const u32).read_volatile() }
}

fn poke(address: u32, value: u32) -> u32 {
    // SAFETY: as in `peek`.
    unsafe { (address as *mut u32).write_volatile(value) };
    0
}

fn run(address: u32) -> u32 {
    // Thumb code, on processors that have such.
    let address = address | u32::from(cfg!(target_arch = "arm"));
    // SAFETY: as in `peek`.
    let function: extern "C" fn() = unsafe { core::mem::transmute(address as usize) };
    function();
    0
}

/// The kernel copies the order to `address`.
fn kernel_writes(message: &Message<'_>, address: u32) -> u32 {
    // SAFETY: only the kernel uses it, and refuses what this process must not have written.
    let to = unsafe { core::slice::from_raw_parts_mut(address as *mut u8, BYTES) };
    match message.read(0, to) {
        Ok(_) => 0,
        Err(error) => error as u32,
    }
}

/// The kernel copies what is at `address` behind the answer's first word.
fn kernel_reads(message: &Message<'_>, address: u32) -> u32 {
    // SAFETY: as in `kernel_writes`.
    let from = unsafe { core::slice::from_raw_parts(address as *const u8, BYTES) };
    match message.write(BYTES as u32, from) {
        Ok(_) => 0,
        Err(error) => error as u32,
    }
}
