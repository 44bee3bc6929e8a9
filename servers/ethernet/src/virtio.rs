//! An Ethernet behind virtio, by the crate `virtio-drivers`.
//!
//! What the device is told to use lies in the region `ethernet-memory`: first the crate's pages, for its queues, then a
//! place for each frame that is to come, and for each that is to be sent. A frame is copied once, by the kernel, between
//! its place and the client.

use core::ops::Range;
use core::sync::atomic::{Ordering, fence};

use riposte::{DeviceWords, Peripheral, Region, Token};
use riposte_ethernet::protocol::FRAME;
use riposte_virtio::{Memory, PAGE_SIZE};
use virtio_drivers::device::net::VirtIONetRaw;
use virtio_drivers::transport::mmio::MmioTransport;

use crate::controller::{Controller, Frame, Happened, Refused, status_of};

/// Frames that can have come and not been taken; and such that can wait to be sent.
const PLACES: usize = 8;
/// Bytes of a place.
const PLACE: usize = 2048;
/// What is before a frame in its place: the device's.
const HEAD: usize = 12;
/// Bytes at the beginning of the region for the crate's queues: two pages each.
const QUEUES: usize = 4 * PAGE_SIZE;
/// Where the places are of the frames that come, and of those that are sent.
const COMING: usize = QUEUES;
const LEAVING: usize = COMING + PLACES * PLACE;
/// Bytes of the region that are needed.
const NEEDED: usize = LEAVING + PLACES * PLACE;

/// Where the device's registers say what its state is: the upper half of the word behind the first four bytes of its
/// address. (Of virtio 1.2: 5.1.4.)
const STATE: usize = 0x104;
const LINK_UP: u32 = 1 << 16;

/// The device, and the memory that it uses.
pub struct Virtio {
    device: VirtIONetRaw<Memory, MmioTransport<'static>, PLACES>,
    region: Region,
    state: DeviceWords<4>,
    /// Which place the device has under each of its tokens; and how much of it, of one that is to be sent.
    coming: [usize; PLACES],
    leaving: [(usize, usize); PLACES],
    /// Places that are free for frames that are to be sent: the first `room` of these.
    free: [usize; PLACES],
    room: usize,
    /// Frames that were no use, and were not told of yet.
    lost: u32,
}

/// Where in the region a place is.
fn place(base: usize, number: usize) -> Range<usize> {
    let start = base + number * PLACE;
    start..start + PLACE
}

impl Virtio {
    /// The device, with a place for each frame that may come.
    pub fn open(device: Peripheral) -> Virtio {
        let Ok(state) = device.words(STATE) else {
            panic!("the Ethernet has too few registers for virtio");
        };
        let Ok((transport, region)) =
            riposte_virtio::open(device, "ethernet-memory", QUEUES, NEEDED)
        else {
            panic!("there is no Ethernet: `./riposte run` gives the board one");
        };
        let device = match VirtIONetRaw::new(transport) {
            Ok(device) => device,
            Err(why) => panic!("the Ethernet: {why}"),
        };
        let mut virtio = Virtio {
            device,
            region,
            state,
            coming: [0; PLACES],
            leaving: [(0, 0); PLACES],
            free: core::array::from_fn(|number| number),
            room: PLACES,
            lost: 0,
        };
        for number in 0..PLACES {
            virtio.await_frame(number);
        }
        virtio
    }

    /// The bytes of a place, as the crate takes them.
    ///
    /// # Safety
    /// The device does not use the place, and nobody else holds its bytes.
    unsafe fn bytes(&self, place: Range<usize>) -> &'static mut [u8] {
        let address = self.region.address() as usize + place.start;
        let bytes = core::ptr::with_exposed_provenance_mut::<u8>(address);
        // SAFETY: it lies in the region, which is this process's alone, as `open` has made sure; any bytes are some. That
        // nobody else names it is the caller's promise.
        unsafe { core::slice::from_raw_parts_mut(bytes, place.len()) }
    }

    /// Gives the device a place for a frame.
    fn await_frame(&mut self, number: usize) {
        // SAFETY: the place is not the device's: it has just been taken back, or was never given. Until its token comes
        // back nobody names it; the device has it until then, or until the process's next life resets it.
        let token = unsafe {
            let bytes = self.bytes(place(COMING, number));
            self.device.receive_begin(bytes)
        };
        let Some(kept) = token.ok().and_then(|it| self.coming.get_mut(it as usize)) else {
            panic!("the queue has room for each place");
        };
        *kept = number;
    }

    /// Takes what has come first: its place, and where in the region its frame is, if it is one.
    fn take(&mut self) -> Option<(usize, Option<Range<usize>>)> {
        let token = self.device.poll_receive()?;
        let Some(number) = self.coming.get(token as usize).copied() else {
            panic!("the device returns what it never got");
        };
        let place = place(COMING, number);
        // SAFETY: this is the place that was given with this token.
        let received = unsafe {
            let bytes = self.bytes(place.clone());
            self.device.receive_complete(token, bytes)
        };
        // A device that says it wrote more than it could has written no frame; nor is one that is longer than Ethernet has them.
        let frame = received.ok().filter(|(_, length)| *length <= FRAME);
        let frame = frame.map(|(head, length)| {
            let start = place.start + head;
            start..start + length
        });
        Some((number, frame))
    }

    /// Takes back the places of frames that were sent, if there is no other. (The device asks for an interrupt when it has sent
    /// the next one: who looked each time would be interrupted for each frame.)
    fn collect(&mut self) {
        if self.room > 0 {
            return;
        }
        while let Some(token) = self.device.poll_transmit() {
            let Some((number, length)) = self.leaving.get(token as usize).copied() else {
                panic!("the device returns what it never got");
            };
            let start = place(LEAVING, number).start;
            // SAFETY: these are the bytes that were given with this token.
            let sent = unsafe {
                let bytes = self.bytes(start..start + length);
                self.device.transmit_complete(token, bytes)
            };
            // The place is free, whatever the device says of the frame.
            let _ = sent;
            if let Some(free) = self.free.get_mut(self.room) {
                *free = number;
                self.room += 1;
            }
        }
    }
}

impl Controller for Virtio {
    fn address(&self) -> [u8; 6] {
        self.device.mac_address()
    }

    fn is_up(&mut self) -> bool {
        self.state.read::<0>() & LINK_UP != 0
    }

    fn room(&mut self) -> u32 {
        // Without a look at the device: its interrupt, with which there is some, is not to find that there was.
        self.room as u32
    }

    fn interrupted(&mut self) -> Happened {
        self.device.ack_interrupt();
        let had_no_room = self.room == 0;
        self.collect();
        Happened {
            frames: self.device.poll_receive().is_some() || had_no_room && self.room > 0,
            lost: core::mem::take(&mut self.lost),
        }
    }

    fn send(&mut self, frame: Frame<'_>) -> Result<u32, Refused> {
        self.collect();
        let room = self.room.checked_sub(1).ok_or(Refused::NoRoom)?;
        let number = self.free[room];
        let start = place(LEAVING, number).start;
        let length = frame.length();
        // SAFETY: the place is free, so that it is not the device's, and nobody names it but here.
        let token = unsafe {
            let bytes = self.bytes(start..start + HEAD + length);
            frame.copy(bytes.get_mut(HEAD..).unwrap_or_default())?;
            // It is long enough for the head.
            let _ = self.device.fill_buffer_header(bytes);
            self.device.transmit_begin(bytes)
        };
        match token.ok().and_then(|it| self.leaving.get_mut(it as usize)) {
            Some(kept) => *kept = (number, HEAD + length),
            None => return Err(Refused::NoRoom),
        }
        self.room = room;
        self.collect();
        Ok(self.room as u32)
    }

    fn receive(&mut self, client: Token) -> Result<usize, Token> {
        // As many as there are places.
        for _ in 0..PLACES {
            let Some((number, frame)) = self.take() else {
                return Err(client);
            };
            let length = frame.as_ref().map_or(0, Range::len);
            if let Some(part) = frame.and_then(|it| self.region.part(it)) {
                // The device is to find that this one was taken before it is looked for the next one: else it would interrupt for none
                // that comes meanwhile, nor for any behind that.
                fence(Ordering::SeqCst);
                // A client that has left has lost a frame, as a wire may.
                let status = status_of(self.device.poll_receive().is_some());
                let _ = client.reply_vector_with(status, &[part]);
                self.await_frame(number);
                return Ok(length);
            }
            self.await_frame(number);
            self.lost = self.lost.wrapping_add(1);
        }
        // The device asks for no interrupt as long as not all that has come was taken: the client must ask again.
        let _ = client.reply(&[]);
        Ok(0)
    }
}
