//! The driver, as the stack sees it.

use network_store::Egress;
use riposte_ethernet::protocol::{FRAME, REQUEST};
use riposte_ethernet::{Ethernet, EthernetError, State};
use smoltcp::phy::{self, Device, DeviceCapabilities, Medium};
use smoltcp::time::Instant;

/// What has been counted.
#[derive(Clone, Copy, Default)]
pub struct Counted {
    pub sent: u32,
    pub sent_bytes: u32,
    pub received: u32,
    pub received_bytes: u32,
    pub lost: u32,
    pub restarts: u32,
}

/// The driver, and a frame each way.
pub struct Wire {
    port: Port,
    state: Option<State>,
    /// Whether frames may have come: not from when the driver has said that there are none until it has something to say.
    may_have_come: bool,
    came: Frame<FRAME>,
    /// Bytes of the last frame that has come.
    length: usize,
    /// Whether the stack was not given it yet.
    is_new: bool,
}

/// A frame's bytes, where the kernel copies them by words.
#[repr(align(4))]
struct Frame<const N: usize>([u8; N]);

impl Frame<{ REQUEST + FRAME }> {
    fn place(&mut self) -> &mut [u8] {
        self.0.get_mut(REQUEST..).unwrap_or_default()
    }
}

/// What sending takes.
struct Port {
    driver: Option<Ethernet>,
    /// How many more frames there is room for.
    room: u32,
    egress: Egress,
    counted: Counted,
    /// A frame behind what the driver is asked with it.
    leaves: Frame<{ REQUEST + FRAME }>,
    /// Bytes of the last one of the stack's.
    length: usize,
}

impl Port {
    /// Has the driver send the frame that is so long.
    fn send(&mut self, length: usize) {
        let request = self.leaves.0.get_mut(..REQUEST + length);
        let request = request.unwrap_or_default();
        let driver = self.driver.as_ref();
        match driver.map_or(Err(EthernetError::DriverDied), |it| it.send(request)) {
            Ok(room) => {
                self.room = room;
                self.counted.sent = self.counted.sent.wrapping_add(1);
                self.counted.sent_bytes = self.counted.sent_bytes.wrapping_add(length as u32);
            }
            Err(_) => {
                self.room = 0;
                self.counted.lost = self.counted.lost.wrapping_add(1);
            }
        }
    }
}

impl Wire {
    /// Without a driver: [`Wire::heard`] looks for it.
    pub fn new() -> Wire {
        Wire {
            port: Port {
                driver: None,
                room: 0,
                egress: Egress::default(),
                counted: Counted::default(),
                leaves: Frame([0; _]),
                length: 0,
            },
            state: None,
            may_have_come: true,
            came: Frame([0; _]),
            length: 0,
            is_new: false,
        }
    }

    /// The driver has something to say.
    pub fn noticed(&mut self) {
        self.may_have_come = true;
    }

    /// Whether frames may have come that were not received.
    pub fn may_have_come(&self) -> bool {
        self.may_have_come
    }

    /// What has been counted.
    pub fn counted(&self) -> Counted {
        self.port.counted
    }

    /// Sends a frame that is not the stack's, if `write` says how long it is.
    pub fn send_past<E>(
        &mut self,
        write: impl FnOnce(&mut [u8]) -> Result<Option<usize>, E>,
    ) -> Result<bool, E> {
        let port = &mut self.port;
        let Some(length) = write(port.leaves.place())? else {
            return Ok(false);
        };
        port.send(length);
        Ok(true)
    }

    /// Has the stack not be given the last frame that has come.
    pub fn pass_by(&mut self) {
        self.is_new = false;
    }

    /// Fetches the next frame that has come, for the stack to be given, if the last one was. False if there is none.
    pub fn fetch(&mut self) -> bool {
        if self.is_new {
            return true;
        }
        if !self.may_have_come {
            return false;
        }
        let driver = self.port.driver.as_ref();
        let received = driver.and_then(|it| it.receive(&mut self.came.0).ok());
        let Some((length, has_more)) = received else {
            self.may_have_come = false;
            return false;
        };
        self.may_have_come = has_more;
        self.length = length;
        self.is_new = true;
        let counted = &mut self.port.counted;
        counted.received = counted.received.wrapping_add(1);
        counted.received_bytes = counted.received_bytes.wrapping_add(length as u32);
        true
    }

    /// A frame that has come before, for the stack to be given: its length, if `recall` has put one there.
    pub fn recall(&mut self, recall: impl FnOnce(&mut [u8]) -> Option<usize>) -> bool {
        let length = recall(&mut self.came.0);
        self.is_new = length.is_some();
        self.length = length.unwrap_or(self.length);
        self.is_new
    }

    /// The last frame that has come.
    pub fn came(&self) -> &[u8] {
        self.came.0.get(..self.length).unwrap_or_default()
    }

    /// The last frame of the stack's that has left.
    pub fn left(&self) -> &[u8] {
        let frame = self.port.leaves.0.get(REQUEST..);
        let frame = frame.and_then(|it| it.get(..self.port.length));
        frame.unwrap_or_default()
    }

    /// Whether nothing can be sent until the driver says so.
    pub fn is_blocked(&self) -> bool {
        self.port.room == 0
    }

    /// Has the stack send what it can: what has come of it, and what it did with the room that it had.
    pub fn send<R>(&mut self, send: impl FnOnce(&mut Wire) -> R) -> (R, Egress) {
        self.port.egress = Egress::default();
        let result = send(self);
        (result, self.port.egress)
    }

    /// The driver has something to say: there may be frames, or room, or a link; or it has started again. What it says of
    /// its device; nothing if it is away.
    pub fn heard(&mut self) -> Option<State> {
        let port = &mut self.port;
        if port.driver.is_none() {
            port.driver = Ethernet::connect("ethernet").ok();
        }
        let driver = port.driver.as_mut()?;
        let mut state = driver.state();
        if state == Err(EthernetError::DriverDied) && driver.reconnect().is_ok() {
            port.counted.restarts = port.counted.restarts.wrapping_add(1);
            state = driver.state();
        }
        self.state = state.ok();
        port.room = self.state.map_or(0, |it| it.room);
        // What had come to its new life may have been noticed while the old one was asked.
        self.may_have_come |= self.state.is_some();
        self.state
    }

    /// What it said of its device last.
    pub fn state(&self) -> Option<State> {
        self.state
    }
}

/// A frame that has come.
pub struct Came<'a>(&'a [u8]);
/// A frame that is to be sent.
pub struct Leaves<'a>(&'a mut Port);

impl phy::RxToken for Came<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(self.0)
    }
}

impl phy::TxToken for Leaves<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let port = self.0;
        // The stack makes no longer ones than it was told to.
        let frame = port.leaves.place().get_mut(..len).unwrap_or_default();
        let result = f(frame);
        port.egress.sent(frame);
        port.length = len;
        port.send(len);
        result
    }
}

impl Device for Wire {
    type RxToken<'a> = Came<'a>;
    type TxToken<'a> = Leaves<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Came<'_>, Leaves<'_>)> {
        if !core::mem::take(&mut self.is_new) {
            return None;
        }
        let frame = self.came.0.get(..self.length)?;
        Some((Came(frame), Leaves(&mut self.port)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Leaves<'_>> {
        if self.is_blocked() {
            self.port.egress.refuse();
            return None;
        }
        self.port.egress.offer();
        Some(Leaves(&mut self.port))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        Unwired.capabilities()
    }
}

/// What an interface is made with: it only asks what the wire can.
pub struct Unwired;

impl Device for Unwired {
    type RxToken<'a> = Came<'a>;
    type TxToken<'a> = Leaves<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Came<'_>, Leaves<'_>)> {
        None
    }

    fn transmit(&mut self, _: Instant) -> Option<Leaves<'_>> {
        None
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = FRAME;
        capabilities
    }
}
