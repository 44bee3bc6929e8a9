//! A source of random bytes behind virtio, by the crate `virtio-drivers`.
//!
//! What the device is told to use lies in the region `random-memory`: first the crate's pages, for its queue, then the bytes
//! of one request. The crate's own driver of such a device turns round until the device has answered; this one sleeps, until
//! its interrupt comes to a channel of its own, so that a device that never answers keeps nobody from the processor.

use core::sync::atomic::Ordering;

use riposte::{Interrupt, Peripheral, Region, Token};
use riposte_entropy::protocol::{LARGEST, status};
use riposte_virtio::{Memory, PAGE_SIZE};
use virtio_drivers::device::common::Feature;
use virtio_drivers::queue::VirtQueue;
use virtio_drivers::transport::Transport;
use virtio_drivers::transport::mmio::MmioTransport;

/// Bytes at the beginning of the region for the crate's queue.
const QUEUES: usize = 4 * PAGE_SIZE;
/// Where the bytes of a request are.
const BYTES: usize = QUEUES;
/// Bytes of the region that are needed.
const NEEDED: usize = BYTES + LARGEST;
/// The device's only queue, of which one place is used.
const QUEUE: u16 = 0;
const PLACES: usize = 2;

/// The device has failed.
struct Failed;

/// The device, and the memory that it uses.
pub struct Virtio {
    transport: MmioTransport<'static>,
    queue: VirtQueue<Memory, PLACES>,
    region: Region,
    done: Interrupt,
}

impl Virtio {
    /// The device behind these registers.
    pub fn open(device: Peripheral) -> Virtio {
        let channel = riposte::channel("random").unwrap();
        let done = Interrupt::attach("random", &channel, 1).unwrap();
        let Ok((mut transport, region)) =
            riposte_virtio::open(device, "random-memory", QUEUES, NEEDED)
        else {
            panic!("there is no source of random bytes behind `random`");
        };
        let agreed = transport.begin_init(Feature::VERSION_1 | Feature::RING_EVENT_IDX);
        let has_events = agreed.contains(Feature::RING_EVENT_IDX);
        let queue = match VirtQueue::new(&mut transport, QUEUE, false, has_events) {
            Ok(queue) => queue,
            Err(why) => panic!("the source of random bytes: {why}"),
        };
        transport.finish_init();
        Virtio {
            transport,
            queue,
            region,
            done,
        }
    }

    /// Answers a client with so many random bytes, 1 to [`LARGEST`]; they are kept by nobody here.
    pub fn give(&mut self, count: usize, client: Token) {
        let drawn = self.draw(count);
        // A client that has left gets nothing.
        let _ = match (drawn, self.region.part(BYTES..BYTES + count)) {
            (Ok(()), Some(part)) => client.reply_vector(&[part]).map(drop),
            _ => client.reply_error(status::IO),
        };
        if let Ok(words) = self.region.words() {
            let own = words.iter().skip(BYTES / 4).take(LARGEST / 4);
            own.for_each(|word| word.store(0, Ordering::Relaxed));
        }
    }

    /// Has the device fill so many bytes. It may give some at a time, but some each time.
    fn draw(&mut self, count: usize) -> Result<(), Failed> {
        let mut have = 0;
        while have < count {
            have += match self.fill(have, count - have)? {
                0 => return Err(Failed),
                more => more.min(count - have),
            };
        }
        Ok(())
    }

    /// One request to the device, for `length` bytes from the byte `from` on: how many it has given.
    fn fill(&mut self, from: usize, length: usize) -> Result<usize, Failed> {
        let address = self.region.address() as usize + BYTES + from;
        let bytes = core::ptr::with_exposed_provenance_mut::<u8>(address);
        // SAFETY: the bytes lie in the region, which is this process's alone, behind the crate's pages; any bytes are some.
        // Nobody else in this process names them while the reference lives: the kernel copies them out after it. The request
        // ends before this returns: there is no way out between the two calls but the end of this process, whose next life
        // resets the device before it uses the memory.
        unsafe {
            let bytes = core::slice::from_raw_parts_mut(bytes, length);
            let token = self
                .queue
                .add(&[], &mut [&mut *bytes])
                .map_err(|_| Failed)?;
            if self.queue.should_notify() {
                self.transport.notify(QUEUE);
            }
            while !self.queue.can_pop() {
                // Whatever else it is that came, the queue says whether the request is done.
                let _ = self.done.wait();
                self.transport.ack_interrupt();
            }
            let given = self.queue.pop_used(token, &[], &mut [bytes]);
            given.map(|given| given as usize).map_err(|_| Failed)
        }
    }
}
