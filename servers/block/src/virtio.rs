//! A card behind virtio, by the crate `virtio-drivers`.
//!
//! What the device is told to use lies in the region `card-memory`: first the crate's pages, for its queue, then what one
//! request needs. This process never waits by turning round: the device's interrupt comes to a channel
//! of its own, so that clients wait in the order of their priorities.

use core::ops::Range;
use core::sync::atomic::Ordering;

use riposte::{Interrupt, Peripheral, Region, Token};
use riposte_block::protocol::{BLOCK, LARGEST, REQUEST, status};
use riposte_virtio::{Memory, PAGE_SIZE, Without};
use virtio_drivers::device::blk::{BlkReq, BlkResp, VirtIOBlk};
use virtio_drivers::transport::mmio::MmioTransport;

use crate::device::{Blocks, Device, Failed, Source};

/// Bytes at the beginning of the region for the crate's queue.
const QUEUE: usize = 4 * PAGE_SIZE;
/// Where the head of a request is, and what the device says of it.
const HEAD: usize = QUEUE;
const SAID: usize = QUEUE + 64;
/// Where the blocks of a request are.
const BYTES: usize = QUEUE + PAGE_SIZE;
/// Bytes of the region that are needed.
const NEEDED: usize = BYTES + LARGEST * BLOCK;

/// That the device keeps back what was written until it is told to flush (`VIRTIO_BLK_F_FLUSH`): it does if that is accepted. If it
/// is not, a write that is answered is where the power does not take it away.
const WRITES_BACK: u64 = 1 << 9;

const _: () = assert!(size_of::<BlkReq>() <= SAID - HEAD && size_of::<BlkResp>() <= 64);

/// The device, and the memory that it uses.
pub struct Virtio {
    device: VirtIOBlk<Memory, Without<MmioTransport<'static>>>,
    region: Region,
    done: Interrupt,
}

impl Virtio {
    /// The device `card`, if the manifest gives it to this process.
    pub fn open() -> Option<Virtio> {
        let card = Peripheral::take("card").ok()?;
        assert!(
            card.kind() == "virtio-mmio",
            "no driver for a card of kind `{}`",
            card.kind()
        );
        let channel = riposte::channel("card").unwrap();
        let done = Interrupt::attach("card", &channel, 1).unwrap();
        let Ok((transport, region)) = riposte_virtio::open(card, "card-memory", QUEUE, NEEDED)
        else {
            panic!("there is no card: `./riposte run --card FILE` gives the board one");
        };
        let transport = Without::new(transport, WRITES_BACK);
        let device = match VirtIOBlk::new(transport) {
            Ok(device) => device,
            Err(why) => panic!("the card: {why}"),
        };
        Some(Virtio {
            device,
            region,
            done,
        })
    }

    /// Has the device read or write the blocks of a request, and waits for it.
    fn transfer(&mut self, blocks: Blocks, write: bool) -> Result<(), Failed> {
        let first = blocks.first as usize;
        let at = |offset: usize| self.region.address() as usize + offset;
        let head = core::ptr::with_exposed_provenance_mut::<BlkReq>(at(HEAD));
        let said = core::ptr::with_exposed_provenance_mut::<BlkResp>(at(SAID));
        let bytes = core::ptr::with_exposed_provenance_mut::<u8>(at(BYTES));
        // SAFETY: the three lie in the region, which is this process's alone, at offsets that are multiples of their
        // alignment, and do not overlap (the assertions above). Any bytes are a request, a block and an answer, as all
        // are of `zerocopy`'s kinds; both are written before they are looked at. Nobody else in this process names these
        // places while the references live: the kernel copies to and from the blocks before and after. The request ends
        // before this returns: there is no way out between submission and completion but the end of this process, whose
        // next life resets the device before it uses the memory.
        unsafe {
            head.write(BlkReq::default());
            said.write(BlkResp::default());
            let (head, said) = (&mut *head, &mut *said);
            let bytes = core::slice::from_raw_parts_mut(bytes, blocks.count as usize * BLOCK);
            let token = if write {
                self.device.write_blocks_nb(first, head, bytes, said)
            } else {
                self.device.read_blocks_nb(first, head, bytes, said)
            };
            let token = token.map_err(|_| Failed)?;
            while self.device.peek_used() != Some(token) {
                // Whatever else it is that came, the queue says whether the request is done.
                let _ = self.done.wait();
                self.device.ack_interrupt();
            }
            let completed = if write {
                self.device.complete_write_blocks(token, head, bytes, said)
            } else {
                self.device.complete_read_blocks(token, head, bytes, said)
            };
            completed.map_err(|_| Failed)
        }
    }

    /// Where the blocks of a request are.
    fn bytes(blocks: Blocks) -> Range<usize> {
        BYTES..BYTES + blocks.count as usize * BLOCK
    }
}

impl Device for Virtio {
    fn blocks(&self) -> u32 {
        self.device.capacity().try_into().unwrap_or(u32::MAX)
    }

    /// The device copies to the region, the kernel from there.
    fn read(&mut self, blocks: Blocks, client: Token) {
        let read = self.transfer(blocks, false);
        // A client that has left reads nothing.
        let _ = match (read, self.region.part(Virtio::bytes(blocks))) {
            (Ok(()), Some(part)) => client.reply_vector(&[part]).map(drop),
            _ => client.reply_error(status::IO),
        };
    }

    /// All bytes are here before the device is told: a client that ends has written all or nothing.
    fn write(&mut self, blocks: Blocks, from: Source<'_>) -> Result<(), Failed> {
        let bytes = Virtio::bytes(blocks);
        let length = bytes.len();
        match from {
            Source::Here(from) => {
                let words = self.region.words().map_err(|_| Failed)?;
                let words = words.get(bytes.start / 4..bytes.end / 4);
                let (chunks, _) = from.as_chunks::<4>();
                for (to, from) in words.unwrap_or_default().iter().zip(chunks) {
                    to.store(u32::from_le_bytes(*from), Ordering::Relaxed);
                }
            }
            Source::AtClient(client) => {
                let mut part = self.region.part_mut(bytes).ok_or(Failed)?;
                if client.read_part(REQUEST as u32, &mut part) != Ok(length) {
                    return Err(Failed);
                }
            }
        }
        self.transfer(blocks, true)
    }
}
