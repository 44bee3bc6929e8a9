//! Memory of a process that only an address names: the table that the kernel hands it at its
//! start, and the registers of its peripherals.

use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use riposte_abi::process_info::{self, Header, MAGIC};

use super::Entry;
use super::pages::Allocation;
use crate::PartMut;

/// Address of the process-info table; 0 before the start has set it.
static INFO: AtomicU32 = AtomicU32::new(0);

/// Remembers where the process-info table lies. For the start of the process.
pub fn set_info(address: u32) {
    INFO.store(address, Ordering::Relaxed);
}

/// The table's header, or none before the start.
fn header() -> Option<&'static Header> {
    let address = INFO.load(Ordering::Relaxed) as *const Header;
    if address.is_null() {
        return None;
    }
    // SAFETY: the image builder lays the table, aligned and whole, in the process's read-only
    // memory, where it stays as long as the process; the kernel passed its address to the start.
    let header = unsafe { &*address };
    (header.magic == MAGIC).then_some(header)
}

/// The text of `length` bytes at `address`, both from the process-info table.
fn text(address: u32, length: u32) -> &'static str {
    // SAFETY: the image builder writes the names as UTF-8 behind the table, in read-only memory.
    unsafe {
        core::str::from_utf8_unchecked(core::slice::from_raw_parts(
            address as *const u8,
            length as usize,
        ))
    }
}

/// The name of this process in the manifest.
pub fn process_name() -> &'static str {
    header().map_or("", |header| text(header.name, header.name_length))
}

/// The index of this process in the manifest.
pub fn process_index() -> u32 {
    header().map_or(0, |header| header.process)
}

/// What the manifest gives this process.
pub fn entries() -> impl Iterator<Item = Entry> {
    let entries: &'static [process_info::Entry] = header().map_or(&[], |header| {
        // SAFETY: `count` entries follow the header (see `header`).
        unsafe {
            core::slice::from_raw_parts(
                core::ptr::from_ref(header).add(1).cast(),
                header.count as usize,
            )
        }
    });
    entries.iter().map(|entry| Entry {
        kind: entry.kind,
        value: entry.value,
        name: text(entry.name, entry.name_length),
    })
}

/// Whether the main thread asks, whichever stack it is on.
#[inline(always)]
pub fn is_main_thread() -> bool {
    super::thread_index() == 0
}

/// The address by which a call names memory.
#[inline(always)]
pub fn address<T>(pointer: *const T) -> u32 {
    pointer.expose_provenance() as u32
}

/// The memory at `address`.
#[inline(always)]
pub fn pointer(address: u32) -> *mut u8 {
    core::ptr::with_exposed_provenance_mut(address as usize)
}

/// Who has which part of this process's pages.
pub fn allocation() -> &'static Allocation {
    static ALLOCATION: Allocation = Allocation::new();
    &ALLOCATION
}

/// Reads the device register at `address`.
#[inline(always)]
pub fn load(address: u32) -> u32 {
    // SAFETY: `crate::Peripheral` builds the address from a base of the process-info table and an
    // aligned offset within the device's size, so that it is no memory of the process.
    unsafe { (address as *const u32).read_volatile() }
}

/// Writes the device register at `address`.
#[inline(always)]
pub fn store(address: u32, value: u32) {
    // SAFETY: as for `load`.
    unsafe { (address as *mut u32).write_volatile(value) }
}

/// Writes `bytes` to the beginning of `part`, as far as they fit.
pub fn fill(part: &mut PartMut<'_>, bytes: &[u8]) {
    let range = part.range();
    for (to, byte) in (range.address..range.address + range.length).zip(bytes) {
        // SAFETY: the part stands for a slice that is borrowed mutably as long as the part lives, or
        // for bytes of a region, which others may read and write meanwhile: so these are atomics.
        unsafe { AtomicU8::from_ptr(pointer(to)) }.store(*byte, Ordering::Relaxed);
    }
}
