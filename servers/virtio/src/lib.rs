//! Devices behind virtio, by the crate `virtio-drivers`: what every driver of one needs.
//!
//! Such a device reads and writes memory by itself, and no protection keeps it from any: what it is told to use lies in one
//! region, of which the driver's process is the only one. The first pages are the crate's, for its queues; what is behind
//! them is the driver's.
#![no_std]

mod without;

use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

use riposte::{Peripheral, Region};
pub use virtio_drivers::PAGE_SIZE;
use virtio_drivers::transport::mmio::{MmioTransport, VirtIOHeader};
use virtio_drivers::{BufferDirection, Hal, PhysAddr};
pub use without::Without;

/// The region, as the crate asks for it.
pub struct Memory;

/// Where it lies for this process, and for the device; 0 before [`open`].
static SEEN: AtomicU32 = AtomicU32::new(0);
static PLACE: AtomicU32 = AtomicU32::new(0);
/// How long it is.
static LENGTH: AtomicU32 = AtomicU32::new(0);
/// How much of it the crate may have, and has.
static QUEUES: AtomicU32 = AtomicU32::new(0);
static TAKEN: AtomicU32 = AtomicU32::new(0);

/// There is no device behind these registers.
#[derive(Debug)]
pub struct NoDevice;

/// What a driver begins with: the device's registers for the crate, and the region `memory`, of which the first `queues`
/// bytes are the crate's and `needed` are used in all. Once in a process. Never blocks.
///
/// # Errors
/// [`NoDevice`] if the transport has none behind it.
///
/// # Panics
/// If the manifest gives the process no such region, or too small a one; or if the process has a device already.
pub fn open(
    device: Peripheral,
    memory: &'static str,
    queues: usize,
    needed: usize,
) -> Result<(MmioTransport<'static>, Region), NoDevice> {
    assert!(
        SEEN.load(Ordering::Relaxed) == 0,
        "a process drives one device behind virtio"
    );
    let region = riposte::region(memory).unwrap();
    assert!(
        region.is_writable() && region.length() >= needed,
        "the region `{memory}` in app.toml needs access = \"read-write\" and {needed} bytes or more"
    );
    LENGTH.store(region.length() as u32, Ordering::Relaxed);
    QUEUES.store(queues as u32, Ordering::Relaxed);
    PLACE.store(
        riposte::region_for_devices(memory).unwrap(),
        Ordering::Relaxed,
    );
    SEEN.store(region.address(), Ordering::Relaxed);
    let (address, length) = (device.address(), device.length());
    // It is this process's for as long as it lives.
    core::mem::forget(device);
    let header = core::ptr::with_exposed_provenance_mut::<VirtIOHeader>(address as usize);
    let header = NonNull::new(header).ok_or(NoDevice)?;
    // SAFETY: the manifest gives this process alone the device whose registers are there, `length` bytes of them, and
    // `take` has given them to this caller alone.
    let transport = unsafe { MmioTransport::new(header, length) };
    transport
        .map(|transport| (transport, region))
        .map_err(|_| NoDevice)
}

/// Where something in the region lies for the device.
fn place(buffer: NonNull<u8>) -> PhysAddr {
    let offset = (buffer.addr().get() as u32).wrapping_sub(SEEN.load(Ordering::Relaxed));
    assert!(
        offset < LENGTH.load(Ordering::Relaxed),
        "the device uses the region alone"
    );
    PhysAddr::from(PLACE.load(Ordering::Relaxed) + offset)
}

// SAFETY: pages are given out once, one behind the other, of the beginning of a region that is this process's alone, of
// which nobody else names that part; a region lies at a multiple of its size, which is more than a page. They are cleared.
unsafe impl Hal for Memory {
    fn dma_alloc(pages: usize, _direction: BufferDirection) -> (PhysAddr, NonNull<u8>) {
        let length = pages * PAGE_SIZE;
        // One thread makes the queues; and not every processor adds in one step.
        let offset = TAKEN.load(Ordering::Relaxed) as usize;
        TAKEN.store((offset + length) as u32, Ordering::Relaxed);
        assert!(
            offset + length <= QUEUES.load(Ordering::Relaxed) as usize,
            "the queues have their pages"
        );
        let address = SEEN.load(Ordering::Relaxed) as usize + offset;
        let pointer = core::ptr::with_exposed_provenance_mut::<u8>(address);
        let Some(pointer) = NonNull::new(pointer) else {
            panic!("no region is at 0");
        };
        // SAFETY: as above.
        unsafe { pointer.write_bytes(0, length) };
        (place(pointer), pointer)
    }

    unsafe fn dma_dealloc(_: PhysAddr, _: NonNull<u8>, _: usize) -> i32 {
        // The queues live as long as the process.
        0
    }

    unsafe fn mmio_phys_to_virt(_: PhysAddr, _: usize) -> NonNull<u8> {
        panic!("only devices behind PCI have such addresses")
    }

    unsafe fn share(buffer: NonNull<[u8]>, _: BufferDirection) -> PhysAddr {
        place(buffer.cast())
    }

    unsafe fn unshare(_: PhysAddr, _: NonNull<[u8]>, _: BufferDirection) {}
}
